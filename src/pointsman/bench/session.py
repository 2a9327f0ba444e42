"""An upstream, something in front of it, and one measurement of what it takes."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pointsman.bench.bodies import fetch
from pointsman.bench.canned import EVENTS, asked
from pointsman.bench.load import Load
from pointsman.bench.machine import split_cores
from pointsman.bench.processes import Child, free_port
from pointsman.bench.subjects import Subject
from pointsman.bench.usage import cpu_seconds
from pointsman.bench.wrk import Wrk
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

STARTING = 60.0  # seconds until a subject answers


@dataclass(frozen=True)
class Cores:
    """Where the subject runs, and where load and upstream do; empty: anywhere."""

    subject: Sequence[int] = ()
    others: Sequence[int] = ()

    @classmethod
    def split(cls) -> Cores:
        """The subject has the last core to itself. Where there is one core only, nothing is pinned."""
        return cls(*split_cores())


@dataclass(frozen=True)
class Session:
    """A folder for all that is written, where things run, and the load's program."""

    folder: Path
    cores: Cores
    wrk: Wrk

    @contextlib.contextmanager
    def upstream(self, *, events: int = EVENTS, size: int = 0, hosts: int = 1) -> Iterator[Child]:
        port = free_port()
        command = [sys.executable, "-m", "pointsman.bench.upstream", str(port)]
        command += ["--events", str(events), "--size", str(size), "--hosts", str(hosts)]
        with Child(command, port, self.folder / "upstream.txt", cores=self.cores.others) as child:
            child.wait_until_it_listens(30.0)
            yield child

    @contextlib.contextmanager
    def running(self, subject: Subject, engine: Child, *, key: str | None = None) -> Iterator[Child]:
        """The subject, in a folder of its own, once a completion comes through it. Raises PointsmanError."""
        port = free_port()
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            folder = Path(place)
            folder.chmod(0o755)  # workers of another user look into it
            start = subject.start(port, engine.port, folder)
            env = {**start.env, **subject.env}
            with Child(start.command, port, folder / "output.txt", cores=self.cores.subject, env=env) as child:
                body = asked(stream=False)
                child.wait_until_it_answers(lambda: fetch(port, body=body, key=key, seconds=10.0), STARTING)
                yield child


@contextlib.contextmanager
def session(cores: Cores) -> Iterator[Session]:
    """Raises PointsmanError where wrk is absent, or this is not Linux."""
    if not Path("/proc/self/stat").exists():
        raise PointsmanError(
            Said(
                "the benches read the processor time of processes from /proc, which only Linux has",
                "基准测试要从 /proc 读取进程的处理器时间，只能在 Linux 上运行",
            )
        )
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as place:
        folder = Path(place)
        folder.chmod(0o755)
        yield Session(folder, cores, Wrk(folder, cores.others))


def warming(seconds: float) -> float:
    """How long is warmed up before a measurement of that length."""
    return max(0.5, seconds / 3)


def measure(
    load: Callable[[float], Load], child: Child, engine: Child, seconds: float
) -> tuple[Load, dict[str, float]]:
    """Warms up, then measures. `cpu_us` is user and system time of the child's process tree over the replies;
    `upstream_connections` counts those that the upstream accepted from the warming up on, `upstream_replies` what went over
    them. Raises PointsmanError."""
    before = upstream_counts(engine)
    load(warming(seconds))
    spent = cpu_seconds(child.pid)
    done = load(seconds)
    spent = cpu_seconds(child.pid) - spent
    after = upstream_counts(engine)
    if not done.requests:
        raise PointsmanError(done.trouble or Said("nothing was answered", "没有收到任何回复"))
    return done, {
        "requests": float(done.requests),
        "cpu_us": spent * 1e6 / done.requests,
        "per_s": done.requests / done.seconds,
        "p50_us": done.p50_us,
        "p99_us": done.p99_us,
        "worst_us": done.worst_us,
        "upstream_connections": float(after["accepted"] - before["accepted"] - 1),  # less the one that asks for this
        "upstream_replies": float(sum(after[kind] - before[kind] for kind in ("wholes", "streams"))),
    }


def upstream_counts(engine: Child) -> dict[str, int]:
    counts: dict[str, int] = json.loads(fetch(engine.port, "/bench"))
    return counts
