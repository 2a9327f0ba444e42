"""The figures of engines, cut out of a reply's bytes: `usage`, or llama.cpp's `timings`."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from pointsman.domain.record import EngineTimes

Counts = tuple[int | None, int | None, int | None, bool]
"""(input tokens, output tokens, cached input tokens, estimated)."""

_LONGEST = 2048
_OPENS = re.compile(rb"\s*:\s*(?=\{)")
_MOST = 1 << 53
_quick = msgspec.json.Decoder().decode
_slow = json.JSONDecoder()


def last_object(block: bytes, key: bytes) -> bytes:
    """What follows the last `key` (with its quotes) whose value is an object, from its brace on, maybe cut off by the end;
    empty where there is none. Quotes within a JSON text are escaped, so words of the model are never taken for a key."""
    at = block.rfind(key)
    while at >= 0:
        opened = _OPENS.match(block, at + len(key))
        if opened:
            return block[opened.end() : opened.end() + _LONGEST]
        at = block.rfind(key, 0, at)
    return b""


def counts_of_usage(data: bytes) -> Counts | None:
    """Of an object as OpenAI has it; None where it is no whole object."""
    usage = _parsed(data)
    if usage is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached), False


def counts_of_timings(data: bytes) -> Counts | None:
    """Of llama.cpp's own object; `prompt_n` there is what was not in the cache."""
    timings = _parsed(data)
    if timings is None or "predicted_n" not in timings:
        return None
    cached, fresh = _count(timings.get("cache_n")) or 0, _count(timings.get("prompt_n")) or 0
    return cached + fresh, _count(timings["predicted_n"]), cached, False


def times_of_timings(data: bytes) -> EngineTimes | None:
    """The same object's milliseconds; None where it does not tell all of them."""
    timings = _parsed(data)
    if timings is None:
        return None
    tokens = _count(timings.get("prompt_n")), _count(timings.get("predicted_n"))
    times = _milliseconds(timings.get("prompt_ms")), _milliseconds(timings.get("predicted_ms"))
    if None in tokens or None in times:
        return None
    return EngineTimes(tokens[0] or 0, times[0] or 0.0, tokens[1] or 0, times[1] or 0.0)


def _parsed(data: bytes) -> dict[str, Any] | None:
    """The object that `data` begins with. Its end is where braces balance; a brace inside a text takes the slow way."""
    end = data.find(b"}") + 1
    if end and data.find(b"{", 1, end) < 0:  # it holds no other
        return _decoded(data, end)
    while end and data.count(b"{", 0, end) != data.count(b"}", 0, end):
        end = data.find(b"}", end) + 1
    return _decoded(data, end) if end else None


def _decoded(data: bytes, end: int) -> dict[str, Any] | None:
    try:
        value = _quick(data[:end])
    except (msgspec.DecodeError, RecursionError):
        try:
            value, _ = _slow.raw_decode(data.decode("latin-1"))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _count(value: Any) -> int | None:
    """A number of tokens that a counter and a database column can take, else None."""
    return value if type(value) is int and 0 <= value < _MOST else None


def _milliseconds(value: Any) -> float | None:
    sound = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST
    return float(value) if sound else None
