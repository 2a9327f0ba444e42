"""A child process: spawned, and waited for to its end, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from typing import Any


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


async def killed(process: asyncio.subprocess.Process, *, session: bool = False) -> None:
    """Kills the child, if it runs, and waits for it, also where the caller is cancelled. `session`: it leads a session of
    its own, whose other processes are killed, too."""
    with contextlib.suppress(ProcessLookupError):
        if session and os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    waiting = asyncio.create_task(process.wait())
    try:
        await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await waiting
        raise
    finally:
        if process.stdin:
            process.stdin.close()


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
