"""Engines that only play one: HTTP servers on free ports of this machine, answering as recorded, hanging or babbling."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from twins.twin import RECORDINGS, load

LM_STUDIO: dict[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "qwen3-14b", "object": "model", "owned_by": "organization_owner"}],
    },
    "/api/v0/models": {
        "object": "list",
        "data": [
            {
                "id": "qwen3-14b",
                "object": "model",
                "type": "llm",
                "arch": "qwen3",
                "state": "not-loaded",
                "max_context_length": 40960,
            },
            {"id": "text-embedding-nomic-embed-text-v1.5", "object": "model", "type": "embeddings"},
        ],
    },
    "*": {"error": "Unexpected endpoint or method. (GET /api/version)"},
}


def recorded(name: str) -> dict[str, Any]:
    """The GET answers of a twin's recordings."""
    return {r.path: (r.status, r.body) for r in load(RECORDINGS / name) if r.method == "GET" and r.chunks is None}


def ollama(*models: str, **more: Any) -> dict[str, Any]:
    cards = [{"id": model, "object": "model", "owned_by": "library"} for model in models]
    return {
        "/v1/models": {"object": "list", "data": cards or None},
        "/api/version": {"version": "0.32.9"},
        "/api/tags": {"models": [{"name": model, "details": {}, **more} for model in models] or None},
    }


def cards(owner: str, *models: str, **more: Any) -> dict[str, Any]:
    return {
        "/v1/models": {
            "object": "list",
            "data": [{"id": model, "object": "model", "owned_by": owner, **more} for model in models],
        }
    }


@contextlib.contextmanager
def engine(answers: dict[str, Any]) -> Iterator[int]:
    """Path → JSON value, or (status, text). `*` answers every other path, else it is 404. Yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path, answers.get("*", (404, '{"detail":"Not Found"}')))
            status, text = answer if isinstance(answer, tuple) else (200, json.dumps(answer))
            body = text.encode() if isinstance(text, str) else text
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def raw(data: bytes | None, *, close: bool = True) -> Iterator[int]:
    """Answers every connection with these bytes, as they are; None: with nothing, and keeps it open."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()
    kept: list[socket.socket] = []

    def serve() -> None:
        listener.settimeout(0.02)
        while not stop.is_set():
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                kept.append(connection)
                connection.settimeout(0.2)
                if data is not None:
                    connection.recv(65_536)
                    connection.sendall(data)
                    if close:
                        connection.shutdown(socket.SHUT_RDWR)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        stop.set()
        thread.join()
        for connection in kept:
            connection.close()
        listener.close()


def nobody() -> int:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
