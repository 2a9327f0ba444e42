"""The adapter of each target: made for a config, kept where nothing changed, closed when nobody needs it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pointsman.app.residence import comes_and_goes, resident
from pointsman.app.targets import Served, serve_target, targets_of
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config
from pointsman.domain.target import Target
from pointsman.pipeline.residence.board import Board
from pointsman.ports.backend import Backend
from pointsman.ports.local_server import LocalServer

Pooled = Callable[[Target, BackendConfig], Served]
"""The adapter of a target that several nodes serve."""


class Adapters:
    def __init__(self, board: Board, pooled: Pooled) -> None:
        self._board = board
        self._pooled = pooled
        self._served: dict[str, Served] = {}
        self._past: dict[str, Counter[str]] = {}
        self._retired: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Iterator[str]:
        """Names of the targets."""
        return iter(self._served)

    def __len__(self) -> int:
        return len(self._served)

    def made(self, config: Config, servers: Mapping[str, LocalServer]) -> dict[str, Served]:
        """An adapter for every target; those whose settings are as before are kept. `servers` are the processes of
        embedded models. Raises Problems."""
        made: dict[str, Served] = {}
        for pairs in targets_of(config).values():
            for target, backend in pairs:
                old, server = self._served.get(target.name), servers.get(target.name)
                changing = comes_and_goes(config, backend)
                if old is not None and old.config == backend and old.server is server and old.changing == changing:
                    made[target.name] = old
                elif backend.nodes is not None:
                    made.setdefault(target.name, self._pooled(target, backend))
                elif target.name not in made:
                    served = serve_target(target, backend, server)
                    made[target.name] = resident(served, self._board) if changing else served
        return made

    def install(self, made: dict[str, Served]) -> dict[str, Served]:
        """From here on these serve. Gives those that did before; `retire` closes what is gone of them."""
        old, self._served = self._served, made
        return old

    def retire(self, old: Mapping[str, Served]) -> None:
        for name, served in old.items():
            if self._served.get(name) is not served:
                self._past[name] = self._past.get(name, Counter()) + Counter(served.backend.upstream)
                task = asyncio.create_task(served.backend.close())
                self._retired.add(task)
                task.add_done_callback(self._retired.discard)

    def backends(self) -> dict[str, Backend]:
        return {name: served.backend for name, served in self._served.items()}

    def steady_servers(self) -> list[LocalServer]:
        """Processes of embedded models that are there from the start to the end."""
        return [served.server for served in self._served.values() if served.server is not None and not served.changing]

    def upstream(self) -> dict[str, Counter[str]]:
        """What connections to each target did, those of adapters that were replaced among them."""
        now = {name: Counter(served.backend.upstream) for name, served in self._served.items()}
        for name, past in self._past.items():
            now[name] = now.get(name, Counter()) + past
        return now

    async def close(self) -> None:
        await asyncio.gather(*(served.backend.close() for served in self._served.values()), *self._retired)
