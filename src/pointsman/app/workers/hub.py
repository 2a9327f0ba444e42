"""The process that listens and serves nothing: what there must be once, and the workers that share it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Awaitable, Sequence
from typing import Any

from pointsman.actions.child import Children
from pointsman.app.batches import UNFINISHED
from pointsman.app.build import Built
from pointsman.app.engines import Engine, Engines
from pointsman.app.file_store import links_of, open_files
from pointsman.app.observed import levels_of_process
from pointsman.app.packing import both, packed, text_of
from pointsman.app.purge import purge_files
from pointsman.app.reading import Origin
from pointsman.app.reloads import Install, Reloads
from pointsman.app.residence import Made, Residency
from pointsman.app.setup import Setup
from pointsman.app.watching import seen_of
from pointsman.app.workers.crew import Crew
from pointsman.app.workers.limits import Limits
from pointsman.app.workers.member import Member
from pointsman.app.workers.messages import (
    Begin,
    Change,
    Counted,
    CountUp,
    Demanding,
    Done,
    EngineState,
    Follow,
    GiveBack,
    Known,
    Manage,
    Managed,
    Message,
    Refused,
    Reload,
    Reloaded,
    Settled,
    Sum,
    Take,
    Whose,
)
from pointsman.app.workers.models_told import CrewFloor, answer_of, packed_residence
from pointsman.app.workers.told_server import state_of
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.errors import Problems
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.pipeline.open_questions import OpenQuestions
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.clock import SystemClock
from pointsman.ports.model_driver import LoadFailure
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.metrics import Metrics

log = logging.getLogger("pointsman")

FOLLOWING = 60.0  # seconds for a worker to take up a new config
COUNTING = 1.0  # seconds for a worker to say what it counted
KNOWING = 1.0  # seconds for a worker to take in what another one changed, or to say whose a request was
REPORTS = "reports"  # the limit `files.concurrency`


class Hub:
    """`command` starts a worker, see Crew; `listener` listens. `origin` is where the config is read again. Unless it
    `listens`, connections are taken from `open` on. Raises OSError and ValueError where the data folder, or what lies in it,
    cannot be used."""

    def __init__(
        self, built: Built, origin: Origin, command: Sequence[str], listener: socket.socket, *, listens: bool = True
    ) -> None:
        config = built.config
        folder = data_dir(config)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        links_of(config)  # workers find the key made
        self._metrics = Metrics()
        seen = seen_of(built.loaded.path, built.loaded)
        self._reloads = Reloads(built, origin, seen, self._metrics.reloaded)
        self._packed = packed(built)
        self._since = int(time.time())
        self._engines = Engines(folder / "engines", self._engine_changed)
        self._questions = OpenQuestions()
        self._changing = asyncio.Lock()
        self._limits = Limits({REPORTS: config.files.concurrency})
        self._past = Counts.begun()
        self._files = open_files(config)
        self._children = Children(folder / "work", warmth=False)
        self._uploads = Uploads(self._files, folder / UNFINISHED, SystemClock())
        self._crew = Crew(self, command, listener, config.server.workers)
        self._floor = CrewFloor(self._crew)
        self._residency = Residency(SystemClock(), self._floor, self._metrics)
        self._listens = listens
        self._settled: dict[int, Settled] = {}
        self._all_settled = asyncio.Event()
        self._chores: list[asyncio.Task[None]] = []

    @property
    def setup(self) -> Setup:
        """What holds now."""
        return self._reloads.setup

    async def start(self) -> None:
        """Returns once every worker can serve; models may still be loading. Raises Problem where a worker cannot."""
        engines = self._engines.made(self.setup.config)
        await self._engines.install(engines)
        self._residency.install(self._residency_of(self.setup, engines))
        self._crew.start()
        purging = purge_files(
            self._files, self._children.tidy, self._uploads, lambda: parse_span(self.setup.config.files.keep)
        )
        self._chores = [asyncio.create_task(purging), asyncio.create_task(self._reloads.watch(self.reload))]
        await self._crew.listening()

    async def open(self) -> None:
        """Every worker takes connections when it returns."""
        self._listens = True
        await self._crew.open()

    async def stop(self, grace: float, linger: float = 0.0, jobs: float = 0.0) -> None:
        """As one process stops: requests under way end first, within `grace` seconds; so do jobs within `jobs`."""
        for chore in self._chores:
            chore.cancel()
        await self._files.close()
        await self._crew.stop(grace, linger, jobs)
        await asyncio.gather(self._engines.stop(), self._residency.close())

    def hurry(self, grace: float) -> None:
        """While it stops: requests under way end within `grace` seconds from now."""
        self._crew.hurry(grace)

    def engine_memory(self) -> int:
        """Bytes that models take which it runs itself."""
        return self._engines.memory()

    @property
    def questions(self) -> OpenQuestions:
        """Those that workers asked in sessions whose clients send no history."""
        return self._questions

    async def take_in(self, change: Change) -> None:
        """A question that somebody else asked, or answered; all workers know it when it returns."""
        await self._tell_all(None, change)

    async def settled(self, timeout: float) -> None:
        """Waits until every worker has seen all its targets, and every embedded model is up or has failed once."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._all_settled.wait()

    def readiness(self) -> tuple[bool, list[str], list[str]]:
        """Whether workers were ready when they had settled, what was up then, and all that was wrong."""
        seen = list(self._settled.values())
        up = dict.fromkeys(name for settled in seen for name in settled.up)
        problems = dict.fromkeys(text_of(problem) for settled in seen for problem in settled.problems)
        return any(settled.ready for settled in seen), list(up), list(problems)

    async def reload(self) -> dict[str, Any]:
        """Every worker follows before it returns; one that cannot is started again. Raises Problems; then the old config
        goes on."""
        try:
            return await self._reloads.take(self._prepare)
        except Problems as error:
            self._crew.tell(Refused(both(error.said)))
            raise

    # For the crew

    def begin(self) -> Begin:
        refused = self._reloads.refused
        return Begin(
            setup=self._packed,
            engines=self._states(),
            models=self._floor.told,
            questions=list(self._questions),
            refused=None if refused is None else both(refused),
            places=REPORTS,
            since=self._since,
            listens=self._listens,
        )

    def gone(self, member: Member) -> None:
        self._limits.leave(member)
        self._floor.leave(member)
        self._residency.keeper.stirred()
        if member.counts is not None:
            member.counts.levels.clear()  # what it saw holds no more
            self._past.merge(member.counts)
            member.counts = None

    def hear(self, member: Member, message: Message) -> None:
        match message:
            case Counted():
                member.counts = message.counts
            case Demanding():
                self._floor.hear(member, message)
                self._residency.keeper.stirred()
            case GiveBack():
                self._limits.give_back(member, message.ticket)
            case Settled():
                self._settled[member.number] = message
                if len(self._settled) == self._crew.size:
                    self._all_settled.set()

    def answer(self, member: Member, message: Message) -> Awaitable[Message]:
        match message:
            case Reload():
                return self._asked_to_reload()
            case Sum():
                return self._sum(member, message.counts)
            case Change():
                return self._tell_all(member, message)
            case Take():
                return self._take(member, message)
            case Whose():
                return self._whose(member, message)
            case Manage():
                return self._manage(message)
            case _:
                raise TypeError(f"the hub is not asked {type(message).__name__}")

    # Inside

    def _prepare(self, setup: Setup) -> Install:
        engines, told = self._engines.made(setup.config), packed(setup)
        residency = self._residency_of(setup, engines)

        async def install() -> None:
            await self._engines.install(engines)
            self._packed = told
            followed = await self._crew.ask(Follow(told, self._states()), FOLLOWING)
            for member, done in followed:
                if done is None and member in self._crew.members:
                    log.error(_LEFT_BEHIND, member.number, member.pid)
                    member.kill()
            self._residency.install(residency)
            self._engines.retire()

        return install

    def _residency_of(self, setup: Setup, engines: dict[str, Engine]) -> Made:
        processes = {name: engine.process for name, engine in engines.items()}
        return self._residency.made(setup.config, setup.policy.document, processes)

    async def _manage(self, wanted: Manage) -> Message:
        try:
            return Managed(packed_residence(await self._residency.manage(wanted.verb, wanted.target)))
        except KeyError:
            return Managed(None)
        except LoadFailure as failure:
            return answer_of(failure)

    async def _asked_to_reload(self) -> Message:
        try:  # a reload goes to its end, whatever becomes of who asked
            done = await asyncio.shield(asyncio.ensure_future(self.reload()))
        except Problems as error:
            return Refused(both(error.said))
        return Reloaded(done["policy"], done["before"], [both(note) for note in done["notes"]])

    async def _sum(self, member: Member, counts: Counts) -> Message:
        member.counts = counts
        for other, answer in await self._crew.ask(CountUp(), COUNTING, but=member):
            if isinstance(answer, Counted) and other in self._crew.members:
                other.counts = answer.counts
        own = levels_of_process(self.setup.policy.document.version)
        total = self._metrics.counts(Snapshot.of(()), 0, levels=own)
        present = [other.counts for other in self._crew.members if other.counts is not None]
        for each in (self._past, *present):
            total.merge(each)
        return Counted(total)

    async def _tell_all(self, member: Member | None, change: Change) -> Message:
        async with self._changing:  # one after the other: all workers see them in one order
            if change.question is None:
                self._questions.take(change.session)
            else:
                self._questions.keep(change.session, change.question)
            await self._crew.ask(change, KNOWING, but=member)
        return Done()

    async def _take(self, member: Member, wanted: Take) -> Message:
        await self._limits.take(member, wanted.limit, wanted.ticket)
        return Done()

    async def _whose(self, member: Member, wanted: Whose) -> Message:
        answers = await self._crew.ask(wanted, KNOWING, but=member)
        known = (answer for _, answer in answers if isinstance(answer, Known) and answer.asker is not None)
        return next(known, Known(None))

    def _states(self) -> list[EngineState]:
        return [state_of(name, process) for name, process in self._engines.servers.items()]

    def _engine_changed(self, name: str) -> None:
        process = self._engines.servers.get(name)
        if process is not None:
            self._crew.tell(state_of(name, process))
        self._residency.keeper.check(name)


_LEFT_BEHIND = Said(
    "worker %s (pid %s) did not take up the new config; it is started again",
    "工作进程 %s（pid %s）没有采用新配置，将重新启动",
)
