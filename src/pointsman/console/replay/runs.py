"""What the page *Replay* asks of the gateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from pointsman.console.words import Words
from pointsman.domain.said import Said


class Part(msgspec.Struct, frozen=True):
    """Of the report: sentences and a table, of which the columns in `numbers` are figures. A row of one cell is a note to
    the one before."""

    title: Words | None = None
    lines: Sequence[Words] = ()
    heads: Sequence[Words] = ()
    rows: Sequence[Sequence[Words]] = ()
    numbers: Sequence[int] = ()


class ReplayWish(msgspec.Struct, frozen=True):
    """`span` of the log (7d). `weights` by their names (quality, latency, cost) stand in place of those of the config, which
    is `file` where one is named, else the one that is in force."""

    span: str
    file: str | None = None
    weights: Mapping[str, tuple[float, float, float]] = {}


class Replayed(msgspec.Struct, frozen=True):
    """`at` is seconds since the epoch, `took` seconds."""

    wish: ReplayWish
    at: float
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

    @property
    def since(self) -> float | None:
        """When the one that is under way began, in seconds since the epoch; None: none is."""

    @property
    def found(self) -> Replayed | None:
        """By the last one that came to its end."""

    @property
    def failed(self) -> Said | None:
        """Why the last one came to nothing, if it did."""

    def files(self) -> Sequence[str]:
        """Configs beside the one in force, by their names. Reads the disk."""

    def begin(self, wish: ReplayWish) -> None:
        """Raises PointsmanError where one is under way, and for a file that is not among those."""

    async def stop(self) -> None:
        """Gives the one under way up."""
