"""A child is killed and waited for, whatever became of its pipes."""

from __future__ import annotations

import asyncio

from pointsman.child_process import killed, spawned


async def test_one_whose_output_nobody_reads() -> None:
    """Reading stops when the buffer is full, and then the end of the pipe is not seen."""
    process = await spawned("yes", stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        while not process.stdout._paused:
            await asyncio.sleep(0.01)
        await killed(process)
    assert process.returncode == -9


async def test_one_whose_pipe_another_holds() -> None:
    process = await spawned("sh", "-c", "sleep 600 & echo $!", stdout=asyncio.subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        assert int(await process.stdout.readline()) > 0
        await killed(process, session=True)
    assert process.returncode in (0, -9)
