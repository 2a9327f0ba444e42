"""A file that a client sent, or that a batch made for it, and what is known of it."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

Purpose = Literal["batch", "batch_output"]
"""Sent, to be the input of a batch; or what a batch made."""
_ID = re.compile(r"file-[A-Za-z0-9-]{1,80}")


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """`size` in bytes; `created` and `expires` are seconds since the epoch."""

    id: str
    size: int
    created: float
    filename: str
    purpose: Purpose
    caller: str
    expires: float | None = None


def is_file_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None
