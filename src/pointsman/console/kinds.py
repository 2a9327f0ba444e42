"""Which way a request went: what the console tells apart by colour, shape and letters, everywhere alike."""

from __future__ import annotations

from typing import Literal

Kind = Literal["l0", "l1", "model", "refused", "none"]
KINDS: tuple[Kind, ...] = ("l0", "l1", "model", "refused")
"""Those of requests of which something was decided; the rest never came so far."""


def kind_of(stage: str | None, outcome: str | None) -> Kind:
    """`refused` wherever it was refused; else the level that answered."""
    if outcome == "refused":
        return "refused"
    return "l0" if stage == "l0" else "l1" if stage == "l1" else "model" if stage == "model" else "none"
