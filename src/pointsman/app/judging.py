"""Which level gave the reply that a caller speaks of: read from the log, beside the loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pointsman.domain.feedback import Feedback
from pointsman.store.log_reader import LogError, LogReader
from pointsman.telemetry.metrics import Judgement, Metrics, judgement_of

_AGAIN = (0.0, 1.0)
"""Seconds before each look: the log has a request some tens of milliseconds after its end."""
_MOST = 64
"""Feedbacks whose level is looked for at a time; of more nothing is counted."""


class Judging:
    """Counts what callers hold of replies. `folder` is where the log is."""

    def __init__(self, folder: Path, metrics: Metrics) -> None:
        self._folder = folder
        self._metrics = metrics
        self._looking: set[asyncio.Task[None]] = set()

    def said(self, feedback: Feedback) -> None:
        self._metrics.said(feedback)
        judgement = judgement_of(feedback)
        if judgement is None or len(self._looking) >= _MOST:
            return
        task = asyncio.create_task(self._count(feedback.request_id, judgement))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def close(self) -> None:
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)

    async def _count(self, request_id: str, judgement: Judgement) -> None:
        for pause in _AGAIN:
            await asyncio.sleep(pause)
            stage = await asyncio.to_thread(self._stage, request_id)
            if stage is not None:
                self._metrics.judged(stage, judgement)
                return

    def _stage(self, request_id: str) -> str | None:
        try:
            reader = LogReader(self._folder)
            try:
                return reader.stage(request_id)
            finally:
                reader.close()
        except (FileNotFoundError, LogError):
            return None
