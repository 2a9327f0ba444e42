"""What the page *Keys* asks of the gateway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pointsman.domain.said import Said
from pointsman.pipeline.quotas import Standing

MONTH = 30 * 86_400.0
"""Seconds back to which what a key asked is looked at."""


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


class KeyLeaving(msgspec.Struct, frozen=True):
    """A key that is to be taken back. `change` is the difference of the file, as it was with the mark `mark`; `unwritten`
    says why the gateway cannot write it, None where it can. `last_admin`: no other key may change things here. `open`: this
    machine needs no key."""

    row: KeyRow
    change: str = ""
    mark: str = ""
    unwritten: Said | None = None
    last_admin: bool = False
    open: bool = True


class KeyBook(Protocol):
    async def rows(self) -> Sequence[KeyRow]: ...

    async def make(self, wish: KeyWish, author: str) -> KeyMade:
        """Raises PointsmanError for a name that is taken, or that is none, and where the gateway refuses the new config:
        then the file is as it was."""

    async def leaving(self, name: str) -> KeyLeaving:
        """Raises PointsmanError where there is no such key."""

    async def take_back(self, name: str, mark: str, author: str) -> KeyLeaving:
        """Takes it out of the file with that `mark`. Raises PointsmanError where there is no such key, where the file is
        another one by now or cannot be written, and where the gateway refuses the new config: then it is as it was."""
