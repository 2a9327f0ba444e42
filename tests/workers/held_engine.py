"""An engine whose stream stops in the middle until the test lets it go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from execution.engine import DONE, delta

MODELS = b'{"object": "list", "data": [{"id": "m", "object": "model"}]}'


class HeldEngine:
    """`begun` is set when the first half of a stream is out; `go_on` lets the rest of it follow. `asked` counts POSTs."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.asked = 0
        self.port = 0

    @property
    def models(self) -> dict[str, object]:
        """For the config."""
        return {
            "light": {"backends": [{"engine": "openai", "model": "m", "base_url": f"http://127.0.0.1:{self.port}/v1"}]}
        }


@contextmanager
def held_engine() -> Iterator[HeldEngine]:
    engine = HeldEngine()

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
            engine.asked += 1
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(delta("first ", role="assistant"))
            self.wfile.flush()
            engine.begun.set()
            engine.go_on.wait(60)
            self.wfile.write(delta("second") + delta(finish="stop") + DONE)
            self.close_connection = True

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        engine.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield engine
        engine.go_on.set()
        server.shutdown()
        thread.join()
