"""How many connections each of several processes has, in memory that all of them see."""

from __future__ import annotations

import mmap
import os
import tempfile

ABSENT = 0xFFFFFFFF
_SIZE = 4  # bytes of a number


def shared_memory(places: int) -> int:
    """A handle to room for so many numbers, for whoever inherits it; nobody is there yet."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("pointsman-crowd")
    else:
        with tempfile.TemporaryFile() as file:
            handle = os.dup(file.fileno())
    os.write(handle, ABSENT.to_bytes(_SIZE, "little") * places)
    return handle


class Crowd:
    """`handle` is one that `shared_memory` gave. Each process writes in its own place alone, counted from 0; whoever started
    it writes there when it is gone."""

    def __init__(self, handle: int) -> None:
        self._numbers = memoryview(mmap.mmap(handle, 0)).cast("I")

    def publish(self, place: int, connections: int) -> None:
        self._numbers[place] = connections

    def fewest(self) -> int:
        """What the process has that has the fewest; ABSENT where there is none."""
        return min(self._numbers)
