"""Which requests under way are noted, and when."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from pipeline.policies import CONFIG, FILES, fleet, policy_of
from pointsman.domain.attempt import Attempt
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.execution.attempts import Opened
from pointsman.pipeline.handle import DIED
from pointsman.pipeline.journalling import AFTER, Watch
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.journal import Noted

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)


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
        self.noted: Any = None
        self.decided_by = ("policy", "snapshot")
        self.name = ""
        self.looks = 0

    def cut_off(self) -> Record:
        return Record(Request(self.name, "chat", "auto", (Turn("user", "x"),)), 1.0, "failed", status=502)


class _Pipeline:
    def __init__(self, **runs: _Run) -> None:
        self.clock = _Clock()
        self.under_way = runs
        for name, run in runs.items():
            run.name = name

    def begin(self, name: str, run: _Run) -> None:
        self.under_way[name] = run
        run.name = name


class _Journal:
    def __init__(self) -> None:
        self.noted: list[Record] = []

    def note(self, several: Sequence[Noted]) -> None:
        for record, *decided_by in several:
            assert decided_by == ["policy", "snapshot"]
            self.noted.append(record)

    def names(self) -> list[str]:
        names, self.noted = [record.request.id for record in self.noted], []
        return names


def watching(pipeline: Any, journal: _Journal | None = None) -> tuple[Any, _Journal, Watch]:
    journal = journal or _Journal()
    return pipeline, journal, Watch(pipeline, journal)


async def test_those_that_take_long_and_only_once() -> None:
    pipeline, journal, watch = watching(_Pipeline(old=_Run(100.0 - AFTER - 0.1), new=_Run(99.9)))
    await watch.look()
    assert journal.names() == ["old"]
    await watch.look()
    assert journal.names() == []
    pipeline.clock.now += AFTER
    await watch.look()
    assert journal.names() == ["new"]


async def test_whatever_comes_and_goes_each_is_noted_once_and_in_time() -> None:
    """Looked at every 0.2 s, requests of 0.1 to 3 s: those that lived to see a look after AFTER."""
    pipeline, journal, watch = watching(_Pipeline())
    ends: dict[str, float] = {}
    due: list[str] = []
    for tick in range(400):
        now = pipeline.clock.now = 100.0 + tick / 20
        for name in [name for name, end in ends.items() if end <= now]:
            del pipeline.under_way[name], ends[name]
        for number in range(tick % 3):
            name = f"r{tick}.{number}"
            pipeline.begin(name, _Run(now, is_job=tick % 7 == 0))
            ends[name] = now + 0.1 + (tick * 37 + number * 11) % 60 / 20
        if tick % 4 == 0:
            await watch.look()
            old = [name for name, run in pipeline.under_way.items() if run.began <= now - AFTER and not run.is_job]
            due += [name for name in old if name not in due]
            if tick % 20 == 0:
                await watch.look_again()
    assert journal.names() == due
    assert len(due) > 200


async def test_jobs_are_left_to_their_store() -> None:
    _, journal, watch = watching(_Pipeline(job=_Run(1.0, is_job=True), chat=_Run(2.0)))
    await watch.look()
    await watch.look_again()
    assert journal.names() == ["chat"]


async def test_one_that_got_further_is_noted_again() -> None:
    pipeline, journal, watch = watching(_Pipeline(r=_Run(1.0)))
    await watch.look()
    await watch.look_again()
    assert journal.names() == ["r"]
    pipeline.under_way["r"].progress = (None, 1, "m@b")
    for _ in range(3):
        await watch.look_again()
    assert journal.names() == ["r"]


async def test_those_that_ended_are_forgotten() -> None:
    pipeline, journal, watch = watching(_Pipeline(r=_Run(1.0), s=_Run(1.0)))
    await watch.look()
    ended = weakref.ref(pipeline.under_way.pop("r"))
    await watch.look_again()
    assert ended() is None
    assert journal.names() == ["r", "s"]


async def test_one_that_ends_while_others_have_their_turn_is_not_noted() -> None:
    """The look gives way after some notes; what ended then has been recorded."""
    pipeline: Any = _Pipeline(**{f"r{number}": _Run(1.0) for number in range(40)})

    class Ending(_Journal):
        def note(self, several: Sequence[Noted]) -> None:
            super().note(several)
            pipeline.under_way.pop("r30", None)

    _, journal, watch = watching(pipeline, Ending())
    await watch.look()
    assert journal.names() == [f"r{number}" for number in range(40) if number != 30]


def test_what_is_said_of_one_that_was_cut_off(tmp_path: Path) -> None:
    """As its record would be now, but that nobody knows when it ended, nor what had come."""
    pipeline = Pipeline(lambda: FLEET, _Nobody(), _Clock(), {})
    pipeline.install(policy_of(tmp_path, CONFIG, FILES), {})
    run = pipeline.begin(Request("r", "chat", "auto", (Turn("user", "prove it"),), now=5.0))
    run._reply.attempts.append(Attempt("middle@middle", 0.1, 0.2, 200))
    run._reply.opened = Opened("middle@middle", cast(Any, None), b"", streams=True)
    run._reply.meter.first_at = 100.25
    run._reply.masked = {"email": 2}
    said, told = run.cut_off(), run.record()
    assert (told.outcome, told.timings.ttft, told.output_estimated) == ("cancelled", 250.0, True)
    unknown = replace(told, input_tokens=None, output_tokens=None, cached_tokens=None, output_estimated=False)
    times = replace(told.timings, total=None)
    assert said == replace(unknown, outcome="failed", status=502, error=DIED, timings=times)


class _Nobody:
    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        raise AssertionError
