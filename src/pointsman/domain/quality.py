"""How good a model is at a kind of work: figures that were measured beforehand, and what people's feedback moves them by."""

from __future__ import annotations

import msgspec


class Quality(msgspec.Struct, frozen=True, gc=False):
    """`value` 0 to 1 is the mean grade of `model` (its real name) over `weight` gradings of tasks of type `task`; None: over
    all of them."""

    model: str
    task: str | None
    value: float
    weight: int = 1


class QualityShift(msgspec.Struct, frozen=True, gc=False):
    """By how much callers' feedback moves a model's quality at tasks of type `task` (None: at all): hundredths, -1 to 1."""

    model: str
    task: str | None
    shift: float
