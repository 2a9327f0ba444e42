"""`bench growth`: what a request costs, and for how long the gateway stands still, as one thing grows."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pointsman.bench.axes import Axis, Point
from pointsman.bench.bodies import fetch
from pointsman.bench.canned import CHAT, asked, greeting, payloads
from pointsman.bench.event_check import EventCheck
from pointsman.bench.load import Load
from pointsman.bench.prober import slowest, start_prober
from pointsman.bench.processes import Child
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.session import Cores, Session, measure, session
from pointsman.bench.streams import load_streams
from pointsman.bench.subjects import Subject, pointsman
from pointsman.bench.usage import resident_bytes
from pointsman.bench.watched import Watch
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

Progress = Callable[[str], None]
QUIET = 1.0  # seconds that the slowest answer without load is looked for


def run_growth(axes: Sequence[Axis], quick: bool, rounds: int, seconds: float, progress: Progress) -> Results:
    """A subject of the result is an axis, a row a size. `cpu_us`, `p50_us` and `p99_us` are of one run; `stall_us` (the
    longest delay that the gateway's own loop saw), `probe_us` (how much longer the slowest `/health` took than without
    load) of another, because looking costs time too. Raises PointsmanError."""
    cores = Cores.split()
    sizes = sorted({size for axis in axes for size in (axis.quick if quick else axis.sizes)})
    options = {
        "rounds": rounds,
        "seconds": seconds,
        "subject_cores": list(cores.subject),
        "other_cores": list(cores.others),
    }
    results = new_results("growth", options, [str(size) for size in sizes])
    results.versions = {axis.name: str(axis.title) for axis in axes}
    with session(cores) as place:
        for number in range(1, rounds + 1):
            for axis in axes:
                for size in axis.quick if quick else axis.sizes:
                    progress(said("{axis}: {size}", "{axis}：{size}", axis=axis.title, size=f"{size:,}"))
                    try:
                        values = _point(place, axis.point(size), seconds)
                    except (PointsmanError, OSError) as error:
                        why = error.message if isinstance(error, PointsmanError) else str(error)
                        results.failures.append(Failure(axis.name, str(size), number, why))
                        progress(said("  failed: {why}", "  失败：{why}", why=why))
                    else:
                        results.samples.append(Sample(axis.name, str(size), number, values))
    return results


def _point(place: Session, point: Point, seconds: float) -> dict[str, float]:
    seconds = max(seconds, point.least_seconds)
    watch = Watch(place.folder / "watch")
    subject = _watched(point, place.folder / "watch")
    with (
        place.upstream(events=point.events, hosts=point.hosts) as engine,
        place.running(subject, engine, key=point.key) as child,
    ):
        _fill_log(place, child, point)

        def load(time: float) -> Load:
            if point.body is None:
                parts = payloads(point.events)
                return load_streams(
                    child.port, CHAT, asked(stream=True), lambda: EventCheck(parts), point.parallel, time
                )
            return place.wrk.run(child.port, CHAT, point.body, point.parallel, time, point.key)

        with _reloading(child, point) as reloads:
            done, values = measure(load, child, engine, seconds)
        if done.errors:
            raise PointsmanError(done.trouble)
        quiet = slowest(child.port, QUIET)
        watch.begin()
        with start_prober(child.port, seconds, place.cores.others) as prober, _reloading(child, point):
            load(seconds)
            told = prober.communicate()[0]
        stall = watch.end()
        return (
            values
            | ({"stall_us": stall} if stall else {})
            | ({"reload_us": reloads[0]} if reloads else {})
            | {
                "probe_us": max(0.0, float(told) - quiet),
                "quiet_us": quiet,
                "loaded_bytes": float(resident_bytes(child.pid)),
            }
        )


@contextlib.contextmanager
def _reloading(child: Child, point: Point) -> Iterator[list[float]]:
    """While it lasts, the config is read again once, where the point says so; gives the µs that it took. Raises
    PointsmanError where it was refused or came to no end."""
    took: list[float] = []
    wrong: list[Exception] = []

    def reload() -> None:
        began = time.perf_counter()
        try:
            fetch(child.port, "/admin/reload", b"", seconds=120.0)
        except (PointsmanError, OSError) as error:
            wrong.append(error)
        took.append((time.perf_counter() - began) * 1e6)

    if not point.reloads:
        yield took
        return
    timer = threading.Timer(0.5, reload)
    timer.start()
    yield took
    timer.join()
    if wrong:
        raise wrong[0]


def _watched(point: Point, file: Path) -> Subject:
    subject = pointsman(sections=point.sections, program=("-m", "pointsman.bench.watched"))
    return Subject(subject.name, subject.version, subject.start, env={"BENCH_WATCH": str(file)})


def _fill_log(place: Session, child: Child, point: Point) -> None:
    """So many requests that a rule answers; each leaves a record."""
    left = point.records
    while left > 0:
        left -= place.wrk.run(child.port, CHAT, greeting(), 16, 1.0).requests
    if point.records:
        with contextlib.suppress(OSError, PointsmanError):
            fetch(child.port, "/health")
