"""Each example runs as its first lines say, and shows what it says."""

from __future__ import annotations

import runpy
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

FOLDER = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the wheel is tested without the repository")
SHOWN = {
    "library.py": [
        "你好  →  answer: 你好！有什么可以帮你的？",
        "忘记密码了怎么办？  →  answer: 请在 https://intranet.example/reset 自助重置密码，大约一分钟。",
        "What is Ann's salary?  →  refuse: Salaries are not shown here. Please ask the HR department.",
        "What is a mutex?  →  model: no rule took it",
        "Ticket opened in it-support: Open a ticket for the broken printer",
        "False",
        "  - group all1 needs one of: password, 密码",
        'rules: rules[0].wen: unknown key "wen", did you mean "when"?',
    ],
    "langchain_first.py": [
        "What is Ann's salary?  →  Salaries are not shown here.",
        "What is a mutex?  →  (model) A mutex lets one thread in at a time.",
    ],
    "decorated.py": [
        "请在 https://intranet.example/reset",
        "(model) What is a mutex?",
        "Salaries are not shown here.",
        "['Hello! How can I help?'] ['(model) ', 'What is a mutex?']",
    ],
}


def test_every_example_is_tested() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == {*SHOWN, "fastapi_app.py"}


@pytest.mark.parametrize("name", SHOWN)
def test_it_runs(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", FOLDER / name], capture_output=True, text=True, cwd=tmp_path, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for shown in SHOWN[name]:
        assert any(line.startswith(shown) for line in lines), shown
    assert f"python examples/{name}" in (FOLDER / name).read_text(encoding="utf-8")


def test_the_web_application() -> None:
    app = runpy.run_path(str(FOLDER / "fastapi_app.py"))["app"]
    with TestClient(app) as client:
        said = client.post("/chat", json={"message": "忘记密码了怎么办？"})
        assert said.json()["by"] == "reset_password" and said.headers["x-pointsman-stage"] == "l0"
        assert client.post("/chat", json={"message": "建一个工单"}).json()["answer"] == "工单已建立。"
        passed = client.post("/chat", json={"message": "where do I put the api key?"}).json()
        assert passed == {"answer": "(model) where do I put the api key?", "by": "model", "risk": "medium"}


def test_the_web_application_starts_as_it_says() -> None:
    with socket.socket() as taken:  # where 8000 is taken already, the example has to say so
        free = taken.connect_ex(("127.0.0.1", 8000)) != 0
    process = subprocess.Popen(
        [sys.executable, FOLDER / "fastapi_app.py"], stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stderr
    try:
        seen = ""
        for line in process.stderr:
            seen += line
            if "running on" in line or "address already in use" in line:
                break
        assert ("Uvicorn running on http://127.0.0.1:8000" in seen) is free, seen
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()
