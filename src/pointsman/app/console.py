"""The console's door: made when the first browser comes, and what its pages ask of the gateway."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pointsman.app.console_log import ConsoleLog, Keep
from pointsman.app.console_state import ConsoleState
from pointsman.app.jobs import Jobs
from pointsman.app.key_file import key_in
from pointsman.app.setup import Setup
from pointsman.config.schema import Config, parse_span
from pointsman.domain.target import BackendState
from pointsman.http.exchange import Client
from pointsman.http.header_lines import header_lines
from pointsman.http.models_admin import Manage
from pointsman.pipeline.handle import Run
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.residence.board import Board
from pointsman.pipeline.uploads import Uploads

if TYPE_CHECKING:
    from pointsman.app.console_doctor import ConsoleDoctor
    from pointsman.app.console_models import ConsoleFleet
    from pointsman.app.console_replay import ConsoleReplays
    from pointsman.app.console_trials import Trials
    from pointsman.console.door import Console
    from pointsman.console.entrance import Terms
    from pointsman.console.shell import Shell
    from pointsman.console.templates import Templates
    from pointsman.console.visit import Reply, Route

OWN = ("/ui",)
"""What begins so is the console's."""
FOLDER = "console"
"""Where in the data folder it keeps what its long runs found, what could not be done with models, and which sessions
were ended."""


class ConsoleSources(msgspec.Struct, frozen=True):
    """What pages need of the gateway besides its state. A page that needs more of it adds a field."""

    under_way: Mapping[str, Run]
    keep: Keep
    quotes: bool
    pipeline: Pipeline
    reload: Callable[[], Awaitable[dict[str, Any]]]
    board: Board
    manage: Manage
    jobs: Jobs
    uploads: Uploads
    spoken: Callable[[], Iterable[BackendState]]
    """The states of targets with their problems in both languages."""


class ConsoleDoor:
    """Nothing of the console is imported before somebody opens it. `folder` is the data folder."""

    def __init__(self, setup: Callable[[], Setup], folder: Path, state: ConsoleState, sources: ConsoleSources) -> None:
        self._setup = setup
        self._folder = folder
        self._state = state
        self._sources = sources
        self._console: Console | None = None
        self._making: asyncio.Task[Console] | None = None
        self._trials: Trials | None = None
        self._fleet: ConsoleFleet | None = None
        self._doctor: ConsoleDoctor | None = None
        self._replays: ConsoleReplays | None = None

    async def close(self) -> None:
        """Ends what it started."""
        if self._trials is not None:
            await self._trials.close()
        if self._fleet is not None:
            await self._fleet.close()
        if self._doctor is not None:
            await self._doctor.close()
        if self._replays is not None:
            await self._replays.close()

    def get(self, client: Client) -> Awaitable[None] | None:
        return self.post(client, b"")

    def post(self, client: Client, data: bytes) -> Awaitable[None] | None:
        if self._console is None:
            return self._begin(client, data)
        return _answered(self._console, client, data)

    async def _begin(self, client: Client, data: bytes) -> None:
        """The first who come wait until it is made; none of them, hanging up, undoes it for the others."""
        if self._making is None:
            self._making = asyncio.create_task(asyncio.to_thread(self._make))
            self._making.add_done_callback(self._made)
        rest = _answered(await asyncio.shield(self._making), client, data)
        if rest is not None:
            await rest

    def _made(self, making: asyncio.Task[Console]) -> None:
        self._making = None
        if not making.cancelled() and making.exception() is None:
            self._console = making.result()

    def _make(self) -> Console:
        from pointsman.console.door import Console
        from pointsman.console.ended import EndedSessions
        from pointsman.console.entrance import Entrance
        from pointsman.console.sessions import Sessions

        config = self._setup().config
        key = config.files.link_key
        secret = key_in(self._folder / "links.key") if key is None else key.encode()
        sessions = Sessions(hmac.digest(secret, b"console", "sha256"))
        ended = EndedSessions(self._folder / FOLDER / "ended")
        return Console(Entrance(sessions, ended, lambda: _terms(self._setup().config)), self._shell, self._pages)

    def _shell(self) -> Shell:
        from pointsman.console.shell import Shell

        document = self._setup().policy.document
        return Shell(version=document.version, policy=self._setup().policy.hash, zone=document.timezone)

    def _pages(self, templates: Templates) -> Iterable[Route]:
        """Every page of the console: a new one is added here."""
        from pointsman.app.console_decide import ConsoleDecider
        from pointsman.app.console_doctor import ConsoleDoctor
        from pointsman.app.console_evaluate import ConsoleEvaluations
        from pointsman.app.console_jobs import ConsoleJobs
        from pointsman.app.console_keys import ConsoleKeys
        from pointsman.app.console_models import ConsoleFleet
        from pointsman.app.console_replay import ConsoleReplays
        from pointsman.app.console_rules import ConsoleBooks
        from pointsman.app.console_trials import Trials
        from pointsman.console.decide.page import DecidePage
        from pointsman.console.doctor.page import DoctorPage
        from pointsman.console.evaluate.page import EvaluatePage
        from pointsman.console.jobs.page import JobsPage
        from pointsman.console.keys.page import KeysPage
        from pointsman.console.models.failures import Failures
        from pointsman.console.models.page import ModelsPage
        from pointsman.console.pages.help import HelpPage
        from pointsman.console.pages.now import NowPage
        from pointsman.console.pages.requests import RequestsPage
        from pointsman.console.playground.page import PlaygroundPage
        from pointsman.console.replay.page import ReplayPage
        from pointsman.console.rules.pages import rule_routes

        state, sources = self._state, self._sources
        log = ConsoleLog(self._folder, sources.under_way, state.live.ended, sources.keep, quotes=sources.quotes)
        yield from NowPage(templates, state, state.summed, state.live).routes()
        yield from RequestsPage(templates, log).routes()
        self._trials = trials = Trials(lambda: self._setup().policy, self._folder)
        yield from rule_routes(templates, ConsoleBooks(self._setup, sources.reload, trials, self._folder))
        decider = ConsoleDecider(sources.pipeline)
        yield from DecidePage(templates, decider, log, trials.ask).routes()
        yield from PlaygroundPage(templates, lambda: decider.models, log).routes()
        failures = Failures(self._folder / FOLDER / "models")
        self._fleet = ConsoleFleet(
            self._setup, state, sources.pipeline, sources.board, sources.manage, failures, sources.spoken
        )
        yield from ModelsPage(templates, self._fleet).routes()
        desk = ConsoleJobs(sources.jobs, sources.uploads, quotes=sources.quotes)
        yield from JobsPage(templates, desk).routes()
        book = ConsoleKeys(self._setup, sources.reload, sources.pipeline.quotas, self._folder)
        yield from KeysPage(templates, book).routes()
        self._replays = ConsoleReplays(self._setup, self._folder / FOLDER)
        yield from ReplayPage(templates, self._replays, log).routes()
        evaluations = ConsoleEvaluations(self._setup, sources.pipeline, self._folder)
        yield from EvaluatePage(templates, evaluations, log).routes()
        self._doctor = ConsoleDoctor(self._setup, self._folder / FOLDER)
        yield from DoctorPage(templates, self._doctor).routes()
        yield from HelpPage(templates).routes()


def _terms(config: Config) -> Terms:
    from pointsman.console.entrance import KeyHolder, Terms

    return Terms(
        keys=[
            KeyHolder(key.name, key.hash, key.admin) for key in config.auth.keys if key.admin or key.console is not None
        ],
        here=config.auth.loopback == "open",
        public=config.console.public,
        session=parse_span(config.console.session),
    )


class _Outlet:
    """A client that is written to for long. It leaves once the gateway wants the connection back."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._stays = client.keep_alive

    @property
    def leaving(self) -> bool:
        return self._stays and not self._client.keep_alive

    def write(self, data: bytes) -> bool:
        return self._client.write(data)

    async def room(self) -> None:
        await self._client.room()


def _answered(console: Console, client: Client, data: bytes) -> Awaitable[None] | None:
    from pointsman.console.door import Sent
    from pointsman.console.entrance import Asked

    asked = Asked(client.fields, client.loopback, client.address)
    reply = console.answer(
        Sent(client.method, client.path, client.query, data, asked, client.tongue, client.request_id)
    )
    if isinstance(reply, Awaitable):
        return _later(client, reply)
    return _send(client, reply)


async def _later(client: Client, reply: Awaitable[Reply]) -> None:
    rest = _send(client, await reply)
    if rest is not None:
        await rest


def _send(client: Client, reply: Reply) -> Awaitable[None] | None:
    headers = header_lines(*reply.headers)
    if reply.stream is None:
        client.reply(reply.status, reply.body, reply.content_type, headers)
        return None
    client.start(reply.status, b"content-type: %b\r\nx-accel-buffering: no\r\n%b" % (reply.content_type, headers))
    if client.method == "HEAD":
        client.finish()
        return None
    return _stream(client, reply)


async def _stream(client: Client, reply: Reply) -> None:
    assert reply.stream is not None
    await reply.stream(_Outlet(client))
    client.finish()
