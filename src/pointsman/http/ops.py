"""For operators: alive, ready, metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pointsman.http.exchange import Client


class Ops:
    """`readiness` gives (can serve, what /ready says); `metrics` the Prometheus text."""

    def __init__(self, readiness: Callable[[], tuple[bool, dict[str, Any]]], metrics: Callable[[], bytes]) -> None:
        self._readiness = readiness
        self._metrics = metrics

    def health(self, client: Client) -> None:
        client.json(200, {"status": "ok"})

    def ready(self, client: Client) -> None:
        ready, state = self._readiness()
        client.json(200 if ready else 503, state)

    def metrics(self, client: Client) -> None:
        client.reply(200, self._metrics(), b"text/plain; version=0.0.4; charset=utf-8")
