"""Texts as points in space, near where they mean the same."""

from __future__ import annotations

from array import array
from typing import Protocol, TypeAlias

Vector: TypeAlias = "array[float]"
"""Of type `f`, of unit length: the likeness of two is their inner product."""


class Embed(Protocol):
    """Texts → vectors, one for each, all of one length. Long texts are cut to their beginning."""

    @property
    def model(self) -> str | None:
        """Which model, and which version of it: vectors of two are not comparable. None: none is installed."""

    async def __call__(self, texts: list[str], *, query: bool = False, tokens: int | None = None) -> list[Vector]:
        """`query`: they are questions; else they are passages that questions are compared with. Questions are compared with
        questions, too. `tokens`: how much of each is read at most, where that is less than usual. Raises ActionFailed where
        no model is installed, or it does not work now."""
