"""For operators: alive, ready, metrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.http.exchange import Client

_PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"
_OPENMETRICS = b"application/openmetrics-text; version=1.0.0; charset=utf-8"
Text = Callable[[bool], bytes | Awaitable[bytes]]
"""The metrics; True: as OpenMetrics, else as Prometheus' own text."""


class Ops:
    """`readiness` gives (can serve, what /ready says); `metrics` their text, at once or later."""

    def __init__(
        self,
        readiness: Callable[[], tuple[bool, dict[str, Any]]],
        metrics: Text,
    ) -> None:
        self._readiness = readiness
        self._metrics = metrics

    def health(self, client: Client) -> None:
        client.json(200, {"status": "ok"})

    def ready(self, client: Client) -> None:
        ready, state = self._readiness()
        client.json(200 if ready else 503, state)

    def metrics(self, client: Client) -> Awaitable[None] | None:
        """OpenMetrics for who asks for it, as Prometheus does."""
        openmetrics = "application/openmetrics-text" in (client.header(b"accept") or "")
        kind = _OPENMETRICS if openmetrics else _PROMETHEUS
        text = self._metrics(openmetrics)
        if not isinstance(text, bytes):
            return _later(client, text, kind)
        client.reply(200, text, kind)
        return None


async def _later(client: Client, text: Awaitable[bytes], kind: bytes) -> None:
    client.reply(200, await text, kind)
