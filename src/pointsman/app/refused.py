"""Settings that the floors below refuse with a ValueError → a problem of the config."""

from __future__ import annotations

from pointsman.domain.errors import Problem


def refused(path: str, error: ValueError) -> Problem:
    """`… (valid: …)` at the end of the error's text becomes the problem's own."""
    said, mark, valid = str(error).rpartition(" (valid: ")
    return Problem(path, said, valid=valid.removesuffix(")")) if mark else Problem(path, str(error))
