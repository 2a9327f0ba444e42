"""Slow and obvious: what every job store must agree with. It keeps plain values, and is told what a store gave wherever
the port leaves a choice (which token, which of equals first); then it judges whether that may be.

It knows no clock. A lease is `held` or has run `out`, a delay is over or is not: who asks says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from pointsman.domain.job import Change, Held, Job, Step, Submission, Submitted
from pointsman.domain.lifecycle import step
from pointsman.ports.job_store import Wanted


@dataclass
class Known:
    """What is known of one job. `standing`: free, held, out (its lease ran out, as the `rank`th), delayed, or none of
    these where it is parked or over. `fresh`: it has waited for its turn ever since it was made; what comes back after it
    was claimed, parked or delayed may come before what is older."""

    job: Job
    sent: Submission
    steps: list[tuple[Any, ...]]
    came: int
    standing: str = "free"
    rank: int = 0
    fresh: bool = True
    counted: bool = False
    told: int = 0
    op: str = ""
    stale: Held | None = None
    gave: Held | None = None
    since: bool = False  # others changed it since that change
    change: Change | None = None

    @property
    def phase(self) -> str:
        if self.job.place.state == "completed":
            return "over"
        if self.job.place.disposition in ("dead", "parked"):
            return self.job.place.disposition
        return {"held": "running", "out": "either"}.get(self.standing, "waiting")


@dataclass
class SlowStore:
    known: dict[str, Known] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[str, bytes]] = field(default_factory=dict)
    values: dict[str, bytes] = field(default_factory=dict)
    clock: int = 0

    # What happens

    def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        return [self._submit(each) for each in submissions]

    def _submit(self, sent: Submission) -> Submitted:
        if sent.id in self.known:
            return Submitted(sent.id, False)
        if sent.key is not None:
            used = self.keys.setdefault((sent.caller, sent.key), (sent.id, sent.digest))
            if used[0] != sent.id:
                return Submitted(used[0], False, used[1] != sent.digest)
        job = Job(
            id=sent.id,
            queue=sent.queue,
            kind=sent.kind,
            caller=sent.caller,
            created=sent.created,
            updated=sent.created,
            body=sent.body,
            key=sent.key,
            parent=sent.parent,
            expires=sent.expires,
            webhook=sent.webhook,
        )
        self.clock += 1
        first = (1, "submitted", "received", "active", sent.created)
        self.known[sent.id] = Known(job, sent, [first], self.clock)
        return Submitted(sent.id, True)

    def claim(self, queues: Sequence[str], worker: str, most: int, lasts: bool, got: Sequence[Job]) -> None:
        """Whether it may give those, in that order."""
        groups = [group for queue in queues for group in self._groups(queue)]
        there = sum(map(len, groups))
        assert len(got) == min(most, there), f"{len(got)} of {there}, at most {most}"
        rest = [job.id for job in got]
        for group in groups:
            taken, rest = rest[: len(group)], rest[len(group) :]
            assert set(taken) <= set(group), f"{taken} before {group}"
            in_turn = [name for name in group if self.known[name].fresh]
            fresh = [name for name in taken if self.known[name].fresh]
            assert self.known[group[0]].standing == "out" or fresh == in_turn[: len(fresh)], f"{fresh} of {in_turn}"
        self.clock += 1
        for job in got:
            known = self.known[job.id]
            assert job.token > known.job.token
            lost = known.job.lost + (known.standing == "out")
            known.job = replace(known.job, token=job.token, worker=worker, lost=lost, updated=job.updated)
            assert job == known.job
            known.standing, known.rank = "held" if lasts else "out", self.clock
            known.fresh, known.since = False, True

    def _groups(self, queue: str) -> list[list[str]]:
        """Who comes when: those lost at one time together, then those that are free."""
        mine = [known for known in self.known.values() if known.job.queue == queue]
        ranks = sorted({known.rank for known in mine if known.standing == "out"})
        groups = [[known.job.id for known in mine if (known.standing, known.rank) == ("out", rank)] for rank in ranks]
        free = sorted((known for known in mine if known.standing == "free"), key=lambda known: known.came)
        return [group for group in [*groups, [known.job.id for known in free]] if group]

    def may_advance(self, held: Held) -> bool:
        return held.id in self.known and self.known[held.id].job.held == held

    def advance(self, held: Held, change: Change, waits: bool, gave: Held) -> None:
        """It was made, and the store gave that; `waits`: its delay is not over when something is asked next."""
        known = self.known[held.id]
        assert gave.token >= held.token
        assert change.fence or gave.token == held.token
        assert not (change.fence and known.standing in ("held", "out")) or gave.token > held.token
        job, place = known.job, known.job.place
        for event, outcome in change.events:
            place = step(place, event, outcome)
            known.steps.append(
                (
                    len(known.steps) + 1,
                    event,
                    place.state,
                    place.disposition,
                    change.at,
                    change.worker,
                    held.token,
                    change.why,
                    change.about,
                )
            )
        known.told = known.told if change.left is None else change.left
        known.job = replace(
            job,
            place=place,
            updated=change.at,
            version=len(known.steps),
            token=gave.token,
            worker=job.worker if change.hold else "",
            generation=job.generation + change.again,
            failures=(0 if change.again else job.failures) + change.failures,
            lost=0 if change.again else job.lost,
            left=job.left if change.left is None else max(0, change.left - job.spent),
            error=job.error if change.error is None else change.error,
            data=job.data if change.data is None else change.data,
            result=job.result if change.result is None else change.result,
        )
        self.submit(change.spawn)
        if place.disposition == "parked" or known.job.over:
            known.standing, known.fresh = "none", False
        elif not change.hold:
            known.standing = "delayed" if waits else "free"
            known.fresh = known.fresh and not change.delay
        if place.disposition == "parked" and known.job.left == 0:
            self._unpark(known, change.at)
        assert gave.version == known.job.version
        known.op, known.stale, known.gave, known.since, known.change = change.op, held, gave, False, change
        if known.job.over and not known.counted:
            known.counted = True
            self._count(known.job.parent, change.at)

    def _count(self, parent: str | None, at: float) -> None:
        known = self.known.get(parent or "")
        if known is None:
            return
        job = known.job
        known.job = replace(job, spent=job.spent + 1, left=max(0, known.told - job.spent - 1))
        if known.job.left == 0 and job.place.disposition == "parked":
            self._unpark(known, at)
            known.since = True

    def _unpark(self, known: Known, at: float) -> None:
        place = step(known.job.place, "unparked")
        known.steps.append((len(known.steps) + 1, "unparked", place.state, place.disposition, at))
        known.job = replace(known.job, place=place, updated=at, version=len(known.steps), worker="")
        known.standing = "free"

    def renew(self, held: Held, lasts: bool) -> str:
        known = self.known.get(held.id)
        if known is None or known.standing not in ("held", "out") or known.job.token != held.token:
            return "lost"
        self.clock += 1
        known.standing, known.rank = "held" if lasts else "out", self.clock
        return "held"

    def purge(self, before: float, most: int, got: Sequence[Job]) -> None:
        under_way = {name for name, known in self.known.items() if not known.job.over}
        old = {
            name
            for name, known in self.known.items()
            if known.job.over and known.job.updated < before and known.job.parent not in under_way
        }
        while blocked := {known.job.parent for name, known in self.known.items() if name not in old} & old:
            old -= blocked
        gone = {job.id for job in got}
        assert len(gone) == len(got) <= most
        assert gone <= old
        assert gone or not (old and most)
        for job in got:
            assert job == self.light(job.id)
        for name in gone:
            job = self.known.pop(name).job
            if job.key is not None and self.keys[job.caller, job.key][0] == name:
                del self.keys[job.caller, job.key]
        parents = {known.job.parent for known in self.known.values()}
        assert not gone & parents, "a child stays without its parent"

    # What is seen

    def light(self, name: str) -> Job:
        return replace(self.known[name].job, body=b"", data=b"", result=b"")

    def ls(self, wanted: Wanted) -> list[Job]:
        """All, newest first; those whose lease ran out are neither waiting nor running here."""
        return [self.light(name) for name in sorted(self.known, reverse=True) if self._is(self.known[name], wanted)]

    def _is(self, known: Known, wanted: Wanted) -> bool:
        job = known.job
        return (
            wanted.caller in (None, job.caller)
            and wanted.queue in (None, job.queue)
            and wanted.kind in (None, job.kind)
            and wanted.parent in (None, job.parent)
            and wanted.phase in (None, known.phase)
        )

    def check_trace(self, name: str, steps: Sequence[Step]) -> None:
        """Of the steps that nobody asked for, only what and when."""
        seen = [
            (
                each.number,
                each.event,
                each.state,
                each.disposition,
                each.at,
                each.worker,
                each.token,
                each.why,
                each.about,
            )
            for each in steps
        ]
        expected = self.known[name].steps
        assert [each[: len(known)] for each, known in zip(seen, expected, strict=True)] == expected

    def check_counts(self, counts: dict[str, int]) -> None:
        expected: dict[str, int] = {}
        either: dict[str, int] = {}
        for known in self.known.values():
            into = either if known.phase == "either" else expected
            name = known.job.queue if known.phase == "either" else f"{known.job.queue}.{known.phase}"
            into[name] = into.get(name, 0) + 1
        for queue in ("interactive", "webhook", "batch"):
            for phase in ("parked", "dead"):
                assert counts.get(f"{queue}.{phase}", 0) == expected.get(f"{queue}.{phase}", 0)
            waiting, running = (expected.get(f"{queue}.{phase}", 0) for phase in ("waiting", "running"))
            seen = [counts.get(f"{queue}.{phase}", 0) for phase in ("waiting", "running")]
            assert sum(seen) == waiting + running + either.get(queue, 0)
            assert seen[0] >= waiting
            assert seen[1] >= running
