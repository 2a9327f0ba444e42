"""A package of somebody else's, installed by pip, whose functions are actions."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from actions.workshop import CHINESE, OCCASION, config_of, workshop
from pointsman.app.actions import action_specs
from pointsman.ports.action import Attached
from running import running

PACKAGE = Path(__file__).parent / "package"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip put it."""
    where = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source")
    subprocess.run(["cp", "-r", f"{PACKAGE}/.", str(source)], check=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(where), str(source)], check=True)
    return where


@pytest.fixture(autouse=True)
def on_path(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed))


def use(name: str, **settings: Any) -> dict[str, Any]:
    return {"python": {"use": name, "settings": settings}}


async def test_a_function_with_types_is_an_action(tmp_path: Path) -> None:
    async with workshop(tmp_path, {"vat": use("add_vat")}) as actions:
        spec = actions["vat"].spec
        assert spec.required == ("net",) and spec.about["en"] == "Adds value added tax to a net amount."
        assert spec.properties["rate"] == {"type": "number", "minimum": 0, "maximum": 1, "default": 0.13}
        assert (await actions["vat"].run({"net": 100}, OCCASION)).text == "113.00"
        assert (await actions["vat"].run({"net": 100, "rate": 0.2}, OCCASION)).text == "120.00"
        wrong = await actions["vat"].run({"net": "much"}, OCCASION)
        assert wrong.outcome == "refused" and "must be a number" in wrong.text
        assert "rate" in (await actions["vat"].run({"net": 1, "rate": 2}, OCCASION)).text


async def test_what_the_config_sets_nobody_else_does(tmp_path: Path) -> None:
    async with workshop(tmp_path, {"vat": use("add_vat", rate=0.06)}) as actions:
        assert list(actions["vat"].spec.properties) == ["net"]
        assert (await actions["vat"].run({"net": 100}, OCCASION)).text == "106.00"
        assert (await actions["vat"].run({"net": 100, "rate": 0.0}, OCCASION)).outcome == "refused"


async def test_a_coroutine_with_a_context_gives_a_file(tmp_path: Path) -> None:
    async with workshop(tmp_path, {"badge": use("badge")}) as actions:
        effect = await actions["badge"].run({"name": "李雷"}, msgspec.structs.replace(CHINESE, caller="hr"))
        assert list(actions["badge"].spec.properties) == ["name", "title"]
    [file] = effect.files
    first, link = effect.text.splitlines()
    assert first == "李雷 的胸牌已生成。" and link.startswith("[badge.txt](http://gateway/files/")
    assert effect.values == {"name": "李雷", "for": "hr"}
    assert (tmp_path / "files" / file.key).read_text(encoding="utf-8") == "Ms 李雷"
    assert file.media_type == "text/plain"


async def test_it_gets_a_file_and_gives_values(tmp_path: Path) -> None:
    with_file = msgspec.structs.replace(OCCASION, files={"attached:0": Attached("a.txt", content=b"1\n2\n3\n")})
    async with workshop(tmp_path, {"count": use("count_lines")}) as actions:
        effect = await actions["count"].run({"file": "attached:0"}, with_file)
        assert effect.values == {"lines": 3} and '"lines": 3' in effect.text
        missing = await actions["count"].run({"file": "attached:1"}, with_file)
        assert missing.error == "no_file" and "attached:0 (a.txt)" in missing.text


async def test_time_is_limited_and_nothing_stays(tmp_path: Path) -> None:
    async with workshop(tmp_path, {"late": {**use("late"), "timeout": "1s"}, "forks": use("forks")}) as actions:
        effect = await actions["late"].run({"seconds": 60}, CHINESE)
        assert effect.error == "timeout" and "1 秒内没有完成" in effect.text
        task = asyncio.create_task(actions["forks"].run({"folder": str(tmp_path)}, OCCASION))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    for pid in map(int, (tmp_path / "pid").read_text().split()):
        assert gone(pid), f"process {pid} is left"


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z" and os.getpid() != int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (use("ad_vat"), 'did you mean "add_vat"'),
        (use("untyped"), "'anything' has no type annotation"),
        (use("broken"), "no licence for this machine"),
        (use("add_vat", rates=1), "no parameter 'rates'"),
        (use("add_vat", rate=3), "cannot be used"),
    ],
)
def test_what_is_wrong_is_found_at_check(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    [problem] = action_specs(config_of({"x": given}), tmp_path, {}).problems
    assert words in str(problem)


RULES = """
rules:
  - id: vat
    when: {template: "what is {number} with tax"}
    action: vat
    parameters: {net: "{number}"}
    examples: [what is 100 with tax]
    counter_examples: [what is tax]
    boundary: [{text: what is 100 with tax and tip, takes: false}]
  - id: vat_zh
    when: {all: [{any: [含税]}, {any: [{extract: number}], as: net}]}
    action: vat
    examples: [200 含税多少]
    counter_examples: [含税是什么意思]
    boundary: [{text: 200 多少, takes: false}]
"""


async def test_a_rule_has_it_done(tmp_path: Path) -> None:
    """As a user has it: a rule fills a number from a sentence, the reply is a completion."""
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    config = {"actions": {"vat": use("add_vat")}, "rules": {"packs": [], "files": ["rules.yaml"]}, "models": {}}
    async with running(config, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
        for text, expected in (("200 含税多少", "226.00"), ("what is 200 with tax", "226.00")):
            body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
            reply = await client.post("/v1/chat/completions", json=body, headers={"x-pointsman-trace": "1"})
            assert reply.json()["choices"][0]["message"]["content"] == expected
            decision = reply.json()["pointsman"]["decision"]
            assert decision["action"] == "vat" and decision["parameters"] == {"net": 200.0}
            assert decision["execution_path"] == ["vat"] and reply.headers["x-pointsman-stage"] == "l0"
        job = (await client.post("/v1/jobs", json={"action": "vat", "parameters": {"net": 50}})).json()
        while job["state"] != "completed":
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
        assert job["result"]["body"]["text"] == "56.50", job
        wrong = await client.post("/v1/jobs", json={"action": "vat", "parameters": {"nett": 50}})
        assert wrong.status_code == 400 and wrong.json()["error"]["param"] in ("parameters.net", "parameters.nett")
