"""`bench relay`: the gateway and its peers in front of the same upstream, one under load at a time, round by round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pointsman.bench.bodies import check_canned, check_stream, check_whole
from pointsman.bench.canned import CHAT, EVENTS, asked, greeting, payloads
from pointsman.bench.event_check import EventCheck, TextCheck
from pointsman.bench.idle import hold_idle
from pointsman.bench.load import Load
from pointsman.bench.processes import Child
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.rows import DIRECT, MEMORY, Row
from pointsman.bench.session import Cores, Session, measure, session
from pointsman.bench.streams import load_streams
from pointsman.bench.subjects import Subject
from pointsman.bench.usage import resident_bytes
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What is run. `seconds` is the time of each measurement; a third of it, at least half a second, warms up before.
    `kind` says how the result is shown."""

    rows: Sequence[Row]
    rounds: int
    seconds: float
    cores: Cores
    kind: str = "relay"


def run_relay(plan: Plan, subjects: Sequence[Subject], progress: Progress) -> Results:
    """What goes wrong with one subject is in the result. Raises PointsmanError where nothing can be measured at all."""
    options = {
        "rounds": plan.rounds,
        "seconds": plan.seconds,
        "subject_cores": list(plan.cores.subject),
        "other_cores": list(plan.cores.others),
    }
    results = new_results(plan.kind, options, [row.name for row in plan.rows])
    for subject in subjects:
        if subject.version is None:
            results.skipped[subject.name] = subject.missing
            progress(said("{name}: skipped, {why}", "{name}：跳过，{why}", name=subject.name, why=subject.missing))
        else:
            results.versions[subject.name] = subject.version
    results.options["text_only"] = [subject.name for subject in subjects if subject.text_only and subject.version]
    present = [subject for subject in subjects if subject.version is not None]
    with session(plan.cores) as place:
        for number in range(1, plan.rounds + 1):
            for each in (None, *present):
                turn = _Turn(plan, place, each.name if each else DIRECT, number, results, progress)
                turn.take(each)
    return results


class _Turn:
    """One subject in one round. None stands for the upstream itself."""

    def __init__(
        self, plan: Plan, place: Session, name: str, number: int, results: Results, progress: Progress
    ) -> None:
        self._plan = plan
        self._place = place
        self._name = name
        self._number = number
        self._results = results
        self._progress = progress

    def take(self, subject: Subject | None) -> None:
        self._progress(said("round {number}: {name}", "第 {number} 轮：{name}", number=self._number, name=self._name))
        try:
            with self._place.upstream() as engine:
                if subject is None:
                    self._rows(engine, engine, None, text_only=False)
                    return
                with self._place.running(subject, engine) as child:
                    self._keep(MEMORY, {"started_bytes": resident_bytes(child.pid)})
                    self._rows(child, engine, subject.l0, text_only=subject.text_only)
                    self._keep(MEMORY, {"loaded_bytes": resident_bytes(child.pid)})
        except (PointsmanError, OSError) as error:
            self._failed("*", error)

    def _rows(self, child: Child, engine: Child, l0: str | None, *, text_only: bool) -> None:
        for row in self._plan.rows:
            path = l0 if row.kind == "l0" else CHAT
            if path is None or (row.kind == "idle" and child is engine):
                continue
            try:
                self._row(row, child, engine, path, text_only)
            except (PointsmanError, OSError) as error:
                self._failed(row.name, error)

    def _row(self, row: Row, child: Child, engine: Child, path: str, text_only: bool) -> None:
        if row.kind == "idle":
            self._keep(row.name, hold_idle(child, row.parallel, max(2.0, self._plan.seconds)))
            return
        _check(row, child.port, path, text_only)
        load, values = measure(
            lambda seconds: self._load(row, child.port, path, seconds, text_only), child, engine, self._plan.seconds
        )
        _check(row, child.port, path, text_only)
        self._keep(row.name, values)
        if load.errors:
            raise PointsmanError(load.trouble)
        self._progress(
            said(
                "  {row}: {cpu:.1f} µs CPU, {per_s:.0f}/s, p50 {p50:.0f} µs",
                "  {row}：CPU {cpu:.1f} µs，{per_s:.0f}/s，p50 {p50:.0f} µs",
                row=row.name,
                cpu=values["cpu_us"],
                per_s=values["per_s"],
                p50=load.p50_us,
            )
        )

    def _load(self, row: Row, port: int, path: str, seconds: float, text_only: bool) -> Load:
        if row.kind == "stream":
            check = TextCheck if text_only else EventCheck
            return load_streams(port, path, asked(stream=True), lambda: check(payloads()), row.parallel, seconds)
        body = greeting() if row.kind == "l0" else asked(stream=False)
        return self._place.wrk.run(port, path, body, row.parallel, seconds)

    def _keep(self, row: str, values: dict[str, float]) -> None:
        self._results.samples.append(Sample(self._name, row, self._number, values))

    def _failed(self, row: str, error: Exception) -> None:
        why = error.message if isinstance(error, PointsmanError) else str(error)
        self._results.failures.append(Failure(self._name, row, self._number, why))
        self._progress(said("  {row}: failed: {why}", "  {row}：失败：{why}", row=row, why=why))


def _check(row: Row, port: int, path: str, text_only: bool) -> None:
    """The body is the upstream's. Raises PointsmanError, OSError."""
    if row.kind == "whole":
        check_whole(port, text_only=text_only)
    elif row.kind == "stream":
        check_stream(port, EVENTS, text_only=text_only)
    else:
        check_canned(port, path)
