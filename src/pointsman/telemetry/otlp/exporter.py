"""Tells a collector what happened, from a thread of its own: a collector that is down, slow or hostile costs spans, never a
request."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.otlp import wire
from pointsman.telemetry.otlp.gen_ai import GenAi
from pointsman.telemetry.otlp.names import NAMES, Semconv
from pointsman.telemetry.otlp.points import metrics_of
from pointsman.telemetry.otlp.post import Collector
from pointsman.telemetry.otlp.spans import encoded, tree_of
from pointsman.telemetry.trace_context import context_of

WAITING = 4096
"""Records that may wait to be told; of more than that nothing is told."""
_BATCHES = 32
"""Requests to the collector that may wait for it; the oldest is given up."""
_SPANS = 512
_PAUSE = 1.0  # seconds between two looks at what waits
_LONGEST_PAUSE = 30.0
_LAST = 3.0  # seconds to tell the rest when the gateway stops
_SCOPE = wire.text(1, "pointsman")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`endpoint` is the collector's, without `/v1/traces`. `sample` is the share of traces that are told, where the client
    has none of its own; metrics go every `every` seconds. `instance` tells this process from others of the service."""

    endpoint: str
    headers: dict[str, str]
    semconv: Semconv
    sample: float
    every: float
    timeout: float
    traces: bool
    metrics: bool
    service: str
    instance: str
    version: str


class Exporter:
    """A recorder. `put`, `take` and `news` are for the thread that serves; nothing in them waits."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._names = NAMES[settings.semconv]
        self._collector = Collector(settings.endpoint, settings.headers, settings.timeout)
        self._waiting: deque[tuple[Record, PolicyDocument, float]] = deque()
        self._counts: Counts | None = None
        self._gen_ai = GenAi(self._names, time.time_ns())
        self._batches: deque[tuple[str, int, bytes]] = deque()
        self._spans: list[bytes] = []
        self._told: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closing = False
        self._pause = _PAUSE
        self._retry = 0.0
        self._due = time.monotonic() + settings.every
        self._resource = wire.message(
            1,
            wire.attributes(
                1,
                {
                    "service.name": settings.service,
                    "service.version": settings.version,
                    "service.instance.id": settings.instance,
                },
            ),
        )
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)
        self._thread.start()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        if len(self._waiting) >= WAITING:
            self._count("span", "dropped", 1)
            return
        self._waiting.append((record, policy, time.time()))
        if len(self._waiting) == WAITING // 2:
            self._wake.set()

    def take(self, counts: Counts) -> None:
        """Goes out with the next metrics, in place of what was taken before. It is the exporter's from now on."""
        self._counts = counts

    def news(self) -> dict[tuple[str, str], int]:
        """(span or metric, sent, dropped or failed) → how many, since this was asked before."""
        with self._lock:
            told, self._told = self._told, Counter()
        return dict(told)

    def close(self) -> None:
        """Tells what is left, for a moment. Blocks so long."""
        self._closing = True
        self._wake.set()
        self._thread.join(_LAST)
        self._collector.close()

    # In the thread

    def _run(self) -> None:
        while True:
            self._wake.wait(_PAUSE)
            self._wake.clear()
            closing = self._closing
            self._work()
            if closing or time.monotonic() >= self._due:
                self._due = time.monotonic() + self.settings.every
                self._end_metrics()
            if closing:
                self._retry = 0.0
            self._send_when_due()
            if closing:
                return

    def _work(self) -> None:
        """Spans and figures of what waits. A record that cannot be told is counted, and no more."""
        done = 0
        while self._waiting:
            record, policy, ended = self._waiting.popleft()
            try:
                self._tell(record, policy, ended)
            except Exception:  # whatever a record may hold, the next one is told
                self._count("span", "failed", 1)
            done += 1
            if done % 16 == 0:
                time.sleep(0.001)  # the thread that serves goes first
            if len(self._spans) >= _SPANS:
                self._end_spans()
                self._send_when_due()
        self._end_spans()

    def _tell(self, record: Record, policy: PolicyDocument, ended: float) -> None:
        if self.settings.metrics:
            self._gen_ai.put(record, policy)
        if not self.settings.traces:
            return
        request = record.request
        context = context_of(request.id, request.traceparent, self.settings.sample)
        if context.sampled:
            self._spans += [encoded(span, request.id, context) for span in tree_of(record, policy, ended, self._names)]

    def _end_spans(self) -> None:
        spans, self._spans = self._spans, []
        if spans:
            body = b"".join(wire.message(2, span) for span in spans)
            self._add("/v1/traces", len(spans), body)

    def _end_metrics(self) -> None:
        if not self.settings.metrics:
            return
        now = time.time_ns()
        counts, self._counts = self._counts, None
        metrics = self._gen_ai.metrics(now) + ([] if counts is None else metrics_of(counts, now))
        if metrics:
            body = b"".join(wire.message(2, metric) for metric in metrics)
            self._add("/v1/metrics", len(metrics), body)

    def _add(self, path: str, many: int, body: bytes) -> None:
        """One request to the collector, of what one scope of one resource says."""
        scope = wire.message(1, _SCOPE + wire.text(2, self.settings.version)) + body
        data = wire.message(1, self._resource + wire.message(2, scope) + wire.text(3, self._names.schema))
        if len(self._batches) >= _BATCHES:
            lost, lost_many, _ = self._batches.popleft()
            self._count(_signal(lost), "dropped", lost_many)
        self._batches.append((path, many, data))

    def _send_when_due(self) -> None:
        """As much as the collector takes; what it may take later is tried again, each time after a longer pause."""
        while self._batches and time.monotonic() >= self._retry:
            path, many, data = self._batches[0]
            wait = self._collector.post(path, data)
            if wait is None:
                self._pause = _PAUSE
                self._batches.popleft()
                self._count(_signal(path), "sent", many)
            elif wait < 0:
                self._batches.popleft()
                self._count(_signal(path), "failed", many)
            else:
                self._pause = min(self._pause * 2, _LONGEST_PAUSE)
                self._retry = time.monotonic() + min(max(wait, self._pause), _LONGEST_PAUSE)

    def _count(self, signal: str, outcome: str, many: int) -> None:
        with self._lock:
            self._told[signal, outcome] += many


def _signal(path: str) -> str:
    return "span" if path == "/v1/traces" else "metric"
