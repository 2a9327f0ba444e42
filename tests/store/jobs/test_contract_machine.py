"""Each store, through thousands of chance histories, is what the slow one says."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from pointsman.domain.attempt import Outcome
from pointsman.domain.job import QUEUES, Change, Held, Submission
from pointsman.domain.lifecycle import Event, IllegalEvent, step
from pointsman.ports.job_store import Fenced, Wanted
from store.jobs.makes import LONG, NOON, change, submission
from store.jobs.slow_store import Known, SlowStore
from store.jobs.stores import KINDS, Grounds

T = TypeVar("T")
BRIEF = 0.001
"""Seconds of a lease or delay that is over when the next thing happens."""
EVENTS: tuple[Event, ...] = (
    "admitted",
    "matched",
    "missed",
    "arbitrated",
    "dispatched",
    "clarified",
    "stepped",
    "resumed",
    "restarted",
    "sent_again",
    "failed",
    "parked",
    "unparked",
    "died",
    "revived",
    "ended",
)
MOVES = [*EVENTS, "parked", "ended", "ended", "died"]
OUTCOMES: tuple[Outcome, ...] = ("ok", "failed", "cancelled", "expired")
NUMBERS = st.integers(0, 3)
PICKS = st.integers(0, 30)
TEXTS = st.sampled_from(["", "ann", "合同"])
BYTES = st.none() | st.sampled_from([b"", b"\x00\xff", b"data"])


@st.composite
def submissions(draw: st.DrawFn) -> Submission:
    """Of few ids, callers and keys, so that they meet."""
    number, part = draw(NUMBERS), draw(st.integers(0, 2))
    return submission(
        number,
        id=f"job_{number:06}" + (f".{part:06}" if part else ""),
        parent=f"job_{number:06}" if part else None,
        queue=draw(st.sampled_from(QUEUES)),
        kind=draw(st.sampled_from(["request", "batch"])),
        caller=draw(TEXTS),
        key=draw(st.none() | st.sampled_from(["k", "键"])),
        digest=draw(st.sampled_from([b"", b"d"])),
        expires=draw(st.none() | st.just(5.5)),
        body=draw(st.sampled_from([b"", b"body", b"\xff\x00"])),
    )


class Histories(RuleBasedStateMachine):
    def __init__(self, grounds: Callable[[], Grounds]) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.slow = SlowStore()
        self.at = NOON + 100
        self.olds: list[Held] = []
        self.grounds = grounds()
        self.store = self.do(self.grounds.open())

    def teardown(self) -> None:
        self.do(self.grounds.close())
        self.runner.close()

    def do(self, what: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await what

        return self.runner.run(awaited())

    def pick(self, number: int) -> Known | None:
        known = sorted(self.slow.known)
        return self.slow.known[known[number % len(known)]] if known else None

    def change(self, known: Known, moves: list[str], outcome: Outcome, **other: Any) -> Change | None:
        """Those of the moves that are legal, one after the other."""
        place, events = known.job.place, []
        for move in moves:
            text = f"ended:{outcome}" if move == "ended" else move
            with suppress(IllegalEvent):
                place = step(place, move, outcome if move == "ended" else None)  # type: ignore[arg-type]
                events.append(text)
        return change(known.job, *events, at=self.now(), **other) if events else None

    def make(self, known: Known, what: Change) -> None:
        held = known.job.held
        self.olds.append(held)
        gave = self.do(self.store.advance(held, what))
        self.slow.advance(held, what, what.delay > 1, gave)
        self.pause(what.delay)

    def later(self, sent: Iterable[Submission]) -> Iterator[Submission]:
        """The same, each made after all that were made before: who came first is then also the oldest. An id that was used
        comes again as it was, but for its body."""
        made: dict[str, Submission] = {}
        for each in sent:
            first = self.slow.known[each.id].sent if each.id in self.slow.known else made.get(each.id)
            again = replace(first, body=each.body) if first else replace(each, created=self.now())
            made.setdefault(each.id, again)
            yield again

    def now(self) -> float:
        self.at += 1
        return self.at

    def pause(self, seconds: float) -> None:
        if seconds == BRIEF:
            time.sleep(5 * BRIEF)

    @initialize(sent=st.lists(submissions(), min_size=1, max_size=5))
    def begin(self, sent: list[Submission]) -> None:
        self.submit(sent)

    @rule(sent=st.lists(submissions(), max_size=3))
    def submit(self, sent: list[Submission]) -> None:
        sent = list(self.later(sent))
        assert self.do(self.store.submit(sent)) == self.slow.submit(sent)

    @rule(
        queues=st.permutations(QUEUES),
        count=st.sampled_from([1, 3, 3, 3]),
        worker=TEXTS,
        most=st.integers(0, 4),
        lease=st.sampled_from([LONG, LONG, BRIEF]),
    )
    def claim(self, queues: list[Any], count: int, worker: str, most: int, lease: float) -> None:
        got = self.do(self.store.claim(queues[:count], worker, most, lease))
        self.slow.claim(queues[:count], worker, most, lease == LONG, got)
        self.pause(lease)

    @rule(
        number=PICKS,
        moves=st.lists(st.sampled_from(MOVES), min_size=1, max_size=6),
        outcome=st.sampled_from(OUTCOMES),
        hold=st.booleans(),
        fence=st.sampled_from([False, False, True]),
        delay=st.sampled_from([0.0, 0.0, BRIEF, LONG]),
        failures=st.integers(0, 1),
        left=st.none() | st.integers(0, 2),
        error=st.none() | TEXTS,
        data=BYTES,
        result=BYTES,
        spawn=st.lists(submissions(), max_size=2),
        why=st.none() | st.just(("why", "因为")),
    )
    def work(
        self, number: int, moves: list[str], outcome: Outcome, hold: bool, fence: bool, delay: float, **other: Any
    ) -> None:
        """By the worker that has it, or by somebody else who then takes it from that worker."""
        known = self.pick(number)
        if known is None:
            return
        fence = fence or known.standing not in ("held", "out")
        hold = hold and not fence
        spawn = tuple(self.later(each for each in other.pop("spawn") if each.id.startswith(known.job.id[:10])))
        what = self.change(
            known,
            moves,
            outcome,
            hold=hold,
            fence=fence,
            delay=0.0 if hold else delay,
            spawn=spawn,
            worker=known.job.worker,
            about={"move": moves[0]},
            **other,
        )
        if what is not None and not (hold and (what.last.state == "completed" or what.last.disposition != "active")):
            self.make(known, what)

    @rule(number=PICKS)
    def revive(self, number: int) -> None:
        known = self.pick(number)
        if known is not None and known.job.place.disposition == "dead":
            what = self.change(known, ["revived"], "ok", again=True)
            assert what is not None
            self.make(known, what)

    @rule(number=PICKS, old=PICKS, version=st.integers(-2, 2), token=st.integers(-2, 2))
    def refused(self, number: int, old: int, version: int, token: int) -> None:
        """By somebody who saw another version, has another token, or knows it from long ago."""
        known = self.pick(number)
        if known is None or (what := self.change(known, ["restarted", "died", "revived"], "ok", fence=True)) is None:
            return
        held = known.job.held
        stale = [Held(held.id, held.version + version, held.token + token)]
        stale += self.olds[old % len(self.olds) :][:1] if self.olds else []
        for each in stale:
            if not self.slow.may_advance(each):
                with pytest.raises(Fenced):
                    self.do(self.store.advance(each, what))

    @rule(number=PICKS)
    def repeat(self, number: int) -> None:
        known = self.pick(number)
        if known is None or known.change is None:
            return
        assert known.stale is not None
        try:
            assert self.do(self.store.advance(known.stale, known.change)) == known.gave
        except Fenced:
            assert known.since

    @rule(numbers=st.lists(PICKS, max_size=3), old=PICKS, lease=st.sampled_from([LONG, LONG, BRIEF]))
    def renew(self, numbers: list[int], old: int, lease: float) -> None:
        helds = [known.job.held for number in numbers if (known := self.pick(number)) is not None]
        helds += self.olds[old % len(self.olds) :][:1] if self.olds else []
        helds = list({held.id: held for held in helds}.values())
        for held in helds if lease == BRIEF else []:  # one at a time: which of two runs out first is to be known
            assert self.do(self.store.renew([held], lease)) == [self.slow.renew(held, False)]
            self.pause(lease)
        if lease == LONG:
            assert self.do(self.store.renew(helds, lease)) == [self.slow.renew(held, True) for held in helds]

    @rule(number=PICKS, later=st.sampled_from([0.0, 0.5, 1e6]), most=st.sampled_from([0, 1, 2, 1000]))
    def purge(self, number: int, later: float, most: int) -> None:
        known = self.pick(number)
        before = (NOON if known is None else known.job.updated) + later
        self.slow.purge(before, most, self.do(self.store.purge(before, most)))

    @rule(key=st.sampled_from(["a", "a*", "ab", "", "键", "job_000001"]), value=BYTES)
    def values(self, key: str, value: bytes | None) -> None:
        if value is None:
            self.do(self.store.delete(key))
            self.slow.values.pop(key, None)
        else:
            self.do(self.store.put(key, value, LONG))
            self.slow.values[key] = value

    @precondition(lambda self: self.grounds.kind != "memory")
    @rule(closed=st.booleans())
    def another_instance(self, closed: bool) -> None:
        if closed:
            self.do(self.store.close())
        self.store = self.do(self.grounds.open())

    @rule(
        caller=st.none() | TEXTS,
        queue=st.none() | st.sampled_from(QUEUES),
        kind=st.none() | st.sampled_from(["request", "batch"]),
        parent=st.none() | st.just("job_000001"),
        phase=st.none() | st.sampled_from(["waiting", "running", "parked", "over", "dead"]),
        most=st.integers(1, 4),
    )
    def lists(self, most: int, **wanted: Any) -> None:
        """Page by page. Where a lease ran out, a job is waiting or running."""
        shown, expected = [], self.slow.ls(Wanted(**wanted))
        while page := self.do(self.store.ls(Wanted(**wanted), most, shown[-1].id if shown else None)):
            assert len(page) <= most
            shown += page
        if wanted["phase"] in ("waiting", "running"):
            shown = [job for job in shown if self.slow.known[job.id].standing != "out"]
        assert shown == expected

    @invariant()
    def the_same_is_seen(self) -> None:
        self.do(self.compare())

    async def compare(self) -> None:
        store, slow = self.store, self.slow
        for number, part in itertools.product(range(4), range(3)):
            name = f"job_{number:06}" + (f".{part:06}" if part else "")
            job, trace = await store.get(name), await store.trace(name)
            if name in slow.known:
                assert job == slow.known[name].job
                slow.check_trace(name, trace)
            else:
                assert (job, trace) == (None, [])
        for caller, key in itertools.product(("", "ann", "合同"), ("k", "键")):
            assert await store.find(caller, key) == slow.keys.get((caller, key), (None,))[0]
        assert await store.ls(Wanted(), 100) == slow.ls(Wanted())
        slow.check_counts(await store.counts())
        for prefix in ("", "a", "a*"):
            expected = {key: value for key, value in slow.values.items() if key.startswith(prefix)}
            assert await store.scan(prefix) == expected
        for key, value in slow.values.items():
            assert await store.read(key) == value


EXAMPLES = {"memory": 60, "sqlite": 25, "redis": 10, "cluster": 5}


def histories(kind: str, folder: Path, examples: int) -> None:
    run_state_machine_as_test(
        lambda: Histories(lambda: Grounds(kind, folder)),
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_histories(kind: str, tmp_path: Path) -> None:
    histories(kind, tmp_path, EXAMPLES[kind])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS)
def test_many_histories(kind: str, tmp_path: Path) -> None:
    histories(kind, tmp_path, 20 * EXAMPLES[kind])
