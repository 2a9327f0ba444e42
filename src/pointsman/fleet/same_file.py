"""Who else on this machine has a model's file in memory: a second instance takes the memory twice."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import msgspec
import psutil

from pointsman.domain.said import Said, said

_LEAST = 8 << 20
"""Bytes in memory below which a process holds no model."""


class Holder(msgspec.Struct, frozen=True):
    """A process that has the file mapped into its memory, or names it on its command line."""

    pid: int
    name: str


def holders(path: Path, within: float = 0.2) -> list[Holder]:
    """As far as we may see, and as one gets in so many seconds; blocking, mostly some ms. Linux alone can tell of maps."""
    wanted, over = str(path.resolve()), time.monotonic() + within
    found = []
    for process in psutil.process_iter():
        if time.monotonic() > over:
            break
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.memory_info().rss >= _LEAST and _holds(process, wanted):
                found.append(Holder(process.pid, process.name()))
    return found


def note_of(path: Path, held: list[Holder]) -> Said | None:
    """What to tell of it, None where nobody has it."""
    if not held:
        return None
    return said(
        "{path} is in the memory of {who} already: this is a second instance of the model, which takes its memory twice",
        "{who} 已经把 {path} 装进内存：这是同一模型的第二个实例，内存要占两份",
        path=path,
        who=", ".join(f"{each.name} (pid {each.pid})" for each in held[:3]),
    )


def _holds(process: psutil.Process, wanted: str) -> bool:
    if wanted in process.cmdline():
        return True
    maps = Path(f"/proc/{process.pid}/maps")
    return maps.exists() and f" {wanted}\n".encode() in maps.read_bytes()
