"""`ports.Embed` over a process that is started when first needed, and ended when it was not for a while."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from array import array

from pointsman.child_process import killed, spawned
from pointsman.domain.said import Said, said
from pointsman.embedding.frames import HEAD, Wanted, decode_vectors, framed, length, tidied
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Vector

log = logging.getLogger("pointsman")
COMMAND = (sys.executable, "-m", "pointsman.embedding.program")
IDLE = 300.0
"""Seconds without a question after which its memory is given back."""
AT_ONCE = 8
"""Texts of one turn: who comes meanwhile waits for no more than that."""
LONGEST = 60.0
"""Seconds for a turn, loading the model included."""
_SAMPLE_SIZE = array("f").itemsize
_BROKEN = Said("The embedding model does not answer. Please try again in a moment.", "向量模型没有响应，请稍后重试。")


class E5:
    """For one event loop. One process, which does one turn after the other; a turn that is cancelled is still done, for
    whoever comes next reads what comes next."""

    def __init__(self, model: str, command: tuple[str, ...] = COMMAND, idle: float = IDLE) -> None:
        self.model: str | None = model
        self._command = command
        self._idle = idle
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._turns: set[asyncio.Task[list[Vector]]] = set()
        self._cooling: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __call__(self, texts: list[str], *, query: bool = False, tokens: int | None = None) -> list[Vector]:
        found: list[Vector] = []
        for at in range(0, len(texts), AT_ONCE):
            task = asyncio.create_task(self._one(texts[at : at + AT_ONCE], query, tokens))
            self._turns.add(task)
            task.add_done_callback(self._over)
            found += await asyncio.shield(task)
        return found

    async def retire(self) -> None:
        """Nobody new will ask."""
        async with self._turn:
            await self.close()

    async def close(self) -> None:
        """Ends it, with all that is under way."""
        self._closed = True
        if self._cooling is not None:
            self._cooling.cancel()
        await self._end()
        await asyncio.gather(*self._turns, *self._ending, return_exceptions=True)

    def _over(self, task: asyncio.Task[list[Vector]]) -> None:
        self._turns.discard(task)
        if not task.cancelled():
            task.exception()  # heard, also where nobody waits any more

    async def _one(self, texts: list[str], query: bool, tokens: int | None) -> list[Vector]:
        async with self._turn:
            if self._closed:
                raise ActionFailed("embedding", _BROKEN, again=True)
            if self._cooling is not None:
                self._cooling.cancel()
            try:
                async with asyncio.timeout(LONGEST):
                    return await self._exchange(Wanted(list(map(tidied, texts)), query, tokens))
            except (OSError, EOFError, TimeoutError, ValueError) as error:
                await self._end()
                detail = type(error).__name__
                if not self._closed:
                    log.error(said("the embedding model broke off: {why}", "向量模型中断：{why}", why=detail))
                raise ActionFailed("embedding", _BROKEN, detail=detail, again=True) from None
            except BaseException:
                await self._end()
                raise
            finally:
                if not self._closed:
                    self._cooling = asyncio.get_running_loop().call_later(self._idle, self._cool)

    async def _exchange(self, wanted: Wanted) -> list[Vector]:
        process = self._process
        if process is None or process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            process = self._process = await spawned(
                *self._command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, start_new_session=True
            )
        assert process.stdin and process.stdout
        process.stdin.write(framed(wanted))
        await process.stdin.drain()
        head = await process.stdout.readexactly(HEAD)
        got = decode_vectors(await process.stdout.readexactly(length(head)))
        step = got.size * _SAMPLE_SIZE
        if step <= 0 or len(got.floats) != step * len(wanted.texts):
            raise ValueError("vectors of another number")
        return [_vector(got.floats[at : at + step]) for at in range(0, len(got.floats), step)]

    def _cool(self) -> None:
        self._cooling = None
        task = asyncio.create_task(self._cooled())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _cooled(self) -> None:
        async with self._turn:
            if self._cooling is None:  # nobody came meanwhile
                await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                await killed(process, session=True)


def _vector(floats: bytes) -> Vector:
    vector: Vector = array("f")
    vector.frombytes(floats)
    return vector
