"""Stores that break one promise each: chance histories find every one of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.domain.job import Change, Held, Job, Submission, Submitted
from pointsman.ports.job_store import JobStore, Standing, Wanted
from pointsman.store.jobs.memory import MemoryJobStore
from store.jobs.histories import script
from store.jobs.makes import LONG
from store.jobs.stores import Grounds
from store.jobs.test_contract_machine import STEPS, fault

HISTORIES = 100
"""So many at most until the first that finds it."""


class Truthful(MemoryJobStore):
    """What mutants change: the change before it is made, the answer before it is told."""

    async def advance(self, held: Held, change: Change) -> Held:
        return await super().advance(await self.held(held), self.change(change))

    async def held(self, held: Held) -> Held:
        return held

    def change(self, change: Change) -> Change:
        return change


class NoVersion(Truthful):
    async def held(self, held: Held) -> Held:
        job = await self.get(held.id)
        return replace(held, version=job.version) if job else held


class NoToken(Truthful):
    async def held(self, held: Held) -> Held:
        job = await self.get(held.id)
        return replace(held, token=job.token) if job else held


class NoNames(Truthful):
    numbers = itertools.count()

    def change(self, change: Change) -> Change:
        return replace(change, op=str(next(self.numbers)))


class NoSpawn(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, spawn=())


class NoFence(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, fence=False)


class NoDelay(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, delay=0.0)


class NoHold(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, hold=False)


class NotAnew(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, again=False)


class OneEventOfSeveral(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, events=change.events[-1:], places=change.places[-1:])


class ForgetsResults(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, result=None) if change.result == b"" else change


class LeavesChildren(Truthful):
    def change(self, change: Change) -> Change:
        return replace(change, left=None)


class GivesItsTokenAway(Truthful):
    """To whoever repeats what was done before another took over."""

    async def advance(self, held: Held, change: Change) -> Held:
        gave = await super().advance(held, change)
        job = await self.get(held.id)
        return job.held if job else gave


class LeasesForEver(MemoryJobStore):
    async def claim(self, queues: Sequence[Any], worker: str, most: int, lease: float) -> list[Job]:
        return await super().claim(queues, worker, most, LONG)


class NoLeases(MemoryJobStore):
    async def claim(self, queues: Sequence[Any], worker: str, most: int, lease: float) -> list[Job]:
        return await super().claim(queues, worker, most, 0.001)


class AnyQueue(MemoryJobStore):
    async def claim(self, queues: Sequence[Any], worker: str, most: int, lease: float) -> list[Job]:
        return await super().claim(sorted(queues), worker, most, lease)


class OneMore(MemoryJobStore):
    async def claim(self, queues: Sequence[Any], worker: str, most: int, lease: float) -> list[Job]:
        return await super().claim(queues, worker, most + 1, lease)


class RenewsAnything(MemoryJobStore):
    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        await super().renew(held, lease)
        return ["held"] * len(held)


class OnlySaysItRenews(MemoryJobStore):
    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        return await super().renew(held, LONG)


class NoConflicts(MemoryJobStore):
    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        return [replace(each, conflict=False) for each in await super().submit(submissions)]


class NoKeys(MemoryJobStore):
    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        return await super().submit([replace(each, key=None) for each in submissions])


class PurgesYoung(MemoryJobStore):
    async def purge(self, before: float, most: int = 1000) -> list[Job]:
        return await super().purge(before + 1, most)


class PagesTwice(MemoryJobStore):
    async def ls(self, wanted: Wanted, most: int, before: str | None = None) -> list[Job]:
        return await super().ls(wanted, most, before and before + "!")


class KeepsValues(MemoryJobStore):
    async def delete(self, key: str) -> None:
        await super().put(key, b"", LONG)


MUTANTS = [
    NoVersion,
    NoToken,
    NoNames,
    NoSpawn,
    NoFence,
    NoDelay,
    NoHold,
    NotAnew,
    OneEventOfSeveral,
    ForgetsResults,
    LeavesChildren,
    GivesItsTokenAway,
    LeasesForEver,
    NoLeases,
    AnyQueue,
    OneMore,
    RenewsAnything,
    OnlySaysItRenews,
    NoConflicts,
    NoKeys,
    PurgesYoung,
    PagesTwice,
    KeepsValues,
]


class Mutated(Grounds):
    def __init__(self, mutant: type[MemoryJobStore], folder: Path) -> None:
        super().__init__("memory", folder)
        self._mutant = mutant()

    async def open(self) -> JobStore:
        return self._mutant


async def found(mutant: type[MemoryJobStore], folder: Path, most: int) -> int | None:
    """The number of the first history that finds it."""
    for seed in range(most):
        if await fault(Mutated(mutant, folder), script(random.Random(seed), STEPS)) is not None:
            return seed
    return None


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
async def test_it_is_found(mutant: type[MemoryJobStore], tmp_path: Path) -> None:
    assert await found(mutant, tmp_path, HISTORIES) is not None


async def test_what_breaks_none_is_not(tmp_path: Path) -> None:
    assert await found(Truthful, tmp_path, 10) is None
