"""Tokens and first content of a stream, read from the bytes as they pass, without parsing them one by one."""

from __future__ import annotations

from typing import Any

import msgspec

_TAIL = 4096


class Meter:
    """Feed it every chunk. `first_at` is set by the caller's clock at the first chunk; `usage()` looks once, at the end,
    into the last bytes, where engines put their figures (`usage`, or llama.cpp's `timings`)."""

    def __init__(self) -> None:
        self.first_at: float | None = None
        self.events = 0
        self._tail = b""

    @property
    def finished(self) -> bool:
        """Whether the stream's last event has passed: a client may hang up as soon as it has that."""
        return b"data: [DONE]" in self._tail

    def feed(self, chunk: bytes, now: float) -> None:
        if self.first_at is None:
            self.first_at = now
        self.events += chunk.count(b"data:")
        self._tail = chunk[-_TAIL:] if len(chunk) >= _TAIL else (self._tail + chunk)[-_TAIL:]

    def usage(self) -> tuple[int | None, int | None, int | None, bool]:
        """(input tokens, output tokens, cached input tokens, estimated). Where the engine gave no figures, the events
        of the stream stand for the output tokens."""
        for line in reversed(self._tail.split(b"\n")):
            if not line.startswith((b"data: {", b"data:{", b"{")):
                continue
            try:
                body = msgspec.json.decode(line.removeprefix(b"data:").strip())
            except msgspec.DecodeError:
                continue
            found = _figures(body) if isinstance(body, dict) else None
            if found:
                return (*found, False)
        return None, max(self.events - 3, 0) or None, None, True


def _figures(body: dict[str, Any]) -> tuple[int | None, int | None, int | None] | None:
    usage = body.get("usage")
    if isinstance(usage, dict):
        details = usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached)
    timings = body.get("timings")
    if isinstance(timings, dict) and "predicted_n" in timings:
        cached, fresh = _count(timings.get("cache_n")) or 0, _count(timings.get("prompt_n")) or 0
        return cached + fresh, _count(timings["predicted_n"]), cached
    return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
