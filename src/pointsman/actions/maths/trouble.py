"""What can be wrong with a calculation that was understood, said to the person who asked."""

from __future__ import annotations

from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed


def undefined() -> ActionFailed:
    return ActionFailed(
        "undefined",
        Said("This is not defined (for instance a division by zero).", "这个式子没有意义（例如除数为零）。"),
        refused=True,
    )


def unsolved() -> ActionFailed:
    en = "No exact result was found for this, and it has no plain number as an approximation."
    return ActionFailed("unsolved", Said(en, "没有求出精确结果，也无法给出近似值。"))


def wrong_kind(en: str, zh: str) -> ActionFailed:
    return ActionFailed("refused", Said(en, zh), refused=True)


class TimeUp(Exception):
    """The time for one part of the work is over."""
