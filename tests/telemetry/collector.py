"""A real OTLP receiver on loopback: HTTP, gzip, and protobuf by OpenTelemetry's own classes."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """`answers` are statuses in turn, then 200; `delay` seconds go by before each. `headers` are those that came last."""

    def __init__(self) -> None:
        self.traces: list[ExportTraceServiceRequest] = []
        self.metrics: list[ExportMetricsServiceRequest] = []
        self.answers: list[int] = []
        self.more: dict[str, str] = {}
        self.body = b""
        self.headers: dict[str, str] = {}
        self.asked = 0
        self.base = ""
        self.release = threading.Event()
        self.holds = False

    @property
    def spans(self) -> list[Any]:
        return [
            span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def latest(self) -> dict[str, Any]:
        """Metrics by name, each as it came last."""
        return {
            metric.name: metric
            for request in self.metrics
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def take(self, path: str, headers: dict[str, str], data: bytes) -> int:
        self.asked += 1
        self.headers = headers
        if self.holds:
            self.release.wait(20)
        status = self.answers.pop(0) if self.answers else 200
        if status == 200:
            data = gzip.decompress(data)
            if path.endswith("/v1/traces"):
                self.traces.append(ExportTraceServiceRequest.FromString(data))
            else:
                assert path.endswith("/v1/metrics"), path
                self.metrics.append(ExportMetricsServiceRequest.FromString(data))
        return status


@contextlib.contextmanager
def collector() -> Iterator[Collector]:
    found = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            status = found.take(self.path, {name.lower(): value for name, value in self.headers.items()}, data)
            with contextlib.suppress(OSError):
                self.send_response(status)
                for name, value in found.more.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(found.body)))
                self.end_headers()
                self.wfile.write(found.body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    found.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


def until(done: Callable[[], object], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def about(item: Any) -> dict[str, Any]:
    """Attributes as plain values."""
    return {each.key: value_of(each.value) for each in item.attributes}


def value_of(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(each) for each in value.array_value.values]
    return getattr(value, kind)
