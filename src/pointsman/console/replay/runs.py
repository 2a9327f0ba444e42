"""What the page *Replay* asks of the gateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from pointsman.console.shared_run import RunSeen
from pointsman.console.words import Words


class Behind(msgspec.Struct, frozen=True):
    """The requests behind a figure, in that row and column of the table (both from 0; no column: in that line): `ids` of
    some of them, or None, and then all of the period with these `fields` of the log."""

    row: int
    column: int | None
    fields: Mapping[str, str] = {}
    ids: Sequence[str] | None = None


class Part(msgspec.Struct, frozen=True):
    """Of the report: sentences and a table, of which the columns in `numbers` are figures. A row of one cell is a note to
    the one before."""

    title: Words | None = None
    lines: Sequence[Words] = ()
    heads: Sequence[Words] = ()
    rows: Sequence[Sequence[Words]] = ()
    numbers: Sequence[int] = ()
    behind: Sequence[Behind] = ()


class ReplayWish(msgspec.Struct, frozen=True):
    """`span` of the log (7d). `weights` by their names (quality, latency, cost) stand in place of those of the config, which
    is `file` where one is named, else the one that is in force."""

    span: str
    file: str | None = None
    weights: Mapping[str, tuple[float, float, float]] = {}


class Replayed(msgspec.Struct, frozen=True):
    """`at` is seconds since the epoch, `took` seconds. The period is from `since` until `until`."""

    wish: ReplayWish
    at: float
    since: float
    until: float
    took: float
    requests: int
    compared: int
    moved: int
    moved_share: float
    report: Sequence[Part]


class ReplayRuns(Protocol):
    """One at a time."""

    @property
    def weights(self) -> Mapping[str, tuple[float, float, float]]:
        """Those in force."""

    @property
    def scored(self) -> Sequence[str]:
        """Entries whose targets are scored by weights."""

    async def seen(self) -> RunSeen[Replayed]: ...

    def files(self) -> Sequence[str]:
        """Configs beside the one in force, by their names. Reads the disk."""

    def begin(self, wish: ReplayWish) -> None:
        """Raises PointsmanError where one is under way, and for a file that is not among those."""

    async def stop(self) -> None:
        """Gives the one under way up, whichever process of the gateway has begun it."""
