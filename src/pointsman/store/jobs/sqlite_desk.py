"""A thread that does what is asked of it, all that waits at once, and tells the event loop once."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any

from pointsman.domain.said import Said
from pointsman.ports.job_store import StoreError


class Asked:
    """`what(*args)` is to be done; then `result` or `error` is set."""

    __slots__ = ("args", "error", "future", "result", "what")

    def __init__(self, what: Callable[..., Any], args: tuple[Any, ...], future: asyncio.Future[Any]) -> None:
        self.what = what
        self.args = args
        self.future = future
        self.result: Any = None
        self.error: Exception | None = None


class Desk:
    """`do` gets all that was asked while it did the last, in the thread, and sets result or error of each. What is asked
    in one turn of the event loop comes together: those whom one answer wakes are served by the next.

    Of what was called off before its turn came nothing is done."""

    def __init__(self, name: str, do: Callable[[Sequence[Asked]], None], leave: Callable[[], None]) -> None:
        self._do = do
        self._leave = leave
        self._open: list[Asked] = []
        self._brought: queue.SimpleQueue[list[Asked] | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def ask(self, what: Callable[..., Any], *args: Any) -> Any:
        """Raises StoreError once it is closed, and whatever `do` noted."""
        if self._closed:
            raise StoreError(Said("the job store is closed", "任务库已关闭"))
        loop = asyncio.get_running_loop()
        asked = Asked(what, args, loop.create_future())
        if not self._open:
            loop.call_soon(self._bring)
        self._open.append(asked)
        return await asked.future

    async def close(self) -> None:
        """Does what was asked, and `leave` in the thread."""
        if not self._closed:
            self._closed = True
            self._bring()
            self._brought.put(None)
        await asyncio.to_thread(self._thread.join)

    def _bring(self) -> None:
        if self._open:
            self._brought.put(self._open)
            self._open = []

    def _run(self) -> None:
        last = False
        while not last:
            taken = [self._brought.get()]
            with contextlib.suppress(queue.Empty):
                while True:
                    taken.append(self._brought.get_nowait())
            last = None in taken
            batch = [asked for some in taken if some for asked in some if not asked.future.cancelled()]
            if batch:
                self._do(batch)
                with contextlib.suppress(RuntimeError):  # the loop is closed, nobody waits any more
                    batch[0].future.get_loop().call_soon_threadsafe(_tell, batch)
        self._leave()


def _tell(batch: Sequence[Asked]) -> None:
    for asked in batch:
        if asked.future.done():
            continue
        if asked.error is None:
            asked.future.set_result(asked.result)
        else:
            asked.future.set_exception(asked.error)
