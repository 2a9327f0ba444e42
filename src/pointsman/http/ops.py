"""For operators: alive, ready, metrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.http.exchange import Client

_PROMETHEUS = b"text/plain; version=0.0.4; charset=utf-8"


class Ops:
    """`readiness` gives (can serve, what /ready says); `metrics` the Prometheus text, at once or later."""

    def __init__(
        self,
        readiness: Callable[[], tuple[bool, dict[str, Any]]],
        metrics: Callable[[], bytes | Awaitable[bytes]],
    ) -> None:
        self._readiness = readiness
        self._metrics = metrics

    def health(self, client: Client) -> None:
        client.json(200, {"status": "ok"})

    def ready(self, client: Client) -> None:
        ready, state = self._readiness()
        client.json(200 if ready else 503, state)

    def metrics(self, client: Client) -> Awaitable[None] | None:
        text = self._metrics()
        if not isinstance(text, bytes):
            return _later(client, text)
        client.reply(200, text, _PROMETHEUS)
        return None


async def _later(client: Client, text: Awaitable[bytes]) -> None:
    client.reply(200, await text, _PROMETHEUS)
