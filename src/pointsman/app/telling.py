"""Who is told what this process counts: whoever asks for /metrics, the hub of several processes, a collector."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pointsman.app.judging import Judging
from pointsman.app.observed import Observed
from pointsman.app.scaling import Scaling
from pointsman.app.setup import Setup
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.backend import Backend
from pointsman.ports.recorder import Recorder
from pointsman.telemetry.counts import Counts, Levels
from pointsman.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from pointsman.admission.scale.signals import Sign
    from pointsman.app.otlp import Told
    from pointsman.telemetry.otlp.exporter import Exporter

_FRESH = 60.0  # seconds until signs are looked for again where somebody wants to know


class Telling:
    """`counted` gives what was counted, as of now, `backends` those that there are. `folder` is where the log is. Raises
    nothing that a collector could cause."""

    def __init__(
        self,
        setup: Setup,
        folder: Path,
        metrics: Metrics,
        counted: Callable[[], Counts],
        backends: Callable[[], Mapping[str, Backend]],
    ) -> None:
        self.judging = Judging(folder, metrics)
        self._metrics = metrics
        self._counted = counted
        self._backends = backends
        self._observed = Observed()
        self._scaling = Scaling(folder)
        self._exporter = _exporter_of(setup)
        self._told: Told | None = None
        self._looked = float("-inf")
        self._look: asyncio.Task[None] | None = None

    @property
    def recorders(self) -> list[Recorder]:
        """Who else is to get every record."""
        return [] if self._exporter is None else [self._exporter]

    def start(self, pipeline: Pipeline) -> None:
        """Calls of engines are within traces from here on. Safe to call twice."""
        if self._exporter is not None and self._told is None:
            from pointsman.app.otlp import Told

            self._told = Told(self._exporter, self._all)
            pipeline.trace = self._told.trace

    async def close(self) -> None:
        if self._look is not None:
            self._look.cancel()
            await asyncio.gather(self._look, return_exceptions=True)
        await self.judging.close()
        if self._told is not None:
            await self._told.close()
        self._observed.close()

    @property
    def signs(self) -> list[Sign]:
        """That one more machine is needed, as they held at the last look."""
        return self._scaling.holding

    def look_for_signs(self) -> None:
        """Begins a look, where the last one is a minute old; nobody waits for it."""
        if time.monotonic() - self._looked >= _FRESH and (self._look is None or self._look.done()):
            self._look = asyncio.create_task(self.complete(self.counts()))

    def counts(self) -> Counts:
        """What this process counted, as of now."""
        if self._exporter is not None:
            for (signal, outcome), many in self._exporter.news().items():
                self._metrics.exported(signal, outcome, many)
        return self._counted()

    async def observed(self) -> dict[str, Levels]:
        """What is the same whichever process looks at it: the machine, and engines as they see themselves."""
        return await self._observed.levels(self._backends())

    async def text(self, openmetrics: bool) -> bytes:
        """All of it, as Prometheus reads it. What writes it is imported the first time, beside the loop."""
        exposition = await asyncio.to_thread(importlib.import_module, "pointsman.telemetry.exposition")
        text: bytes = exposition.text_of(await self._all(), openmetrics=openmetrics)
        return text

    async def complete(self, counts: Counts) -> None:
        """With what is the same whichever process looks at it."""
        self._looked = time.monotonic()
        counts.levels.update(await self.observed())
        counts.levels["scale_signal"] = await self._scaling.levels(counts)

    async def _all(self) -> Counts:
        counts = self.counts()
        await self.complete(counts)
        return counts


def _exporter_of(setup: Setup) -> Exporter | None:
    """Where no collector is named, nothing is imported for one."""
    given = setup.config.telemetry.otlp
    if given.endpoint is None:
        return None
    from pointsman.app.otlp import exporter_of

    return exporter_of(given, setup.policy.document.version)
