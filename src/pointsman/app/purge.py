"""Files go when nobody may have them any more."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from pointsman.actions.once import EFFECTS
from pointsman.actions.report.runner import REPORTS
from pointsman.actions.tools import MADE
from pointsman.domain.said import Said
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.file_store import FileStore, FileStoreError

log = logging.getLogger("pointsman")

EVERY = 3600.0  # seconds
REPEATED = 7 * 86_400.0
"""Seconds within which a job may be done again: so long its effect stays, whatever becomes of the file."""
_NOT_REMOVED = Said("old files cannot be removed: %s", "旧文件无法删除：%s")


async def purge_files(files: FileStore, tidy: Callable[[], None], uploads: Uploads, keep: Callable[[], float]) -> None:
    """Removes reports that are older than `keep()` seconds, and uploads that have expired, now and every hour, until it is
    cancelled. One process of those on a machine does it; several machines may do it to one store."""
    while True:
        try:
            now = time.time()
            await files.purge(REPORTS, now - keep())
            await files.purge(MADE, now - keep())
            await files.purge(EFFECTS, now - max(keep(), REPEATED))
            await uploads.purge()
        except FileStoreError as error:
            log.warning(_NOT_REMOVED, error)
        await asyncio.to_thread(tidy)
        await asyncio.sleep(EVERY)
