"""`pointsman trace`: the way of requests and jobs, from the data folder or from a gateway."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.invoke import Done, Shell
from cli.kept_jobs import done, kept, on
from running import Process, process
from workers.lines import until

RULES = """
- id: hours
  when: {any: [hours]}
  answer: From nine to five.
  examples: [hours]
  counter_examples: [days]
  boundary: [{text: hour, takes: false}]
"""
CONFIG = """
server: {watch: false}
models: {light: {backends: [{engine: openai, model: m, base_url: "http://127.0.0.1:1/v1"}]}}
fallback: {target: light, max_retries: 0}
rules: {packs: [], files: [rules.yaml]}
jobs: {poll: 0.05, backoff: 0.05, failures: 2, patience: 0s}
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, Path]]:
    folder = tmp_path_factory.mktemp("gateway")
    (folder / "rules.yaml").write_text(RULES)
    (folder / "pointsman.yaml").write_text(CONFIG)
    arguments = ["-c", str(folder / "pointsman.yaml"), "--port", "0", "--data-dir", str(folder / "data")]
    with process(arguments) as running:
        yield running, folder


def asked(gateway: Process, text: str, **headers: str) -> str:
    """The id of a request that was served, or of the job that it became."""
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(
        f"{gateway.base}/v1/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request) as response:
            answer = json.loads(response.read())
            return str(answer["id"]) if "prefer" in headers else str(response.headers["x-pointsman-request-id"])
    except urllib.error.HTTPError as error:
        with error:
            return str(error.headers["x-pointsman-request-id"])


def traced(shell: Shell, folder: Path, *arguments: str) -> Done:
    """Once the log has it."""

    def found() -> Done | None:
        done = shell.run("trace", *arguments, "--data-dir", str(folder / "data"))
        return done if done.code == 0 else None

    return until(found)


def events(path: list[dict[str, Any]]) -> list[str]:
    return [step["event"] for step in path]


class TestRequests:
    def test_one_that_a_rule_took(self, shell: Shell, gateway: tuple[Process, Path]) -> None:
        request_id = asked(gateway[0], "hours")
        done = traced(shell, gateway[1], request_id)
        for part in (
            rf"^request +{request_id}$",
            r"^state +completed, ok, 200$",
            r"^policy +[0-9a-f]{12}$",
            r"^version +\d",
            r"^ +3 .* matched +l0_matched +.*\[policy=[0-9a-f]{12}, snapshot=[0-9a-f]+, rule=hours\]$",
            r"^  rule +hours → answer$",
        ):
            assert re.search(part, done.out, re.MULTILINE), (part, done.out)
        assert "Attempts" not in done.out

    def test_one_that_failed_at_its_target(self, shell: Shell, gateway: tuple[Process, Path]) -> None:
        done = traced(shell, gateway[1], asked(gateway[0], "what is a monad"))
        assert re.search(r"^state +completed, failed, 503, connect$", done.out, re.MULTILINE)
        assert re.search(r"^  1  m@127.0.0.1:1 +\S+ ms +\S+ ms  connect: .*refused", done.out, re.MULTILINE)

    def test_the_gateway_says_the_same(self, shell: Shell, gateway: tuple[Process, Path]) -> None:
        request_id = asked(gateway[0], "hours")
        here = traced(shell, gateway[1], request_id, "--json").json
        there = until(lambda: _same(shell.run("trace", request_id, "--url", gateway[0].base, "--json"), here))
        assert events(there["trace"]["path"]) == ["received", "admitted", "matched", "dispatched", "ended"]
        plain = shell.run("trace", request_id, "--url", gateway[0].base)
        assert plain.out == shell.run("trace", request_id, "--data-dir", str(gateway[1] / "data")).out


def _same(found: Done, as_here: Any) -> Any:
    return found.json if found.code == 0 and found.json == as_here else None


class TestJobs:
    def test_of_a_request_that_was_answered_later(self, shell: Shell, gateway: tuple[Process, Path]) -> None:
        job_id = asked(gateway[0], "hours", prefer="respond-async")
        until(lambda: "ended" in events(traced(shell, gateway[1], job_id, "--json").json["trace"]["path"]))
        done = until(lambda: _with_decision(traced(shell, gateway[1], job_id.replace("job_", "req_"))))
        assert re.search(rf"^job +{job_id}$", done.out, re.MULTILINE)
        assert re.search(r"^  rule +hours → answer$", done.out, re.MULTILINE)

    def test_of_one_that_was_given_up(self, shell: Shell, gateway: tuple[Process, Path]) -> None:
        job_id = asked(gateway[0], "what is a monad", prefer="respond-async")
        until(lambda: "died" in events(traced(shell, gateway[1], job_id, "--json").json["trace"]["path"]))
        done = traced(shell, gateway[1], job_id, "--language", "zh")
        assert re.search(r"^状态 +execution \(dead\)$", done.out, re.MULTILINE)
        assert "已保存并确认" in done.out and "重新发送" in done.out and "kept" not in done.out

    def test_without_a_log(self, shell: Shell) -> None:
        async def fill(store: Any) -> None:
            await kept(store, "job_1")
            await done(store, "job_1")

        on(shell.folder / "data", fill)
        found = shell.run("trace", "job_1", "--data-dir", "data", "--json").json
        assert events(found["trace"]["path"]) == ["submitted", "admitted", "matched", "dispatched", "ended"]
        assert found["summary"]["state"] == "completed" and found["trace"]["decision"] is None


def _with_decision(found: Done) -> Done | None:
    return found if "Decision" in found.out else None


class TestNone:
    def test_neither_log_nor_jobs(self, shell: Shell) -> None:
        done = shell.run("trace", "req_1", "--data-dir", "data")
        assert (done.code, done.out) == (1, "") and '"req_1"' in done.err and "x-pointsman-request-id" in done.err
        assert "日志和任务里都没有“req_1”" in shell.run("trace", "req_1", "--data-dir", "data", "--language", "zh").err
        assert not (shell.folder / "data").exists()

    def test_a_gateway_that_does_not_know_it(self, shell: Shell, gateway: tuple[Process, Path]) -> None:
        done = shell.run("trace", "req_1", "--url", gateway[0].base)
        assert done.code == 1 and 'there is no request "req_1" of yours' in done.err
        assert "没有你发过的请求" in shell.run("trace", "req_1", "--url", gateway[0].base, "--language", "zh").err

    @pytest.mark.parametrize("url", ["http://127.0.0.1:1", "ftp://x"])
    def test_no_gateway(self, shell: Shell, url: str) -> None:
        done = shell.run("trace", "req_1", "--url", url)
        assert done.code == (1 if url.startswith("http") else 2) and "Traceback" not in done.err
