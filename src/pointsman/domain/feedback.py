"""What a caller said of a reply afterwards."""

from __future__ import annotations

import msgspec

LOWEST, HIGHEST = 1, 5
"""Bounds of a rating."""
LONGEST = 2000
"""Characters of a comment."""


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """`received` is when it came, seconds since the epoch; `caller` who sent it, and the request before it. `adopted`: the
    reply was of use, or was not what was meant; `rating` is LOWEST to HIGHEST, the best; None: nothing was said of it.
    `edited`: the user changed the reply before using it; `retried`: the user asked again. `comment` is None where none
    was made, or none is kept."""

    request_id: str
    received: float
    caller: str
    adopted: bool | None = None
    rating: int | None = None
    edited: bool = False
    retried: bool = False
    comment: str | None = None


class Asker(msgspec.Struct, frozen=True, gc=False):
    """Who sent a request, and when, in seconds since the epoch."""

    caller: str
    asked: float
