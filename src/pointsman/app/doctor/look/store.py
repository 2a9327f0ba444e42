"""Where jobs are kept: can it be reached, and do jobs lie there that were given up."""

from __future__ import annotations

import asyncio

from pointsman.app.doctor.facts import StoreFacts
from pointsman.app.job_store import open_store, shown_store, sqlite_file
from pointsman.config.schema import Config
from pointsman.domain.said import Said


def look_at_store(config: Config) -> StoreFacts:
    """A file that is not there yet is well: it is made when the first job comes. Raises Problem, StoreError."""
    shown = shown_store(config)
    file = sqlite_file(config)
    if file is not None and not file.exists():
        return StoreFacts(shown)
    return asyncio.run(_asked(config, shown))


async def _asked(config: Config, shown: str) -> StoreFacts:
    store = open_store(config)
    try:
        notes = await store.check()
        counts = await store.counts()
    finally:
        await store.close()
    problem = Said("; ".join(map(str, notes)), "；".join(note.zh for note in notes)) if notes else None
    return StoreFacts(shown, problem, sum(n for name, n in counts.items() if name.endswith(".dead")))
