"""One timer for all requests under way: those that take long are noted, so that none is lost without a trace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import count

from pointsman.pipeline.handle import Run
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.journal import Journal, Noted

EVERY = 0.2  # seconds between two looks
AFTER = 0.3  # seconds under way from which on a request is noted
AGAIN = 5  # looks until those that were noted are looked at again
_AT_ONCE = 16  # notes after which whatever else waits for the loop has its turn


async def keep_journal(pipeline: Pipeline, journal: Journal) -> None:
    """Until it is cancelled."""
    watch = Watch(pipeline, journal)
    for number in count(1):
        await asyncio.sleep(EVERY)
        await watch.look()
        if number % AGAIN == 0:
            await watch.look_again()


class Watch:
    """Notes requests under way. Jobs are left out: their store has them done again."""

    def __init__(self, pipeline: Pipeline, journal: Journal) -> None:
        self._pipeline = pipeline
        self._journal = journal
        self._looked_at = float("-inf")  # of what began until then, all was noted

    async def look(self) -> None:
        """Notes what has become old enough. Nothing else is looked at: the newest come last, and are passed over."""
        until = self._pipeline.clock.monotonic() - AFTER
        fresh = []
        for name, run in reversed(self._pipeline.under_way.items()):
            if run.began <= self._looked_at:
                break
            if run.began <= until and not run.is_job:
                fresh.append((name, run))
        self._looked_at = until
        await self._note(reversed(fresh))

    async def look_again(self) -> None:
        """Notes again what has got further since."""
        runs = self._pipeline.under_way.items()
        await self._note([one for one in runs if one[1].noted is not None and one[1].noted != one[1].progress])

    async def _note(self, runs: Iterable[tuple[str, Run]]) -> None:
        under_way = self._pipeline.under_way
        several: list[Noted] = []
        for name, run in runs:
            if under_way.get(name) is run:
                run.noted = run.progress
                several.append((run.cut_off(), *run.decided_by))
                if len(several) >= _AT_ONCE:
                    self._journal.note(several)
                    several = []
                    await asyncio.sleep(0)
        if several:
            self._journal.note(several)
