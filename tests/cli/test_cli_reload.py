"""`pointsman reload` against a gateway that runs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from cli.invoke import Shell
from running import process

RULES = """
- id: hours
  when: {any: [hours]}
  answer: From nine to five.
  examples: [hours]
  counter_examples: [days]
  boundary: [{text: hour, takes: false}]
"""


@pytest.fixture
def served(tmp_path: Path):
    (tmp_path / "rules.yaml").write_text(RULES)
    (tmp_path / "pointsman.yaml").write_text("server: {watch: false}\nrules: {packs: [], files: [rules.yaml]}\n")
    arguments = ["-c", str(tmp_path / "pointsman.yaml"), "--port", "0", "--data-dir", str(tmp_path / "data")]
    with process(arguments) as gateway:
        yield gateway


async def test_it_says_from_which_policy_to_which(served, tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "rules.yaml").write_text(RULES.replace("five", "six"))
    done = await asyncio.to_thread(shell.run, "reload", "--url", served.base)
    assert done.code == 0 and done.out.startswith("reloaded: policy ") and " → " in done.out
    before, after = done.out.split()[-3], done.out.split()[-1]
    assert before != after
    again = await asyncio.to_thread(shell.run, "reload", "--url", served.base + "/", "--json")
    assert again.code == 0 and json.loads(again.out)["before"] == after == json.loads(again.out)["policy"]
    chinese = await asyncio.to_thread(shell.run, "reload", "--url", served.base, "--language", "zh")
    assert chinese.out.startswith("已重新加载：策略 ")


async def test_a_refusal_says_why(served, tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "rules.yaml").write_text(RULES.replace("[hours]\n  counter", "[weeks]\n  counter"))
    done = await asyncio.to_thread(shell.run, "reload", "--url", served.base)
    assert done.code == 1 and "'weeks' is taken by no rule" in done.err and "rules.yaml" in done.err
    chinese = await asyncio.to_thread(shell.run, "reload", "--url", served.base, "--language", "zh")
    assert chinese.code == 1 and "重新加载被拒绝，旧配置继续生效" in chinese.err and "rules.yaml" in chinese.err


@pytest.mark.parametrize(
    ("url", "part"),
    [("http://127.0.0.1:1", "127.0.0.1:1"), ("ftp://x", "valid: http://127.0.0.1:8900"), ("x", "valid: http://")],
)
def test_nobody_there(shell: Shell, url: str, part: str) -> None:
    done = shell.run("reload", "--url", url)
    assert done.code == (1 if url.startswith("http") else 2)
    assert part in done.err and "Traceback" not in done.err
