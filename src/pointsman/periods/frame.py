"""What a reading depends on besides the text."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec

Prefer = Literal["past", "future"]


class Frame(msgspec.Struct, frozen=True):
    """`today`; whether a period without a year is the latest that has begun or, with `future`, the nearest that has not
    ended; and the month in which fiscal years begin."""

    today: datetime.date
    future: bool = False
    fiscal_start: int = 1
