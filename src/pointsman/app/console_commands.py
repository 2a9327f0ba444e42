"""Commands of Pointsman that the console has done for it, each in a process of its own beside the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from pointsman.child_process import killed, spawned

_KEPT = 200
"""Lines of what it says beside its result that are kept, the last ones."""


async def done(
    command: Sequence[str],
    longest: float,
    *,
    environment: Mapping[str, str] | None = None,
    hear: Callable[[str], bool] = lambda line: False,
) -> tuple[bytes, str]:
    """What it prints, and what it says on stderr: each line of that is `hear`d as it comes, and left out where that takes
    it. Ends the command with all that it started, whatever happens. Raises TimeoutError after `longest` seconds."""
    pipe = asyncio.subprocess.PIPE
    process = await spawned(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        async with asyncio.timeout(longest):
            printed, said = await asyncio.gather(process.stdout.read(), _lines(process.stderr, hear))
            return printed, said
    finally:
        await killed(process, session=True)


async def _lines(source: asyncio.StreamReader, hear: Callable[[str], bool]) -> str:
    kept: list[str] = []
    while True:
        try:
            line = await source.readline()
        except ValueError:  # longer than anybody reads
            continue
        if not line:
            return "".join(kept).strip()
        text = line.decode(errors="replace")
        if not hear(text.strip()):
            kept = [*kept[-_KEPT:], text]
