"""Every so many calls an engine forgets the prompts that it keeps: models are said to drift as their cache fills."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pointsman.domain.said import Said, said
from pointsman.ports.backend import BackendFailure

TIME = 1.0
"""Seconds that a call waits for it at most."""


class Busy(Exception):
    """Prompts are in use: not now."""


class NoReset(Exception):
    """The server does not do it. `problem` says how it would."""

    def __init__(self, problem: Said) -> None:
        super().__init__(problem)
        self.problem = problem


class CacheReset:
    """Counts the calls of one backend. `every` None: never. What cannot be done now is tried before the next call again."""

    def __init__(self, every: int | None, reset: Callable[[], Awaitable[None]]) -> None:
        self._every = every
        self._reset = reset
        self._calls = 0
        self._under_way = False
        self.done = 0
        self.problem: Said | None = None

    @property
    def counts(self) -> bool:
        """Whether calls lead to anything."""
        return self._every is not None

    async def before_call(self) -> None:
        """Resets where it is due. Never raises for a fault of the engine; what stands in the way is `problem`."""
        if self._every is None:
            return
        if self._calls >= self._every and not self._under_way:
            self._under_way = True
            try:
                await self._try()
            finally:
                self._under_way = False
        self._calls += 1

    async def _try(self) -> None:
        try:
            async with asyncio.timeout(TIME):
                await self._reset()
        except NoReset as refused:
            self.problem, self._every = refused.problem, None
        except (Busy, BackendFailure, TimeoutError):
            pass
        else:
            self._calls, self.done, self.problem = 0, self.done + 1, None


def not_found(where: Said, status: int, advice: Said) -> NoReset:
    text = said(
        "{where} does not reset its cache (status {status}): {advice}",
        "{where}不能清空缓存（状态码 {status}）：{advice}",
        where=where,
        status=status,
        advice=advice,
    )
    return NoReset(text)
