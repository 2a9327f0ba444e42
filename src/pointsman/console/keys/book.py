"""What the page *Keys* asks of the gateway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pointsman.domain.said import Said
from pointsman.pipeline.quotas import Standing


class KeyRow(msgspec.Struct, frozen=True):
    """`name` None: clients of this machine, which need none. `requests` are those of the last 30 days; `seen` the last one,
    in seconds since the epoch, None where there was none in them."""

    name: str | None
    caller: str
    role: str | None = None
    group: str | None = None
    admin: bool = False
    looks: bool = False
    standing: Standing | None = None
    requests: int = 0
    tokens: int = 0
    seen: float | None = None


class KeyWish(msgspec.Struct, frozen=True):
    """`may` is what it may in the console: nothing, `read`, or `admin`."""

    name: str
    role: str = ""
    group: str = ""
    may: str = ""


class KeyMade(msgspec.Struct, frozen=True):
    """`key` is nowhere kept. `lines` is what stands for it in the config, `change` the difference of the file. `unwritten`
    says why it was not written, None where it was."""

    name: str
    key: str
    lines: str
    change: str = ""
    unwritten: Said | None = None


class KeyBook(Protocol):
    async def rows(self) -> Sequence[KeyRow]: ...

    async def make(self, wish: KeyWish, author: str) -> KeyMade:
        """Raises PointsmanError for a name that is taken, or that is none, and where the gateway refuses the new config:
        then the file is as it was."""
