"""Reading the config again: one reload at a time, and what came of the last one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.app.build import before
from pointsman.app.reading import Origin, read_apart
from pointsman.app.setup import Setup
from pointsman.app.watching import Seen, unchanged, watch
from pointsman.config.restart import restart_needed
from pointsman.domain.errors import Problems
from pointsman.domain.said import Said, said

log = logging.getLogger("pointsman")

Install = Callable[[], Awaitable[None]]


class Reloads:
    """`origin` is where the config is read again. `setup` is what holds now, `refused` why the last reload was refused, if
    it was; `seen` are the files that the config was read from, as they were. `counted` hears each outcome, `ok` or
    `refused`."""

    def __init__(self, setup: Setup, origin: Origin, seen: Seen, counted: Callable[[str], None]) -> None:
        self.setup = setup
        self.refused: Said | None = None
        self.seen = seen
        self._started = setup.config
        self._origin = origin
        self._counted = counted
        self._lock = asyncio.Lock()

    async def watch(self, reload: Callable[[], Awaitable[Any]]) -> None:
        """Reloads whenever one of the files changed, while the config says so; until it is cancelled."""

        async def changed() -> None:
            async with self._lock:
                known = unchanged(self.seen)  # whoever reloaded meanwhile has read them as they are
            if not known:
                await reload()

        await watch(lambda: self.seen if self.setup.config.server.watch else {}, changed)

    async def take(self, prepare: Callable[[Setup], Install]) -> dict[str, Any]:
        """Reads in a process of its own; `prepare` makes what is needed for it and says how to install that. Raises
        Problems, also those of `prepare`; then the old one goes on. What it returns is for whoever asked."""
        async with self._lock:
            return await self._take(prepare)

    async def _take(self, prepare: Callable[[Setup], Install]) -> dict[str, Any]:
        try:
            read = await read_apart(self._origin, before(self.setup))
            self.seen = read.seen or self.seen
            if read.setup is None:
                assert read.problems is not None
                raise read.problems
            setup, install = read.setup, prepare(read.setup)
        except Problems as error:
            self.refused = error.said
            self._counted("refused")
            refused = Said("reload refused, the old config goes on:\n%s", "重新加载被拒绝，继续用原来的配置：\n%s")
            log.error(refused, error.said)
            raise
        old = self.setup.policy.hash
        later = [
            said("{name} has changed; it counts from the next start on", "{name} 已修改，下次启动时生效", name=name)
            for name in restart_needed(self._started, setup.config)
        ]
        self.refused = None
        await install()
        self.setup = setup
        self._counted("ok")
        log.info(Said("reloaded: policy %s → %s", "已重新加载：策略 %s → %s"), old, setup.policy.hash)
        for note in later:
            log.warning(note)
        return {"policy": setup.policy.hash, "before": old, "notes": [*setup.notes, *later]}
