"""Names that somebody chose on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

T = TypeVar("T")


def picked(names: Sequence[str], known: Mapping[str, T], what: Said) -> list[T]:
    """What they stand for, in their order. Raises PointsmanError that lists the valid names.

    `what` they are names of: a noun in English, with its 这 in Chinese (row, 这一行)."""
    for name in names:
        if name not in known:
            raise PointsmanError(
                said(
                    "there is no {what} {name} (valid: {valid})",
                    "没有 {name} {what}（合法取值：{valid}）",
                    what=what,
                    name=name,
                    valid=", ".join(known),
                )
            )
    return [known[name] for name in names]
