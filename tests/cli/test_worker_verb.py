"""`pointsman worker`: a process that does the jobs of gateways, beside one or far from it."""

from __future__ import annotations

import contextlib
import json
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.invoke import Shell
from running import Process, process
from store.jobs.servers import valkey
from workers.held_engine import held_engine
from workers.lines import until

RULES = """
- id: hours
  when: {any: [hours]}
  answer: From nine to five.
  examples: [hours]
  counter_examples: [days]
  boundary: [{text: hour, takes: false}]
"""
LEFT_TO_WORKERS = {"concurrency": 0, "poll": 0.05, "backoff": 0.05, "lease": 1.0}


class Place:
    """A machine: a config and a data folder."""

    def __init__(self, folder: Path, **config: Any) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        (folder / "rules.yaml").write_text(RULES)
        whole = {"server": {"watch": False}, "rules": {"packs": [], "files": ["rules.yaml"]}, "jobs": LEFT_TO_WORKERS}
        (folder / "pointsman.yaml").write_text(json.dumps({**whole, **config}))
        self.arguments = ["-c", str(folder / "pointsman.yaml"), "--data-dir", str(folder / "data")]

    @contextlib.contextmanager
    def gateway(self) -> Iterator[Process]:
        with process([*self.arguments, "--port", "0"]) as running:
            yield running

    @contextlib.contextmanager
    def worker(self, *more: str) -> Iterator[Process]:
        worker = Process([*self.arguments, *more], verb="worker")
        try:
            worker.wait_for("jobs are being done|开始执行任务")
            yield worker
        finally:
            worker.stop()


def submitted(gateway: Process, text: str = "hours", priority: str = "interactive") -> str:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    wish = {"endpoint": "/v1/chat/completions", "body": body, "priority": priority}
    return str(asked(gateway, "/v1/jobs", json.dumps(wish).encode())["id"])


def asked(gateway: Process, path: str, data: bytes | None = None) -> Any:
    request = urllib.request.Request(gateway.base + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read())


def over(gateway: Process, job_id: str) -> Any:
    """The job, once it is."""

    def found() -> Any:
        job = asked(gateway, f"/v1/jobs/{job_id}")
        return job if job["state"] == "completed" else None

    return until(found)


def text_of(job: Any) -> str:
    return str(job["result"]["body"]["choices"][0]["message"]["content"])


def test_beside_a_gateway_that_does_none(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.gateway() as gateway:
        job_id = submitted(gateway)
        assert asked(gateway, f"/v1/jobs/{job_id}")["state"] == "received"
        with place.worker() as worker:
            greeting = worker.wait_for(
                r"Pointsman \S+ worker (\S+): (\d+) jobs at a time, from (.*); they are kept in (.*)"
            )
            assert greeting[2] == "4" and greeting[3] == "interactive, webhook, batch"
            assert greeting[4] == str(tmp_path / "data" / "jobs.sqlite")
            job = over(gateway, job_id)
            assert text_of(job) == "From nine to five."
            steps = asked(gateway, f"/v1/requests/{job_id}/trace")["path"]
            assert steps[-1]["worker"] == greeting[1]
            until(lambda: asked(gateway, f"/v1/requests/{job_id.replace('job_', 'req_')}/trace")["decision"])
            assert worker.stop() == 0
            assert any("stopped; jobs that were under way went back" in line for line in worker.lines)


def test_told_to_stop_it_gives_back_what_it_has(tmp_path: Path) -> None:
    with held_engine() as engine:
        place = Place(tmp_path, models=engine.models, fallback={"target": "light", "max_retries": 0})
        with place.gateway() as gateway:
            job_id = submitted(gateway, "what")
            with place.worker("--concurrency", "1") as first:
                assert engine.begun.wait(60)
                assert first.stop() == 0
            engine.go_on.set()
            with place.worker("--concurrency", "1"):
                job = over(gateway, job_id)
            assert text_of(job) == "first second" and (job["failures"], job["lost"]) == (0, 0)
            assert "failed" in [step["event"] for step in asked(gateway, f"/v1/requests/{job_id}/trace")["path"]]


def test_the_queues_that_it_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.gateway() as gateway, place.worker("--queues", "batch"):
        waits = submitted(gateway)
        assert text_of(over(gateway, submitted(gateway, priority="batch"))) == "From nine to five."
        assert asked(gateway, f"/v1/jobs/{waits}")["state"] == "received"
        with place.worker("--queues", "interactive,batch"):
            over(gateway, waits)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_reloads(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with place.gateway() as gateway, place.worker() as worker:
        (tmp_path / "rules.yaml").write_text(RULES.replace("five", "six"))
        worker.signal(signal.SIGHUP)
        worker.wait_for("reloaded: policy")
        assert text_of(over(gateway, submitted(gateway))) == "From nine to six."
        (tmp_path / "rules.yaml").write_text("- nonsense")
        worker.signal(signal.SIGHUP)
        worker.wait_for("reload refused")
        assert text_of(over(gateway, submitted(gateway))) == "From nine to six."


def test_an_embedded_model_is_loaded_once_more_and_that_is_said(tmp_path: Path) -> None:
    model = {"light": {"backends": [{"engine": "embedded", "model": str(tmp_path / "none.gguf")}]}}
    with Place(tmp_path, models=model).worker() as worker:
        assert worker.wait_for("embedded models, which this process loads for itself.*: (.*)")[1].startswith(
            str(tmp_path)
        )


def test_elsewhere_with_valkey_and_killed_in_the_middle(tmp_path: Path, shell: Shell) -> None:
    with valkey(tmp_path / "v") as server, held_engine() as engine:
        shared = {
            "store": server.url,  # type: ignore[union-attr]
            "models": engine.models,
            "fallback": {"target": "light", "max_retries": 0},
        }
        here, there, third = (Place(tmp_path / name, **shared) for name in ("here", "there", "third"))
        with here.gateway() as gateway, there.worker() as first:
            job_id = submitted(gateway, "what")
            assert engine.begun.wait(60)
            first.signal(signal.SIGKILL)
            with third.worker() as second:
                until(lambda: engine.asked == 2)
                engine.go_on.set()
                job = over(gateway, job_id)
            assert text_of(job) == "first second" and (job["failures"], job["lost"]) == (0, 1)
            path = asked(gateway, f"/v1/requests/{job_id}/trace")["path"]
            workers = list(dict.fromkeys(step["worker"] for step in path if step["worker"]))
            assert [int(name.rpartition(":")[2]) for name in workers] == [first.pid, second.pid]
            [listed] = shell.run("jobs", "ls", "--store", server.url, "--json").lines  # type: ignore[union-attr]
            assert (listed["id"], listed["phase"], listed["lost"]) == (job_id, "over", 1)
            assert "1 lost" in shell.run("jobs", "ls", "--store", server.url).out  # type: ignore[union-attr]


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "code", "part"),
        [
            (("--queues", "fast"), 2, 'there is no queue "fast" (valid: interactive, batch, webhook)'),
            (("--concurrency", "0"), 2, "--concurrency must be at least 1"),
            (("--concurrency", "999"), 1, "256"),
            (("--store", "mysql://x"), 2, "no store of jobs is called 'mysql'"),
        ],
    )
    def test_mistakes(self, shell: Shell, arguments: tuple[str, ...], code: int, part: str) -> None:
        shell.write("pointsman.yaml", "rules: {packs: []}\n")
        done = shell.run("worker", *arguments, "--data-dir", "data")
        assert (done.code, done.out) == (code, "") and part in done.err and "Traceback" not in done.err

    def test_in_chinese(self, tmp_path: Path) -> None:
        with Place(tmp_path).worker("--language", "zh") as worker:
            worker.wait_for("工作进程 .*：同时执行 4 个任务，队列：interactive, webhook, batch；任务存储：")
            worker.stop()
            assert any("已停止；执行到一半的任务已退回" in line for line in worker.lines)
        assert (tmp_path / "data" / "jobs.sqlite").exists()
