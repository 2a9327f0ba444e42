"""Sizes of memory as people write and read them. Powers of 1024 whatever the letters: a card sold with 24 GB has 24 GiB."""

from __future__ import annotations

import re

from pointsman.domain.said import said
from pointsman.memory.network import MOST, Unreadable

MIB = 1 << 20
_SIZE = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE | re.ASCII)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def parse_bytes(text: str) -> int:
    """Bytes of `24GiB`, `24 GB`, `512MiB`, `1.5g`, `4096`. Raises Unreadable for what is none, and for nothing."""
    found = _SIZE.fullmatch(text)
    size = int(float(found[1]) * 1024 ** _POWERS[found[2].upper()]) if found else 0
    if not 0 < size <= MOST:
        raise Unreadable(
            said(
                "{text!r} is no size (valid: 24GiB, 512MiB)", "{text!r} 不是容量（合法写法：24GiB、512MiB）", text=text
            )
        )
    return size


def shown(size: int) -> str:
    """`1,234.5 MiB`: one unit for all, so that figures stand under each other."""
    return f"{size / MIB:,.1f} MiB"
