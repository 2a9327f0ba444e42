"""A piece of work for a child process, as both sides know it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from pointsman.domain.action import ActionSpec

T = TypeVar("T")
R = TypeVar("R")
FORKS = "forks"
"""The word in a child's command that lets it have tasks done by copies of itself."""
STAYS = b" \n"
"""How a line ends that a process wrote which waits for the next task; of others it ends with the newline alone."""


class Work(msgspec.Struct, Generic[T, R], frozen=True):
    """`function` is `module:name` of a function `(task, room) -> result`; the module is imported in the child only. `extra`
    is what to install where an import fails (`pointsman[maths]`). `warm`: a process that has imported it waits for the
    next task, so that none waits for the import. `forks`: on Linux it has tasks done by copies of itself, and stays; for
    work whose libraries begin no thread when they are imported (where one does, it is as without)."""

    function: str
    task: type[T]
    result: type[R]
    extra: str = "pointsman"
    warm: bool = False
    forks: bool = False


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` of wall time; `memory` is address space in bytes (None: not limited), where the system can limit it;
    `file_size` is of each file that the child writes, `answer` of what it gives back, in bytes. `cores` (ALL: as actions may
    have) and `cpu_seconds` are what it is expected to take: they say when its turn comes."""

    seconds: float = 30.0
    memory: int | None = 512 << 20
    file_size: int | None = 512 << 20
    answer: int = 16 << 20
    cores: int = 1
    cpu_seconds: float = 1.0


def limits_of(
    spec: ActionSpec, *, memory: int | None = None, file_size: int = 512 << 20, answer: int = 16 << 20
) -> Limits:
    """Those of one run of the action; `memory` where it is not as the spec has it."""
    return Limits(
        seconds=spec.seconds,
        memory=spec.memory if memory is None else memory,
        file_size=file_size,
        answer=answer,
        cores=spec.cores,
        cpu_seconds=spec.cpu_seconds,
    )


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
