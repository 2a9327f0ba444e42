"""Settings that the floors below refuse with a ValueError → a problem of the config."""

from __future__ import annotations

from pointsman.domain.errors import Problem
from pointsman.domain.said import Said


def refused(path: str, error: ValueError) -> Problem:
    """`… (valid: …)` at the end of the error's text becomes the problem's own."""
    text = error.args[0] if error.args and isinstance(error.args[0], Said) else str(error)
    message, mark, valid = text.rpartition(" (valid: ")
    if not mark:
        return Problem(path, text)
    valid = valid.removesuffix(")")
    if isinstance(text, Said):
        message_zh, _, valid_zh = text.zh.rpartition("（合法取值：")
        message, valid = Said(message, message_zh), Said(valid, valid_zh.removesuffix("）"))
    return Problem(path, message, valid=valid)
