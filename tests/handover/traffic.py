"""Clients that use a gateway without a pause, each in its own way, and an engine that takes its time."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from execution.engine import DONE, delta

CHAT = "/v1/chat/completions"
PIECES = 12
PAUSE = 0.05  # seconds between two pieces of a stream
MODELS = b'{"object": "list", "data": [{"id": "m", "object": "model"}]}'


@contextmanager
def slow_engine() -> Iterator[dict[str, object]]:
    """Its streams take about half a second. Gives `models` of a config."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(MODELS)))
            self.end_headers()
            self.wfile.write(MODELS)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(delta("", role="assistant"))
            for number in range(PIECES):
                self.wfile.write(delta(f"{number} "))
                time.sleep(PAUSE)
            self.wfile.write(delta(finish="stop") + DONE)
            self.close_connection = True

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        base = f"http://127.0.0.1:{server.server_address[1]}/v1"
        yield {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": base}]}}
        server.shutdown()
        thread.join()


def body(text: str, stream: bool = False) -> bytes:
    return json.dumps({"model": "auto", "stream": stream, "messages": [{"role": "user", "content": text}]}).encode()


class Traffic:
    """`failed` is all that went wrong; `done` counts replies by the kind of client. One that keeps its connection sends the
    next request on it unless the reply before said that it closes; it never tries again."""

    def __init__(self, base: str) -> None:
        self.failed: list[str] = []
        self.done: Counter[str] = Counter()
        self._netloc = urlsplit(base).netloc
        self._stop = threading.Event()
        kinds: list[tuple[str, Callable[[], None]]] = [
            *[("kept", self._kept)] * 3,
            *[("fresh", self._fresh)] * 2,
            *[("stream", self._stream)] * 3,
            ("rare", self._rare),
        ]
        self._threads = [threading.Thread(target=self._run, args=kind, daemon=True) for kind in kinds]

    def __enter__(self) -> Traffic:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _run(self, kind: str, client: Callable[[], None]) -> None:
        try:
            client()
        except Exception as error:
            self.failed.append(f"{kind} after {self.done[kind]}: {error!r}")

    def _kept(self) -> None:
        connection = self._connected()
        while not self._stop.is_set():
            self._hello(connection, "kept")
        connection.close()

    def _rare(self) -> None:
        connection = self._connected()
        while not self._stop.wait(0.3):
            self._hello(connection, "rare")
        connection.close()

    def _fresh(self) -> None:
        while not self._stop.is_set():
            connection = self._connected()
            self._hello(connection, "fresh")
            connection.close()

    def _stream(self) -> None:
        connection = self._connected()
        while not self._stop.is_set():
            connection.request("POST", CHAT, body("tell me", stream=True), {"content-type": "application/json"})
            response = connection.getresponse()
            read = response.read()
            assert response.status == 200 and read.endswith(DONE), (response.status, read[-300:])
            assert all(f'"content":"{number} "'.encode() in read for number in range(PIECES)), read
            self.done["stream"] += 1
        connection.close()

    def _hello(self, connection: http.client.HTTPConnection, kind: str) -> None:
        connection.request("POST", CHAT, body("hello"), {"content-type": "application/json"})
        response = connection.getresponse()
        read = response.read()
        assert response.status == 200 and b'"content"' in read, (response.status, read)
        self.done[kind] += 1

    def _connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._netloc, timeout=60)
