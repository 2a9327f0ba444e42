"""Which of four ways a request went: what the console tells apart by colour, shape and letters, everywhere alike."""

from __future__ import annotations

from typing import Literal

Kind = Literal["l0", "l1", "model", "refused"]
KINDS: tuple[Kind, ...] = ("l0", "l1", "model", "refused")


def kind_of(stage: str | None, outcome: str) -> Kind:
    """`refused` is what no stage answered: turned away at the door, by a rule, for want of a target."""
    if outcome == "refused" or stage not in ("l0", "l1", "model"):
        return "refused"
    return "l0" if stage == "l0" else "l1" if stage == "l1" else "model"
