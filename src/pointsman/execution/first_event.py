"""The beginning of a stream, far enough to tell whether it is a reply: the first event, not only the first bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec

_ENOUGH = 64 << 10  # bytes without the end of an event: content, whatever it is


def has_event(first: bytes) -> bool:
    """Whether the beginning of a stream holds a whole event that is no comment, or so much that it is content anyway."""
    return len(first) > _ENOUGH or _event(first) is not None


async def read_first_event(first: bytes, rest: AsyncIterator[bytes]) -> bytes:
    """`first` and what follows up to the end of the first event that is no comment, with what came in the same chunk;
    fewer where the stream ends before. Raises what `rest` raises."""
    async for chunk in rest:
        first = first + chunk if first else chunk
        if has_event(first):
            break
    return first


def is_nothing(first: bytes) -> bool:
    """Whether the stream ended, or says that it ends, before any event that holds something."""
    event = _event(first)
    if event is None:
        return not any(line and not line.startswith(b":") for line in first.splitlines())
    return event == b"[DONE]"


def error_in(first: bytes) -> dict[str, Any] | None:
    """The error object, where the first event holds one: `{"error": …}`, also with other members before it, vLLM's older
    `{"object": "error", …}`, or llama.cpp's older line `error: {…}`."""
    event = _event(first) or first.strip()
    if b"error" not in event:
        return None
    bare = event.startswith(b"error:")
    try:
        body = msgspec.json.decode(event[6:] if bare else event)
    except msgspec.DecodeError:
        return None
    if not isinstance(body, dict):
        return None
    if bare or body.get("object") == "error":
        return body
    error = body.get("error")
    if error is None or "choices" in body:
        return None
    return error if isinstance(error, dict) else {"message": str(error)}


def _event(data: bytes) -> bytes | None:
    """The payload of the first whole event that is no comment."""
    text = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    while True:
        block, end, text = text.partition(b"\n\n")
        if not end:
            return None
        lines = [
            line for line in block.split(b"\n") if line and not line.startswith((b":", b"event:", b"id:", b"retry:"))
        ]
        if lines:
            return b"\n".join(line[5:].strip() if line.startswith(b"data:") else line for line in lines)
