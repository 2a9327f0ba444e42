"""An external program as a child: within limits, bounded in what it says, killed and waited for whatever happens."""

from __future__ import annotations

import asyncio
import math
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from pointsman.actions.child import launch
from pointsman.actions.child.failures import timed_out
from pointsman.actions.child.work import Limits
from pointsman.child_process import killed, spawned
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

OnLine = Callable[[bytes], Awaitable[None]]
"""Takes a line that the program printed, without its end."""
LAST_WORDS = 16 << 10  # bytes of stderr that are kept, from its end
LONGEST_LINE = 1 << 16  # bytes; what is longer is passed over
NOT_STARTED = launch.NOT_STARTED

_NO_LIMITS = Said("This runs on Linux and macOS.", "此功能只能在 Linux 和 macOS 上运行。")


class Finished(msgspec.Struct, frozen=True):
    """How a program ended: `status` as the system tells it (negative: the signal that ended it; 127: it did not start), all
    that it printed, and the last of its errors."""

    status: int
    out: bytes
    errors: bytes


async def run_program(command: Sequence[str], folder: Path, limits: Limits, on_line: OnLine | None = None) -> Finished:
    """Runs `command` (an absolute path, and its arguments) in `folder`, without input, with hardly an environment.
    `limits.answer` bounds what it prints; with `on_line`, lines are handed on as they come, and not kept. Raises
    ActionFailed for time and output, and where the system cannot limit programs; what its status says is for the caller."""
    if os.name != "posix":
        raise ActionFailed("setup", _NO_LIMITS)
    order = {
        "parent": os.getpid(),
        "memory": limits.memory,
        "file_size": limits.file_size,
        "seconds": math.ceil(limits.seconds) * (os.cpu_count() or 1) + 1,
        "folder": str(folder),
    }
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LC_ALL": "C.UTF-8",
    }
    process = await spawned(
        *(sys.executable, "-I", "-S", launch.__file__, msgspec.json.encode(order).decode(), *command),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    assert process.stdout and process.stderr
    errors = asyncio.create_task(_last_of(process.stderr))
    try:
        async with asyncio.timeout(limits.seconds):
            out = await _printed(process.stdout, limits.answer, on_line)
            await process.wait()
    except TimeoutError:
        raise timed_out(limits.seconds) from None
    finally:
        try:
            await killed(process, session=True, reader=errors)
        finally:
            errors.cancel()
    last = errors.result() if errors.done() and not errors.cancelled() else b""
    return Finished(process.returncode or 0, out, last)


async def _printed(stream: asyncio.StreamReader, most: int, on_line: OnLine | None) -> bytes:
    kept = bytearray()
    while piece := await stream.read(1 << 16):
        kept += piece
        if on_line is not None:
            *lines, rest = kept.split(b"\n")
            kept = rest if len(rest) <= LONGEST_LINE else bytearray()
            for line in lines:
                await on_line(bytes(line))
        elif len(kept) > most:
            en, zh = "It printed more than the {most:,} bytes that are taken.", "输出超过上限 {most:,} 字节。"
            raise ActionFailed("too_large", said(en, zh, most=most))
    return bytes(kept)


async def _last_of(stream: asyncio.StreamReader) -> bytes:
    kept = bytearray()
    while piece := await stream.read(1 << 16):
        kept += piece
        del kept[:-LAST_WORDS]
    return bytes(kept)
