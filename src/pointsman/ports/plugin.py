"""What a function of somebody else's package works with when it is an action."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pointsman.domain.said import Tongue


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """For a parameter of this type: who asks, in which language; `folder` is this run's own, and files that the function
    writes there can be given back; `seconds` is the time that it has."""

    request_id: str
    language: Tongue
    caller: str
    user: str | None
    folder: Path
    seconds: float


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What the function gives, where a text is not enough: `text` is told to the person, `values` (JSON) are for the steps
    after it, `files` are names of files in the context's folder. `refused`: it did nothing on purpose, and the text says
    why."""

    text: str = ""
    values: dict[str, Any] = {}
    files: tuple[str, ...] = ()
    refused: bool = False
