"""One question to an engine, and what went wrong with it in the words of an arbiter."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from pointsman.domain.intent import Failure
from pointsman.ports.backend import Backend, BackendFailure, Call

T = TypeVar("T")
LIMIT = 4 << 20
"""Bytes of an answer."""
NO_THOUGHTS: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": False}}
"""Models that think first (Qwen3 and others) answer at once; templates of others do not know the word. For engines that hand
it to the template."""


class Unheard(Exception):
    """The engine gave no usable answer. `status` is that of its response, if there was one."""

    def __init__(self, failure: Failure, status: int | None = None) -> None:
        super().__init__(failure)
        self.failure: Failure = failure
        self.status = status


async def post(backend: Backend, path: str, fields: dict[str, Any], *, root: bool = False) -> bytes:
    """The body of a 200. With `stream` among the fields the engine learns of a hang-up at once, so it is a call like any
    other; else the answer comes whole. Raises Unheard. Cancelling drops the connection."""
    call = Call(path, msgspec.json.encode(fields), whole=not fields.get("stream", False), root=root)
    try:
        stream = await backend.open(call)
        try:
            body = await stream.read(LIMIT)
        finally:
            stream.close()
    except BackendFailure as failure:
        raise Unheard("timeout" if failure.kind.endswith("timeout") else "unavailable") from None
    if stream.status == 200:
        return body
    raise Unheard(_failure_of(stream.status, body), stream.status)


def _failure_of(status: int, body: bytes) -> Failure:
    if status == 429 or (status == 503 and b"oading model" not in body):
        return "shed"
    return "unavailable" if status >= 500 or status in (401, 403, 404, 408) else "invalid"


def read(body: bytes, kind: type[T]) -> T:
    """Raises Unheard where it is none."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Unheard("invalid") from None


def events(body: bytes) -> list[bytes]:
    """The data of a whole event stream, without its end mark."""
    found = (line[5:].strip() for line in body.splitlines() if line.startswith(b"data:"))
    return [data for data in found if data != b"[DONE]"]
