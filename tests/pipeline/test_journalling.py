"""Which requests under way are noted, and when."""

from __future__ import annotations

from typing import Any

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.journalling import AFTER, DIED, cut_off, look


class _Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


class _Run:
    """As much of a Run as is looked at."""

    def __init__(self, began: float, is_job: bool = False) -> None:
        self.began = began
        self.is_job = is_job
        self.progress: Any = (None, 0, None)
        self.decided_by = ("policy", "snapshot")
        self.name = ""

    def record(self) -> Record:
        return Record(Request(self.name, "chat", "auto", (Turn("user", "x"),)), 1.0, "cancelled", status=499)


class _Pipeline:
    def __init__(self, **runs: _Run) -> None:
        self.clock = _Clock()
        self.under_way = runs
        for name, run in runs.items():
            run.name = name


class _Journal:
    def __init__(self) -> None:
        self.noted: list[Record] = []

    def note(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        assert (policy, snapshot) == ("policy", "snapshot")
        self.noted.append(record)

    def names(self) -> list[str]:
        names, self.noted = [record.request.id for record in self.noted], []
        return names


async def test_those_that_take_long_and_only_once() -> None:
    pipeline: Any = _Pipeline(old=_Run(100.0 - AFTER - 0.1), new=_Run(99.9))
    journal, noted = _Journal(), dict[str, Any]()
    await look(pipeline, journal, noted)
    assert journal.names() == ["old"]
    await look(pipeline, journal, noted)
    assert journal.names() == []
    pipeline.clock.now += AFTER
    await look(pipeline, journal, noted)
    assert journal.names() == ["new"]


async def test_jobs_are_left_to_their_store() -> None:
    pipeline: Any = _Pipeline(job=_Run(1.0, is_job=True), chat=_Run(2.0))
    journal = _Journal()
    await look(pipeline, journal, {})
    assert journal.names() == ["chat"]


async def test_one_that_got_further_is_noted_again() -> None:
    pipeline: Any = _Pipeline(r=_Run(1.0))
    journal, noted = _Journal(), dict[str, Any]()
    await look(pipeline, journal, noted)
    pipeline.under_way["r"].progress = (None, 1, "m@b")
    for _ in range(3):
        await look(pipeline, journal, noted)
    assert journal.names() == ["r", "r"]


async def test_those_that_ended_are_forgotten() -> None:
    pipeline: Any = _Pipeline(r=_Run(1.0), s=_Run(1.0))
    journal, noted = _Journal(), dict[str, Any]()
    await look(pipeline, journal, noted)
    del pipeline.under_way["r"]
    await look(pipeline, journal, noted)
    assert list(noted) == ["s"]


async def test_one_that_ends_while_others_have_their_turn_is_not_noted() -> None:
    """The look gives way after some notes; what ended then has been recorded."""
    pipeline: Any = _Pipeline(**{f"r{number}": _Run(1.0) for number in range(40)})

    class Ending(_Journal):
        def note(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
            super().note(record, policy, snapshot)
            pipeline.under_way.pop("r30", None)

    journal = Ending()
    await look(pipeline, journal, {})
    assert journal.names() == [f"r{number}" for number in range(40) if number != 30]


def test_what_is_said_of_one_that_was_cut_off() -> None:
    request = Request("r", "chat", "auto", (Turn("user", "x"),))
    record = Record(
        request, 1.0, "ok", timings=Timings(0.1, 0.2, 0.3), input_tokens=1, output_tokens=2, cached_tokens=3,
        output_estimated=True, target="m@b",
    )  # fmt: skip
    assert cut_off(record) == Record(
        request, 1.0, "failed", status=502, error=DIED, timings=Timings(0.1, 0.2, None), target="m@b"
    )
