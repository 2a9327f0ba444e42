"""What `serve` runs: one process, or one that listens and several that serve; either in the same words."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Protocol

from pointsman.app.build import Built, keep_asked
from pointsman.app.data_folder import usable
from pointsman.app.gateway import App
from pointsman.app.handover.messages import Questions
from pointsman.app.reading import Origin
from pointsman.cli.event_loop import KEEP_ALIVE
from pointsman.config.schema import Config
from pointsman.domain.said import Tongue
from pointsman.http.server import Server
from pointsman.loaded import loaded


class Served(Protocol):
    """A gateway from its start to its end. `listener` listens, and is not closed by it."""

    async def start(self) -> None:
        """Raises Problem where it cannot serve. It may take no connections yet; then `open` is to follow."""

    async def open(self) -> None:
        """Takes connections."""

    async def settled(self, timeout: float) -> None:
        """Waits until every model is up or has failed once, and every target has been probed."""

    def readiness(self) -> tuple[bool, list[str], list[str]]:
        """Whether it is ready, which targets are up, and what a person should know."""

    async def reload(self) -> dict[str, Any]: ...

    def engine_memory(self) -> int:
        """Bytes that models take which it runs itself."""

    def questions(self) -> Questions:
        """Those that it asked and that are not answered yet."""

    async def take_in(self, questions: Questions) -> None:
        """Somebody else asked them."""

    @property
    def config(self) -> Config:
        """As it is now."""

    async def stop(self, grace: float, linger: float, jobs: float) -> None:
        """Takes no more connections. Requests under way have `grace` seconds, jobs `jobs`; idle connections close after
        `linger`. Nothing is left of it then. It may not have been started."""

    def hurry(self, grace: float) -> None:
        """While it stops: requests under way have so many seconds from now on."""


class Alone:
    """One process that serves. Raises Problem where the data folder cannot be used."""

    def __init__(self, built: Built, origin: Origin, listener: socket.socket) -> None:
        with usable(built.config):
            self._app = App(built, origin)
        keep_asked(built)
        self._listener = listener
        self._server = Server(self._app.door, keep_alive=KEEP_ALIVE)
        self._started = False

    async def start(self) -> None:
        self._started = True
        await self._app.start()
        loaded()

    async def open(self) -> None:
        await self._server.listen(self._listener.dup())

    async def settled(self, timeout: float) -> None:
        await self._app.settled(timeout)

    def readiness(self) -> tuple[bool, list[str], list[str]]:
        ready, state = self._app.readiness()
        up = [entry["target"] for entry in state["targets"] if entry["health"] == "up"]
        return ready, up, [*self._app.setup.notes, *state["problems"]]

    async def reload(self) -> dict[str, Any]:
        return await self._app.reload()

    def engine_memory(self) -> int:
        return self._app.engine_memory()

    def questions(self) -> Questions:
        return list(self._app.questions)

    async def take_in(self, questions: Questions) -> None:
        for session, question in questions:
            self._app.questions.keep(session, question)

    @property
    def config(self) -> Config:
        return self._app.setup.config

    async def stop(self, grace: float, linger: float, jobs: float) -> None:
        if self._started:
            await asyncio.gather(self._server.close(grace, linger), self._app.rest(jobs))
            await self._app.stop()

    def hurry(self, grace: float) -> None:
        self._server.hurry(grace)


class Several:
    """One process that listens, and several that serve. `opened`: they take connections from the start."""

    def __init__(
        self, built: Built, origin: Origin, listener: socket.socket, level: str, tongue: Tongue, *, opened: bool
    ) -> None:
        from pointsman.app.workers.hub import Hub  # one process does without them
        from pointsman.cli import serve_member

        with usable(built.config):
            self._hub = Hub(built, origin, serve_member.command(level, tongue), listener, listens=opened)
        keep_asked(built)

    async def start(self) -> None:
        await self._hub.start()

    async def open(self) -> None:
        await self._hub.open()

    async def settled(self, timeout: float) -> None:
        await self._hub.settled(timeout)

    def readiness(self) -> tuple[bool, list[str], list[str]]:
        ready, up, problems = self._hub.readiness()
        return ready, up, [*self._hub.setup.notes, *problems]

    async def reload(self) -> dict[str, Any]:
        return await self._hub.reload()

    def engine_memory(self) -> int:
        return self._hub.engine_memory()

    def questions(self) -> Questions:
        return list(self._hub.questions)

    async def take_in(self, questions: Questions) -> None:
        from pointsman.app.workers.messages import Change

        for session, question in questions:
            await self._hub.take_in(Change(session, question))

    @property
    def config(self) -> Config:
        return self._hub.setup.config

    async def stop(self, grace: float, linger: float, jobs: float) -> None:
        await self._hub.stop(grace, linger, jobs)

    def hurry(self, grace: float) -> None:
        self._hub.hurry(grace)
