"""`pointsman jobs batch` against a gateway that runs: sent, followed, fetched, broken off and resumed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.invoke import Done, Shell
from pointsman.cli.batch_client import failures_in
from running import Process, process
from workers.held_engine import HeldEngine, held_engine

RULES = """
- id: hours
  when: {any: [hours]}
  answer: From nine to five.
  examples: [hours]
  counter_examples: [days]
  boundary: [{text: hour, takes: false}]
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[HeldEngine]:
    with held_engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory, engine: HeldEngine) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("gateway")
    (folder / "rules.yaml").write_text(RULES)
    config = {
        "server": {"watch": False},
        "models": {
            **engine.models,
            "gone": {"backends": [{"engine": "openai", "model": "g", "base_url": "http://127.0.0.1:1/v1"}]},
        },
        "fallback": {"target": "light", "max_retries": 0},
        "rules": {"packs": [], "files": ["rules.yaml"]},
        "jobs": {"poll": 0.05, "backoff": 0.05, "failures": 2, "patience": "0s"},
    }
    (folder / "pointsman.yaml").write_text(json.dumps(config))
    arguments = ["-c", str(folder / "pointsman.yaml"), "--port", "0", "--data-dir", str(folder / "data")]
    with process(arguments) as running:
        yield running


def line(name: str, text: str = "hours", model: str = "auto", url: str = "/v1/chat/completions") -> str:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    return json.dumps({"custom_id": name, "method": "POST", "url": url, "body": body}) + "\n"


def batch(shell: Shell, gateway: Process, *arguments: str) -> Done:
    return shell.run("jobs", "batch", *arguments, "--url", gateway.base)


def entries(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_all_succeed(shell: Shell, gateway: Process) -> None:
    shell.write("in.jsonl", "".join(line(f"n{number}") for number in range(7)))
    done = batch(shell, gateway, "in.jsonl")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^batch_\w+ has begun$", done.out, re.MULTILINE) and "completed  7/7 (100 %)" in done.out
    assert done.out.endswith("7 replies: in.output.jsonl\n")
    replies = entries(shell.folder / "in.output.jsonl")
    assert [reply["custom_id"] for reply in replies] == [f"n{number}" for number in range(7)]
    assert not list(shell.folder.glob("*.part")) and not (shell.folder / "in.errors.jsonl").exists()


def test_what_failed_is_listed(shell: Shell, gateway: Process) -> None:
    shell.write("in.jsonl", line("a") + line("b", "what", "gone") + line("c", "what", "gone") + line("d"))
    done = batch(shell, gateway, "in.jsonl", "--output", "out.jsonl")
    assert done.code == 1 and "2 replies: out.jsonl\n2 failed: out.errors.jsonl\n" in done.out
    assert re.search(r"^    2 × connect: .*refused.* \(b, c\)$", done.out, re.MULTILINE)
    assert [reply["custom_id"] for reply in entries(shell.folder / "out.errors.jsonl")] == ["b", "c"]


def test_a_file_that_is_no_batch(shell: Shell, gateway: Process) -> None:
    shell.write("in.jsonl", line("a") + "{\n" + line("c", url="/v1/embeddings"))
    done = batch(shell, gateway, "in.jsonl")
    assert done.code == 1 and re.search(r"^    line 2: .*\(\w+\)$", done.out, re.MULTILINE)
    assert re.search(r"^    line 3: .*\(mismatched_url\)$", done.out, re.MULTILINE)
    chinese = batch(shell, gateway, "in.jsonl", "--language", "zh")
    assert re.search(r"^    第 2 行：", chinese.out, re.MULTILINE)
    assert not (shell.folder / "in.output.jsonl").exists()


def test_what_the_gateway_refuses(shell: Shell, gateway: Process) -> None:
    shell.write("in.jsonl", line("a"))
    assert "/v1/chat/completions" in batch(shell, gateway, "in.jsonl", "--endpoint", "/v1/fax").err
    assert batch(shell, gateway, "in.jsonl", "--window", "soon").code == 1
    done = batch(shell, gateway, "--resume", "batch_none")
    assert done.code == 1 and 'there is no batch "batch_none"' in done.err and "--resume" not in done.err


def test_broken_off_and_resumed(shell: Shell, gateway: Process, engine: HeldEngine) -> None:
    shell.write("in.jsonl", line("a", "what") + line("b"))
    command = [sys.executable, "-m", "pointsman", "jobs", "batch", "in.jsonl", "--url", gateway.base]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    first = subprocess.Popen(command, cwd=shell.folder, stdout=subprocess.PIPE, text=True, env=env)
    assert first.stdout
    seen = ""
    while "1/2" not in seen:
        seen += first.stdout.readline()
    first.send_signal(signal.SIGINT)
    told = first.stdout.read()
    assert first.wait(60) == 130
    first.stdout.close()
    found = re.search(r"(batch_\w+) goes on in the gateway.*\n.* jobs batch (--resume .*)\n", told)
    assert found, told
    engine.go_on.set()
    done = shell.run("jobs", "batch", *found[2].split())
    assert done.code == 0 and "2 replies: in.output.jsonl" in done.out
    assert [reply["custom_id"] for reply in entries(shell.folder / "in.output.jsonl")] == ["a", "b"]


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            ((), "--resume"),
            (("in.jsonl", "--resume", "batch_1"), "--resume"),
            (("none.jsonl",), "there is no file none.jsonl"),
            (("empty.jsonl",), "empty.jsonl is empty"),
            (("in.jsonl", "--output", "empty.jsonl"), "empty.jsonl is there already"),
            (("in.jsonl", "--output", "nowhere/out.jsonl"), "there is no folder nowhere"),
            (("in.jsonl", "--output", "empty.jsonl/out.jsonl"), "there is no folder empty.jsonl"),
            (("in.jsonl", "--output", "."), ". is a folder"),
            (("--resume", "batch_1", "--output", "nowhere/out.jsonl"), "there is no folder nowhere"),
            (("in.jsonl", "--url", "ftp://x"), "no address of a gateway"),
        ],
    )
    def test_before_anything_is_sent(self, shell: Shell, arguments: tuple[str, ...], part: str) -> None:
        shell.write("in.jsonl", line("a"))
        shell.write("empty.jsonl", "")
        done = shell.run("jobs", "batch", "--url", "http://127.0.0.1:1", *arguments)
        assert done.code == 2 and part in done.err and "Traceback" not in done.err

    @pytest.mark.skipif(
        not Path("/proc/self").is_dir(), reason="needs a folder that takes no files, not even from root"
    )
    def test_a_folder_that_takes_no_files(self, shell: Shell) -> None:
        shell.write("in.jsonl", line("a"))
        for tongue, part in (("en", "no replies can be put into /proc/self"), ("zh", "回复无法写入 /proc/self")):
            done = shell.run("jobs", "batch", "in.jsonl", "--output", "/proc/self/out.jsonl", "--language", tongue)
            assert done.code == 2 and part in done.err

    def test_no_gateway(self, shell: Shell) -> None:
        shell.write("in.jsonl", line("a"))
        done = shell.run("jobs", "batch", "in.jsonl", "--url", "http://127.0.0.1:1")
        assert done.code == 1 and "127.0.0.1:1" in done.err and "Traceback" not in done.err


def test_failures_in_a_file_of_errors() -> None:
    lines = [
        b'{"custom_id":"a","response":{"status_code":503,"body":{"error":{"code":"x","message":"m"}}},"error":null}\n',
        b'{"custom_id":"b","response":null,"error":{"code":"y","message":"n"}}\n',
        b'{"custom_id":"c","response":null,"error":{"code":"y","message":"o"}}\n',
        b'{"custom_id":"d","response":{"status_code":500,"body":"text"},"error":null}\n',
        b"no json\n",
        b"[]\n",
    ]
    found = [(failure.code, failure.message, failure.count, failure.names) for failure in failures_in(lines)]
    assert found[:3] == [("y", "n", 2, ("b", "c")), ("-", "no json\n", 2, ("-", "-")), ("x", "m", 1, ("a",))]
    assert found[3] == ("500", "text", 1, ("d",))
