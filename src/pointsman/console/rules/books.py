"""What the pages of rules ask of the gateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from pointsman.console.rules.told import Answer, Job, Reviewed
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import Said


class RulePlace(msgspec.Struct, frozen=True):
    """A rule file that the config names. `label` is as rules of it name their source; `ships`: it comes with the
    gateway, and is for reading only."""

    path: Path
    pack: str
    label: str
    guard: bool
    ships: bool


class Hits(msgspec.Struct, frozen=True):
    """What a rule took: `days` are (beginning of the day, requests), `last` the beginning of the hour of its last
    hit; seconds since the epoch."""

    total: int
    last: float | None
    days: Sequence[tuple[float, int]]


class Taken(msgspec.Struct, frozen=True):
    """What came of a reload: `before` and `policy` are the hashes of the policies; `refused` says why there was
    none."""

    policy: str
    before: str = ""
    notes: Sequence[str] = ()
    refused: Said | None = None


class Books(Protocol):
    @property
    def policy(self) -> tuple[PolicyDocument, str]:
        """What is in force, and its hash."""

    @property
    def folder(self) -> Path:
        """Where history and drafts are kept."""

    @property
    def known(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Who may be named in conditions: roles, keys, groups."""

    def places(self) -> Sequence[RulePlace]:
        """All rule files. Reads the disk."""

    def hits(self, since: float, until: float) -> Mapping[str, Hits]:
        """What each rule took, by its id. Reads the disk."""

    def review(self) -> Reviewed | None:
        """The newest there is; None while it is being made."""

    def review_failed(self) -> Said | None:
        """Why there is none, where it could not be made."""

    async def ask(self, job: Job) -> Answer:
        """Raises PointsmanError."""

    async def reload(self) -> Taken:
        """Never raises for what is wrong with the config: that is told."""
