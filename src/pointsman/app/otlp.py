"""OTLP, for who has a collector: nothing of it is imported for others."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from pointsman.config.telemetry_schema import Otlp
from pointsman.domain.request import Request
from pointsman.ports.backend import Call
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.otlp.exporter import Exporter, Settings
from pointsman.telemetry.trace_context import LONGEST_STATE, attempt_name, context_of, header_of, span_id


class Told:
    """The exporter, and the task that hands it what was counted. `exporter` is a recorder."""

    def __init__(self, exporter: Exporter, counts: Callable[[], Awaitable[Counts]]) -> None:
        self.exporter = exporter
        self._counts = counts
        self._task = asyncio.create_task(self._hand_on()) if exporter.settings.metrics else None

    def trace(self, call: Call, request: Request, attempt: int) -> Call:
        """The call, whose span is the attempt's. A tracestate without a trace goes no further."""
        context = context_of(request.id, request.traceparent, self.exporter.settings.sample)
        headers = [
            (name, value)
            for name, value in call.headers
            if name != "traceparent"
            and (name != "tracestate" or (context.parent is not None and len(value) <= LONGEST_STATE))
        ]
        span = span_id(request.id, attempt_name(attempt))
        return replace(call, headers=(*headers, ("traceparent", header_of(context, span))))

    async def close(self) -> None:
        """What is left is told, for a moment."""
        if self._task is not None:
            self._task.cancel()
            self.exporter.take(await self._counts())
        await asyncio.to_thread(self.exporter.close)

    async def _hand_on(self) -> None:
        while True:
            await asyncio.sleep(self.exporter.settings.every)
            self.exporter.take(await self._counts())


def exporter_of(given: Otlp, version: str) -> Exporter:
    """`given` has an endpoint."""
    assert given.endpoint is not None
    return Exporter(
        Settings(
            endpoint=given.endpoint,
            headers=given.headers,
            semconv=given.semconv,
            sample=given.sample,
            every=given.every,
            timeout=given.timeout,
            traces=given.traces,
            metrics=given.metrics,
            service=given.service,
            instance=f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}",
            version=version,
        )
    )
