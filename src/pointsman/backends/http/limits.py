"""What one response may cost the gateway in memory."""

from __future__ import annotations

import msgspec

CHUNK_COST = 64
"""Bytes that a queued chunk counts for besides its own: a body of one-byte chunks may not hide its overhead."""


class Limits(msgspec.Struct, frozen=True):
    """Bounds on one response, in bytes unless said otherwise.

    `head_bytes` bounds the head with all 1xx heads before it, and later any run of framing (chunk extensions,
    trailers) without a byte of body; `headers` is a count. `body_bytes` is far above what an engine has to say, so that
    an answer without an end does end. Reading from the socket stops above `high_water` and goes on below `low_water`:
    what a stream holds stays under `high_water` and one read of the socket (256 KiB at most)."""

    head_bytes: int = 64 << 10
    headers: int = 128
    body_bytes: int = 256 << 20
    high_water: int = 128 << 10
    low_water: int = 32 << 10
