"""A piece of work for a child process, as both sides know it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
R = TypeVar("R")


class Work(msgspec.Struct, Generic[T, R], frozen=True):
    """`function` is `module:name` of a function `(task, room) -> result`; the module is imported in the child only. `extra`
    is what to install where an import fails (`pointsman[maths]`). `warm`: a process that has imported it waits for the
    next task, so that none waits for the import."""

    function: str
    task: type[T]
    result: type[R]
    extra: str = "pointsman"
    warm: bool = False


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` of wall time; `memory` is address space in bytes (None: not limited), where the system can limit it;
    `file_size` is of each file that the child writes, `answer` of what it gives back, in bytes."""

    seconds: float = 30.0
    memory: int | None = 512 << 20
    file_size: int | None = 512 << 20
    answer: int = 16 << 20


class Room:
    """Where the child works: `folder` is this task's own and takes its temporary files, too. `seconds` is the time that it
    has been given in all."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder = folder
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the child is killed."""
        return max(self._end - time.monotonic(), 0.0)


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """The line that the child reads: what to do, and with what limits."""

    folder: str
    seconds: float
    memory: int | None
    file_size: int | None
    task: msgspec.Raw


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """ActionFailed on its way out of the child."""

    code: str
    en: str
    zh: str
    detail: str | None = None
    again: bool = False
    refused: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The line that comes back: one of the two."""

    result: Any = None
    failure: Failure | None = None
