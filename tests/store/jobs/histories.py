"""Chance histories of a store: steps that are drawn without knowing it, and carried out on it and on the slow one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.domain.job import QUEUES, Change, Held, Submission
from pointsman.domain.lifecycle import IllegalEvent, step
from pointsman.ports.job_store import Fenced, JobStore, Wanted
from store.jobs.makes import LONG, NOON, change, submission
from store.jobs.slow_store import Known, SlowStore
from store.jobs.stores import Grounds

Script = list[tuple[str, dict[str, Any]]]
BRIEF = 0.001
"""Seconds of a lease or delay that is over when the next thing happens."""
CALLERS, KEYS, KINDS = ("", "ann", "合同"), ("k", "键"), ("request", "batch")
PHASES = ("waiting", "running", "parked", "over", "dead")
OTHERS = [
    "restarted",
    "sent_again",
    "resumed",
    "clarified",
    "failed",
    "parked",
    "parked",
    "parked",
    "died",
    "ended",
    "ended",
]
ROADS = [
    ["admitted", "matched", "dispatched", "stepped"],
    ["admitted", "missed", "arbitrated", "dispatched", "stepped"],
    ["restarted", "missed", "arbitrated", "clarified", "missed", "arbitrated"],
    ["resumed", "stepped", "sent_again", "dispatched"],
]
VALUES = (b"", b"\x00\xff", b"data")
WEIGHTS = {
    "submit": 4,
    "claim": 8,
    "work": 14,
    "revive": 2,
    "refused": 3,
    "repeat": 3,
    "renew": 4,
    "purge": 2,
    "value": 2,
    "lists": 3,
    "another": 1,
}


def script(dice: Random, steps: int) -> Script:
    names = dice.choices([*WEIGHTS], [*WEIGHTS.values()], k=steps)
    return [(name, drawn(name, dice)) for name in ["submit", *names]]


def drawn(name: str, dice: Random) -> dict[str, Any]:
    """What that step is given. Jobs are named by a number that is reduced to those there are."""

    def some(most: int) -> list[Submission]:
        return [submitted(dice) for _ in range(dice.randint(0, most))]

    match name:
        case "submit":
            return {"sent": some(4)}
        case "claim":
            return {
                "queues": dice.sample(QUEUES, dice.choice((1, 3, 3, 3))),
                "worker": dice.choice(CALLERS),
                "most": dice.randint(0, 4),
                "lease": dice.choice((LONG, LONG, BRIEF)),
            }
        case "work":
            road = dice.choice(ROADS)
            return {
                "job": dice.randrange(60),
                "moves": dice.choice(
                    (road[: dice.randint(1, 5)], [*road, dice.choice(OTHERS)], ["unparked", dice.choice(OTHERS)])
                ),
                "outcome": dice.choice(("ok", "failed", "cancelled", "expired", "handed_over")),
                "hold": dice.random() < 0.5,
                "fence": dice.random() < 0.1,
                "delay": dice.choice((0.0, 0.0, BRIEF, LONG)),
                "failures": dice.choice((0, 0, 1, 2)),
                "left": dice.choice((None, None, 1, 2, 3)),
                "error": dice.choice((None, *CALLERS)),
                "data": dice.choice((None, *VALUES)),
                "result": dice.choice((None, *VALUES)),
                "spawn": some(2),
                "why": dice.choice((None, ("why", "因为"))),
            }
        case "revive" | "repeat":
            return {"job": dice.randrange(60)}
        case "refused":
            shifts = [(0, -1), (0, 1), (-1, 0), (1, 0), (1, 1), (-2, -1)]
            return {"job": dice.randrange(60), "shift": dice.choice(shifts), "old": dice.randrange(99)}
        case "renew":
            jobs = [dice.randrange(60) for _ in range(dice.randint(0, 3))]
            return {"jobs": jobs, "old": dice.randrange(99), "lease": dice.choice((LONG, LONG, BRIEF))}
        case "purge":
            return {
                "job": dice.randrange(60),
                "later": dice.choice((0.0, 0.5, 1e6)),
                "most": dice.choice((0, 1, 2, 1000)),
            }
        case "value":
            return {
                "key": dice.choice(("a", "a*", "ab", "", "键", "job_000001")),
                "value": dice.choice((None, *VALUES)),
            }
        case "lists":
            wanted = {
                "caller": dice.choice((None, None, *CALLERS)),
                "queue": dice.choice((None, None, *QUEUES)),
                "kind": dice.choice((None, None, *KINDS)),
                "parent": dice.choice((None, None, None, "job_000001")),
                "phase": dice.choice((None, *PHASES)),
            }
            return {"wanted": wanted, "most": dice.randint(1, 4)}
    return {"closed": dice.random() < 0.5}


def submitted(dice: Random) -> Submission:
    """Of few ids, callers and keys, so that they meet."""
    name, parent = dice.choice(list(names()))
    return submission(
        id=name,
        parent=parent,
        queue=dice.choice(QUEUES),
        kind=dice.choice(KINDS),
        caller=dice.choice(CALLERS),
        key=dice.choice((None, None, *KEYS)),
        digest=dice.choice((b"", b"d")),
        expires=dice.choice((None, 5.5)),
        body=dice.choice(VALUES),
    )


def names() -> Iterator[tuple[str, str | None]]:
    """All ids that there can be, and the parent of each."""
    for number in range(3):
        parent = f"job_{number:06}"
        yield parent, None
        for part in range(3):
            yield f"{parent}.{part:06}", parent


class History:
    def __init__(self, grounds: Grounds, store: JobStore) -> None:
        self.grounds, self.store = grounds, store
        self.slow = SlowStore()
        self.at = NOON
        self.olds: list[Held] = []

    async def play(self, step: tuple[str, dict[str, Any]]) -> None:
        """Raises AssertionError where the store is not what the slow one is."""
        name, arguments = step
        await getattr(self, name)(**arguments)
        await self.compare()

    # Steps

    async def submit(self, sent: list[Submission]) -> None:
        sent = list(self.later(sent))
        assert await self.store.submit(sent) == self.slow.submit(sent)

    async def claim(self, queues: list[Any], worker: str, most: int, lease: float) -> None:
        got = await self.store.claim(queues, worker, most, lease)
        self.slow.claim(queues, worker, most, lease == LONG, got)
        await self.pause(lease)

    async def work(
        self, job: int, moves: list[str], hold: bool, fence: bool, delay: float, spawn: list[Submission], **other: Any
    ) -> None:
        """By the worker that has it, or by somebody else who then takes it from that worker. Mostly there is a worker."""
        held = [known for known in self.slow.known.values() if known.standing in ("held", "out")]
        known = held[job % len(held)] if held and job % 4 else self.pick(job)
        if known is None:
            return
        fence = fence or known.standing not in ("held", "out")
        what = self.change(
            known,
            moves,
            hold=hold and not fence,
            fence=fence,
            delay=0.0 if hold else delay,
            spawn=tuple(self.later(each for each in spawn if each.id.startswith(known.job.id[:10]))),
            worker=known.job.worker,
            about={"move": moves[0]},
            **other,
        )
        if what is not None:
            await self.make(known, what)

    async def revive(self, job: int) -> None:
        """The first dead one from there on."""
        dead = [known for known in self.slow.known.values() if known.phase == "dead"]
        if dead:
            known = dead[job % len(dead)]
            what = self.change(known, ["revived"], again=True)
            assert what is not None
            await self.make(known, what)

    async def refused(self, job: int, shift: tuple[int, int], old: int) -> None:
        """By somebody who saw another version, has another token, or knows it from long ago."""
        known = self.pick(job)
        if known is None or (what := self.change(known, ["died", "revived"], fence=True)) is None:
            return
        held = known.job.held
        for each in (Held(held.id, held.version + shift[0], held.token + shift[1]), *self.old(old)):
            if not self.slow.may_advance(each):
                with pytest.raises(Fenced):
                    await self.store.advance(each, what)

    async def repeat(self, job: int) -> None:
        known = self.pick(job)
        if known is None or known.change is None:
            return
        assert known.stale is not None
        try:
            gave = await self.store.advance(known.stale, known.change)
        except Fenced:
            assert known.since, "it was just made"
        else:
            assert gave == known.gave

    async def renew(self, jobs: list[int], old: int, lease: float) -> None:
        helds = [known.job.held for job in jobs if (known := self.pick(job)) is not None] + self.old(old)
        helds = list({held.id: held for held in helds}.values())
        if lease == LONG:
            assert await self.store.renew(helds, lease) == [self.slow.renew(held, True) for held in helds]
            return
        for held in helds:  # one at a time: which of two runs out first is to be known
            assert await self.store.renew([held], lease) == [self.slow.renew(held, False)]
            await self.pause(lease)

    async def purge(self, job: int, later: float, most: int) -> None:
        known = self.pick(job)
        before = (NOON if known is None else known.job.updated) + later
        self.slow.purge(before, most, await self.store.purge(before, most))

    async def value(self, key: str, value: bytes | None) -> None:
        if value is None:
            await self.store.delete(key)
            self.slow.values.pop(key, None)
        else:
            await self.store.put(key, value, LONG)
            self.slow.values[key] = value

    async def another(self, closed: bool) -> None:
        """Another instance goes on. It may have to see with its own eyes that a lease has run out."""
        if self.grounds.kind != "memory":
            if closed:
                await self.store.close()
            self.store = await self.grounds.open()
            await self.store.claim(QUEUES, "", 0, LONG)
            await self.pause(BRIEF)

    async def lists(self, wanted: dict[str, Any], most: int) -> None:
        """Page by page. Where a lease ran out, a job is waiting or running."""
        shown, expected = [], self.slow.ls(Wanted(**wanted))
        while page := await self.store.ls(Wanted(**wanted), most, shown[-1].id if shown else None):
            assert len(page) <= most
            assert not shown or page[0].id < shown[-1].id
            shown += page
        if wanted["phase"] in ("waiting", "running"):
            shown = [job for job in shown if self.slow.known[job.id].standing != "out"]
        assert shown == expected

    # What steps share

    def pick(self, number: int) -> Known | None:
        known = sorted(self.slow.known)
        return self.slow.known[known[number % len(known)]] if known else None

    def old(self, number: int) -> list[Held]:
        """A job as it once was."""
        return [self.olds[number % len(self.olds)]] if self.olds else []

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

    def change(self, known: Known, moves: list[str], outcome: Any = "ok", **other: Any) -> Change | None:
        """Those of the moves that are legal, one after the other. Who goes on with it does not end or park it."""
        place, events = known.job.place, []
        for move in moves:
            with suppress(IllegalEvent):
                there = step(place, move, outcome if move == "ended" else None)  # type: ignore[arg-type]
                if not other.get("hold") or (there.state != "completed" and there.disposition == "active"):
                    place = there
                    events.append(f"ended:{outcome}" if move == "ended" else move)
        return change(known.job, *events, at=self.now(), **other) if events else None

    async def make(self, known: Known, what: Change) -> None:
        held = known.job.held
        self.olds.append(held)
        gave = await self.store.advance(held, what)
        self.slow.advance(held, what, what.delay == LONG, gave)
        await self.pause(what.delay)

    async def pause(self, seconds: float) -> None:
        if seconds == BRIEF:
            await asyncio.sleep(5 * BRIEF)

    async def compare(self) -> None:
        """All that can be seen."""
        store, slow = self.store, self.slow
        all_names, pairs = [name for name, _ in names()], list(itertools.product(CALLERS, KEYS))
        jobs = await asyncio.gather(*map(store.get, all_names))
        traces = await asyncio.gather(*map(store.trace, all_names))
        for name, job, trace in zip(all_names, jobs, traces, strict=True):
            if name in slow.known:
                assert job == slow.known[name].job
                slow.check_trace(name, trace)
            else:
                assert (job, trace) == (None, [])
        found = await asyncio.gather(*itertools.starmap(store.find, pairs))
        assert found == [slow.keys.get(pair, (None,))[0] for pair in pairs]
        assert await store.ls(Wanted(), 100) == slow.ls(Wanted())
        slow.check_counts(await store.counts())
        for prefix in ("", "a", "a*"):
            expected = {key: value for key, value in slow.values.items() if key.startswith(prefix)}
            assert await store.scan(prefix) == expected
        for key, value in slow.values.items():
            assert await store.read(key) == value
