"""A file that a client sent, or that a batch made for it, and what is known of it."""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec

Sent = Literal["batch", "user_data", "assistants", "vision"]
"""What a client sends a file for: as the input of a batch, or, of any type, for what it asks later."""
Purpose = Sent | Literal["batch_output"]
"""And what a batch made."""
SENT: tuple[Sent, ...] = get_args(Sent)
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
