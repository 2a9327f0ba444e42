"""The rows of `bench relay`: what is asked, and how many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pointsman.bench.picked import picked
from pointsman.domain.said import Said


@dataclass(frozen=True)
class Row:
    """`parallel` counts connections; each has one request under way, those of `idle` none."""

    name: str
    kind: Literal["whole", "stream", "l0", "idle"]
    parallel: int


ROWS = {
    row.name: row
    for row in (
        Row("whole-1", "whole", 1),
        Row("whole-16", "whole", 16),
        Row("whole-64", "whole", 64),
        Row("stream-16", "stream", 16),
        Row("l0-16", "l0", 16),
        Row("idle-1000", "idle", 1000),
    )
}
QUICK = ("whole-16", "stream-16", "l0-16")
LAYERED = ("whole-16", "stream-16", "l0-16")
FOR_WORKERS = ("whole-64", "stream-16", "l0-16")
DIRECT = "direct"
"""The upstream itself, as a subject: what the latency of the others is held against."""
MEMORY = "memory"
"""Under this row the samples of what a subject holds after its start and after all load are kept."""


def rows_of(names: Sequence[str]) -> list[Row]:
    """Raises PointsmanError that lists the valid names."""
    return picked(names, ROWS, Said("row", "这一行"))
