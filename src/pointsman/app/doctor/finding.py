"""What a check has to say: what it saw, what that means, what to do."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.said import Said

Level = Literal["ok", "note", "wrong", "unknown"]
"""ok: nothing to do. note: worth knowing. wrong: something is. unknown: it could not be looked at."""


class Finding(msgspec.Struct, frozen=True):
    """`means` and `do` are there unless all is well."""

    level: Level
    saw: Said
    means: Said | None = None
    do: Said | None = None


def ok(saw: Said) -> Finding:
    return Finding("ok", saw)


def note(saw: Said, means: Said, do: Said) -> Finding:
    return Finding("note", saw, means, do)


def wrong(saw: Said, means: Said, do: Said) -> Finding:
    return Finding("wrong", saw, means, do)
