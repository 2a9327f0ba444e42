"""The gateway with a watch on its event loop, which knows how late the loop calls what is due.

Run as `python -m pointsman.bench.watched serve …` with BENCH_WATCH naming a file of `SIZE` zero bytes, which both sides
map: the bench writes 1 into its first byte to have the loop watched, the watch keeps the worst delay (a double, in µs) in
the last eight."""

from __future__ import annotations

import asyncio
import mmap
import os
import runpy
import struct
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import uvloop

SIZE = 16
TICK = 0.001  # seconds between two looks; a stall is seen to within that
RESTING = 0.05  # seconds until the next look at the first byte


class Watch:
    """The bench's side of the file."""

    def __init__(self, file: Path) -> None:
        file.write_bytes(bytes(SIZE))
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), SIZE)

    def begin(self) -> None:
        self._shared[8:16] = bytes(8)
        self._shared[0] = 1

    def end(self) -> float:
        """The worst delay since `begin`, µs."""
        self._shared[0] = 0
        worst: float = struct.unpack("d", self._shared[8:16])[0]
        return worst


async def _watched(main: Coroutine[Any, Any, Any], shared: mmap.mmap) -> Any:
    loop = asyncio.get_running_loop()

    def look(due: float) -> None:
        now = time.perf_counter()  # uvloop's own clock counts whole milliseconds
        late = (now - due) * 1e6
        if shared[0]:
            if late > struct.unpack("d", shared[8:16])[0] and due > began[0]:
                shared[8:16] = struct.pack("d", late)
            wait = TICK
        else:
            began[0] = now + RESTING + TICK
            wait = RESTING
        loop.call_later(wait, look, now + wait)

    began = [0.0]
    look(time.perf_counter())
    return await main


if __name__ == "__main__":
    with Path(os.environ["BENCH_WATCH"]).open("r+b") as watched:
        mapped = mmap.mmap(watched.fileno(), SIZE)
    plain = uvloop.run

    def run(main: Coroutine[Any, Any, Any], **options: Any) -> Any:
        return plain(_watched(main, mapped), **options)

    uvloop.run = run
    sys.argv[0] = "pointsman"
    runpy.run_module("pointsman", run_name="__main__")
