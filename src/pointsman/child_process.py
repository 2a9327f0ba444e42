"""A child process: spawned, and waited for to its end, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from typing import Any

ENDING = 2.0
"""Seconds for reading what a dead child wrote: at once, unless somebody else holds the other end."""
_LOOK = 0.5
_FIRST_LOOK = 0.01


async def spawned(*command: str, **options: Any) -> asyncio.subprocess.Process:
    """As `asyncio.create_subprocess_exec`. Cancelled in the middle, it ends the child, which uvloop would leave behind as a
    zombie."""
    spawning = asyncio.create_task(asyncio.create_subprocess_exec(*command, **options))
    try:
        return await asyncio.shield(spawning)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError):  # not spawned at all
            await killed(await spawning)
        raise


async def exited(process: asyncio.subprocess.Process) -> int:
    """Its exit status, as soon as it has ended: asyncio's own `wait` waits for its pipes, too, which may be held by whatever
    it has started, or full of what nobody reads."""
    waiting, look = asyncio.ensure_future(process.wait()), _FIRST_LOOK
    try:
        while process.returncode is None:
            await asyncio.wait({waiting}, timeout=look)
            look = min(2 * look, _LOOK)
    finally:
        waiting.cancel()
    return process.returncode


async def killed(
    process: asyncio.subprocess.Process, *, session: bool = False, reader: asyncio.Task[Any] | None = None
) -> None:
    """Kills the child, if it runs, waits for it, also where the caller is cancelled, and closes its pipes: what it wrote and
    nobody has read is lost, but `reader` may read to the end. `session`: it leads a session of its own, whose other
    processes are killed, too."""
    with contextlib.suppress(ProcessLookupError):
        if session and os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    waiting = asyncio.create_task(exited(process))
    try:
        await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await waiting
        raise
    finally:
        if reader is not None:
            await asyncio.wait({reader}, timeout=ENDING)
        # the end of a pipe may come in a later turn of the loop, which has none where it is closed now
        process._transport.close()  # type: ignore[attr-defined]


def stopped(process: subprocess.Popen[str] | subprocess.Popen[bytes], seconds: float) -> None:
    """Asks the child to stop, if it runs; kills it where it has not within so many seconds. Waits for its end."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdin:
        process.stdin.close()
