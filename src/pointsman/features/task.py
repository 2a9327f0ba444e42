"""The kinds of work that a request shows without doubt: a picture that came along, and a greeting that is nothing else. All
others are told by a trained model (`routing/classifier/`), where nobody declared them."""

from __future__ import annotations

from pointsman.features.sieve import Marks
from pointsman.features.signs import IS_GREETING

_SHORT = 60  # a longer text is no mere greeting


def evident_task(question: str, images: int, marks: Marks) -> str | None:
    """`marks` are what SIGNS found in the question."""
    if images:
        return "vision"
    return "greeting" if IS_GREETING in marks and len(question) <= _SHORT else None
