"""One of several processes that serve a port: the gateway of one process, with what it shares asked of the hub."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from pointsman.app.data_folder import usable
from pointsman.app.packing import both, text_of, unpacked
from pointsman.app.serving import Serving
from pointsman.app.targets import started_here
from pointsman.app.workers.channel import Channel, ChannelError
from pointsman.app.workers.messages import (
    Begin,
    Change,
    Counted,
    CountUp,
    Demanding,
    Done,
    Emptied,
    EngineState,
    Follow,
    Hurry,
    Known,
    Listening,
    Manage,
    Managed,
    Message,
    Open,
    Refused,
    Reload,
    Reloaded,
    Resides,
    Residing,
    Settled,
    Stop,
    Sum,
    Unable,
    Whose,
)
from pointsman.app.workers.models_told import residence_of, unpacked_residence
from pointsman.app.workers.shared_places import SharedPlaces
from pointsman.app.workers.shared_questions import SharedPipeline, SharedQuestions
from pointsman.app.workers.told_server import ToldServer
from pointsman.config.schema import Config, parse_span
from pointsman.config.schema import Server as ServerConfig
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.feedback import Asker
from pointsman.domain.residence import Demand, Residence
from pointsman.domain.said import Said
from pointsman.http.crowd import Crowd
from pointsman.http.server import Server
from pointsman.loaded import loaded
from pointsman.pipeline.residence.floor import GateFloor
from pointsman.ports.local_server import LocalServer
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.exposition import text_of as text_of_counts

PUSHING = 0.25  # seconds between two tellings of what was counted
SETTLE = 120.0  # seconds that the greeting waits for models to load


class Worker:
    """Number `number` (from 1) of those that serve `listener`, as the hub at the other end of the channel says; `crowd` is
    the handle of the memory that they share. `leave` is called when that end is gone. `stopping` is set when it is to
    stop, by the hub or from outside; `stop` then does it."""

    def __init__(
        self,
        number: int,
        listener: socket.socket,
        crowd: int,
        *,
        keep_alive: float,
        leave: Callable[[], None],
    ) -> None:
        self._number = number
        self._listener = listener
        self._crowd = crowd
        self._keep_alive = keep_alive
        self._stop_terms: Stop | None = None
        self._channel = Channel(self._hear, self._answer, leave)
        self._questions = SharedQuestions(self._channel)
        self._engines: dict[str, ToldServer] = {}
        self._models: list[Resides] = []
        self._floor: GateFloor | None = None
        self._telling: asyncio.Handle | None = None
        self._demands: dict[str, Demand] = {}
        self._serving: Serving | None = None
        self._server: Server | None = None
        self._listens = False
        self._refused: Said | None = None
        self._installing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()
        self.stopping = asyncio.Event()

    async def connect(self, end: socket.socket) -> None:
        """From here on the hub has the word."""
        await self._channel.connect(end)

    async def stop(self) -> None:
        """Requests under way end, the log is written, and the hub knows what was counted."""
        for task in self._tasks:
            task.cancel()
        async with self._installing:
            if self._server is not None and self._serving is not None:
                terms = self._stop_terms or _alone(self._serving.setup.config.server)
                await asyncio.gather(self._server.close(terms.grace, terms.linger), self._serving.rest(terms.jobs))
                await self._serving.stop()
                self._channel.tell(Counted(self._serving.telling.counts()))
        self._stopped.set()
        await self._channel.finish()

    # What the hub says

    def _hear(self, message: Message) -> None:
        match message:
            case EngineState():
                self._take_in(message)
            case Residing():
                self._models = message.models
                self._show_models()
            case Refused():
                self._refused = _said(message)
                if self._serving is not None:
                    self._serving.readiness.refused = self._refused
            case Hurry():
                if self._server is not None:
                    self._server.hurry(message.grace)

    def _answer(self, message: Message) -> Message | Awaitable[Message]:
        match message:
            case Begin():
                for session, question in message.questions:
                    self._questions.take_in(Change(session, question))
                if message.refused is not None:
                    self._refused = _said(Refused(message.refused))
                self._take_in(*message.engines)
                self._models = message.models
                return self._begin(message)
            case Follow():
                self._take_in(*message.engines)
                return self._follow(message)
            case CountUp():
                return Counted(Counts.begun() if self._serving is None else self._serving.telling.counts())
            case Change():
                self._questions.take_in(message)
                return Done()
            case Emptied():
                return self._emptied(message.target)
            case Whose():
                return Known(None if self._serving is None else self._serving.askers.recent(message.request_id))
            case Open():
                self._listen()
                return Done()
            case Stop():
                self._stop_terms = message
                self.stopping.set()
                return self._stop()
            case _:
                raise TypeError(f"a worker is not asked {type(message).__name__}")

    async def _begin(self, begin: Begin) -> Message:
        async with self._installing:
            setup = await asyncio.to_thread(unpacked, begin.setup)
            try:
                with usable(setup.config):
                    serving = Serving(
                        setup,
                        reload=self._reload,
                        manage=self._manage,
                        metrics=self._metrics,
                        places=SharedPlaces(self._channel, begin.places),
                        since=begin.since,
                        others=self._whose,
                        total=self._total,
                        pipeline=partial(SharedPipeline, self._questions),
                        number=self._number - 1,
                        workers=setup.config.server.workers,
                        tells=self._number == 1,
                    )
            except Problem as problem:
                return Unable(problem.path, both(problem.message))
            serving.readiness.refused = self._refused
            serving.install(setup, serving.made(setup.config, self._servers(setup.config)))
            self._floor = GateFloor(serving.board)
            serving.pipeline.gate.stirred = self._stirred
            self._serving = serving
            self._show_models()
            loaded()
            serving.start_jobs()
            self._server = Server(serving.door, keep_alive=self._keep_alive)
            if begin.listens:
                self._listen()
        for work in (self._push(serving), self._settle(serving)):
            self._tasks.add(asyncio.create_task(work))
        return Listening()

    def _listen(self) -> None:
        if self._server is not None and not self._listens:
            self._listens = True
            self._server.listen_with(self._listener, Crowd(self._crowd), self._number - 1)

    async def _follow(self, follow: Follow) -> Message:
        async with self._installing:
            setup = await asyncio.to_thread(unpacked, follow.setup)
            serving = self._serving
            assert serving is not None
            serving.install(setup, serving.made(setup.config, self._servers(setup.config)))
            serving.readiness.refused = self._refused = None
        return Done()

    async def _emptied(self, target: str) -> Message:
        if self._floor is not None:
            await self._floor.emptied(target)
        return Done()

    def _show_models(self) -> None:
        """What the hub said last of those that come and go."""
        if self._serving is not None:
            told = [unpacked_residence(each) for each in self._models]
            self._serving.board.take({residence.target: residence for residence in told})

    def _stirred(self) -> None:
        """Somebody came or left at the gate: the hub hears what is wanted now, once for all that happens at a time."""
        if self._floor is not None and self._models:
            self._floor.stirred()
            if self._telling is None:
                self._telling = asyncio.get_running_loop().call_soon(self._tell_demands)

    def _tell_demands(self) -> None:
        self._telling = None
        assert self._floor is not None
        demands = dict(self._floor.demands(each.residence.target for each in self._models))
        if demands != self._demands:
            self._demands = demands
            self._channel.tell(Demanding(demands))

    async def _manage(self, verb: str, target: str) -> Residence:
        answer = await self._channel.ask(Manage(verb, target))
        assert isinstance(answer, Managed)
        return residence_of(target, answer)

    async def _stop(self) -> Message:
        await self._stopped.wait()
        return Done()

    def _take_in(self, *states: EngineState) -> None:
        for state in states:
            self._engines.setdefault(state.target, ToldServer()).take_in(state)
            if self._serving is not None:
                self._serving.look_again(state.target)

    def _servers(self, config: Config) -> Mapping[str, LocalServer]:
        return {target.name: self._engines[target.name] for target, _ in started_here(config)}

    # What the hub is told and asked

    async def _push(self, serving: Serving) -> None:
        last = None
        while True:
            counts = serving.telling.counts()
            if counts != last:
                self._channel.tell(Counted(counts))
            last = counts
            await asyncio.sleep(PUSHING)

    async def _settle(self, serving: Serving) -> None:
        await serving.settled(SETTLE)
        ready, state = serving.readiness()
        up = [entry["target"] for entry in state["targets"] if entry["health"] == "up"]
        self._channel.tell(Settled(ready, up, [both(problem) for problem in state["problems"]]))

    async def _reload(self) -> dict[str, Any]:
        done = await self._channel.ask(Reload())
        if isinstance(done, Refused):
            raise _ReloadRefused(_said(done))
        assert isinstance(done, Reloaded)
        return {"policy": done.policy, "before": done.before, "notes": [text_of(note) for note in done.notes]}

    async def _whose(self, request_id: str) -> Asker | None:
        try:
            answer = await self._channel.ask(Whose(request_id))
        except ChannelError:  # the hub is gone, and this process will be
            return None
        assert isinstance(answer, Known)
        return answer.asker

    async def _metrics(self, openmetrics: bool) -> bytes:
        assert self._serving is not None
        counts = await self._total()
        await self._serving.telling.complete(counts)
        return text_of_counts(counts, openmetrics=openmetrics)

    async def _total(self) -> Counts:
        """What all of them counted."""
        assert self._serving is not None
        total = await self._channel.ask(Sum(self._serving.telling.counts()))
        assert isinstance(total, Counted)
        return total.counts


def _alone(server: ServerConfig) -> Stop:
    """How a worker stops that is told so by somebody else than the hub."""
    return Stop(parse_span(server.grace), server.linger, 0.0)


class _ReloadRefused(Problems):
    """Problems that were put into words in another process."""

    def __init__(self, words: Said) -> None:
        super().__init__([])
        self._words = words

    @property
    def said(self) -> Said:
        return self._words


def _said(refused: Refused) -> Said:
    text = text_of(refused.why)
    return text if isinstance(text, Said) else Said(text, text)
