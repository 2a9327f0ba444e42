"""An upstream in a thread that keeps every byte it is sent, and reads requests in the one strict way."""

from __future__ import annotations

import re
import socketserver
import threading
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

_LINE = re.compile(rb"[A-Z]+ /[\x21-\x7e]* HTTP/1\.[01]")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)")


class Seen(NamedTuple):
    """One request as the upstream got it."""

    method: str
    path: str
    body: bytes
    raw: bytes


class Strange(Exception):
    """What came is no request by the strict reading."""


def read(file: BinaryIO) -> Seen | None:
    """The next request on a connection, None at its end. Strange: it is none, or ambiguous."""
    raw = b""

    def line() -> bytes:
        nonlocal raw
        got = file.readline()
        raw += got
        if got and not got.endswith(b"\r\n"):
            raise Strange(raw)
        return got[:-2]

    start = line()
    if not raw:
        return None
    if not _LINE.fullmatch(start):
        raise Strange(raw)
    lengths: list[bytes] = []
    codings: list[bytes] = []
    while entry := line():
        found = _HEADER.fullmatch(entry)
        if found is None:
            raise Strange(raw)
        name = found[1].lower()
        if name == b"content-length":
            lengths.append(found[2])
        elif name == b"transfer-encoding":
            codings.append(found[2])
    if len(lengths) + len(codings) > 1 or codings not in ([], [b"chunked"]):
        raise Strange(raw)
    body = b""
    if lengths:
        if not re.fullmatch(rb"0|[1-9][0-9]{0,8}", lengths[0]):
            raise Strange(raw)
        body = file.read(int(lengths[0]))
        raw += body
    elif codings:
        while size := int(line(), 16):
            part = file.read(size)
            raw += part
            body += part
            if line():
                raise Strange(raw)
        while line():
            pass
    method, path, _ = start.decode("ascii").split(" ")
    return Seen(method, path, body, raw)


class Recorder:
    """Listens on a free port; `answer` makes the whole response to a request. `seen` grows with the requests, `strange`
    with what was none."""

    def __init__(self, answer: Callable[[Seen], bytes]) -> None:
        self.seen: list[Seen] = []
        self.strange: list[bytes] = []
        recorder = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                try:
                    while (request := read(self.rfile)) is not None:
                        recorder.seen.append(request)
                        self.wfile.write(answer(request))
                except (Strange, ValueError) as problem:
                    recorder.strange.append(bytes(str(problem.args[0]), "latin-1"))
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: object, client_address: object) -> None:
                recorder.strange.append(b"the recorder failed")

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
