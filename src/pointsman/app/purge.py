"""Files of reports go when their links have expired."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pointsman.actions.report.runner import ReportRunner

EVERY = 3600.0  # seconds


async def purge_files(runner: ReportRunner, keep: Callable[[], float]) -> None:
    """Removes what is older than `keep()` seconds, now and every hour, until it is cancelled. One process of those that
    share the folder does it."""
    while True:
        await asyncio.to_thread(runner.purge, time.time() - keep())
        await asyncio.sleep(EVERY)
