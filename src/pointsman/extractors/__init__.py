"""Values that a text holds: numbers, amounts, files, code, SQL, addresses, cards, secrets. Pure; linear in the text."""

from __future__ import annotations

from pointsman.domain.extract import KINDS, Extract
from pointsman.extractors.extract import extract, may_hold

__all__ = ["KINDS", "Extract", "extract", "may_hold"]
