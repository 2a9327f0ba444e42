"""Reading the config again: one reload at a time, and what came of the last one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.app.build import Built, build
from pointsman.config.load import Loaded
from pointsman.config.restart import restart_needed
from pointsman.domain.errors import Problems
from pointsman.domain.said import Said, said

log = logging.getLogger("pointsman")

Install = Callable[[], Awaitable[None]]


class Reloads:
    """`reload_from` reads the config again. `built` is what holds now, `refused` why the last reload was refused, if it
    was. `counted` hears each outcome, `ok` or `refused`."""

    def __init__(self, built: Built, reload_from: Callable[[], Loaded], counted: Callable[[str], None]) -> None:
        self.built = built
        self.refused: Said | None = None
        self._started = built.config
        self._reload_from = reload_from
        self._counted = counted
        self._lock = asyncio.Lock()

    async def take(self, prepare: Callable[[Built], Install]) -> dict[str, Any]:
        """Reads and compiles off the event loop; `prepare` makes what is needed for it and says how to install that. Raises
        Problems, also those of `prepare`; then the old one goes on. What it returns is for whoever asked."""
        async with self._lock:
            try:
                built = await asyncio.to_thread(lambda: build(self._reload_from(), self.built))
                install = prepare(built)
            except Problems as error:
                self.refused = error.said
                self._counted("refused")
                refused = Said("reload refused, the old config goes on:\n%s", "重新加载被拒绝，继续用原来的配置：\n%s")
                log.error(refused, error.said)
                raise
            old = self.built.policy.hash
            later = [
                said("{name} has changed; it counts from the next start on", "{name} 已修改，下次启动时生效", name=name)
                for name in restart_needed(self._started, built.config)
            ]
            self.refused = None
            await install()
            self.built = built
            self._counted("ok")
            log.info(Said("reloaded: policy %s → %s", "已重新加载：策略 %s → %s"), old, built.policy.hash)
            for note in later:
                log.warning(note)
            return {"policy": built.policy.hash, "before": old, "notes": [*built.notes, *later]}
