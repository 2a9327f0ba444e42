"""What answers requests in one process: the pipeline, its doors, and what these need; replaced as a whole at a reload."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointsman.actions.child import Children, Cores, action_cores
from pointsman.actions.gpu_turns import GpuTurns
from pointsman.actions.once import Once
from pointsman.actions.report.action import ReportAction
from pointsman.actions.report.runner import ReportRunner
from pointsman.actions.residents import Residents
from pointsman.app.actions import OWN, actions_made
from pointsman.app.adapters import Adapters
from pointsman.app.admission import auto_targets, breaker_rules, gate_rules, quota_rules
from pointsman.app.askers import Askers, Others
from pointsman.app.batches import Batches
from pointsman.app.console import ConsoleDoor, ConsoleSources
from pointsman.app.console_state import ConsoleState
from pointsman.app.delivery import Channels
from pointsman.app.doors import doors_of
from pointsman.app.file_store import links_of, open_files
from pointsman.app.gpu_card import GpuCard
from pointsman.app.guards import caches_of
from pointsman.app.job_store import open_shared
from pointsman.app.jobs import Jobs
from pointsman.app.model_calls import ModelCalls
from pointsman.app.observed import levels_of_process, levels_of_targets
from pointsman.app.pressure import Machine, engines_busy
from pointsman.app.quality import QualityFeed
from pointsman.app.readiness import Readiness
from pointsman.app.schedules import Schedules
from pointsman.app.setup import Setup
from pointsman.app.targets import Served
from pointsman.app.telling import Telling
from pointsman.app.tools import tools_of
from pointsman.app.traces import Traces
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config, parse_size, parse_span
from pointsman.domain.feedback import Asker, Feedback
from pointsman.domain.said import Said
from pointsman.embedding.warm import Warm
from pointsman.fleet.prober import Prober
from pointsman.http.gateway import Doors, Gateway
from pointsman.http.models_admin import Manage, ModelsDoor
from pointsman.http.ops import Text
from pointsman.pipeline.auto_limits import AutoLimits
from pointsman.pipeline.breakers import Breakers
from pointsman.pipeline.delivery.handler import DeliveryHandler
from pointsman.pipeline.hearing import Ears
from pointsman.pipeline.journalling import keep_journal
from pointsman.pipeline.moved_quality import MovedQuality
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.prices import prices_of
from pointsman.pipeline.quotas import Quotas
from pointsman.pipeline.rates import MeasuredRates
from pointsman.pipeline.residence.board import Board
from pointsman.pipeline.sessions import Sessions
from pointsman.pipeline.shared_breakers import SharedBreakers
from pointsman.pipeline.token_drift import TokenDrift
from pointsman.planning.plan import ask_period
from pointsman.ports.action import Action
from pointsman.ports.backend import Backend
from pointsman.ports.clock import SystemClock
from pointsman.ports.embed import Embed
from pointsman.ports.local_server import LocalServer
from pointsman.recording.fanout import Fanout
from pointsman.store.log_home import settle
from pointsman.store.log_writer import LogWriter
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.metrics import Metrics, Queue

if TYPE_CHECKING:
    from pointsman.app.nodes import Nodes

_SETTLE = 60.0  # seconds that jobs wait for models to come up


class Serving:
    """`reload`, `manage` and `metrics` do what their endpoints are asked for. What this process has in common with others
    comes from outside: `places` says whose turn it is to make a report (default: at most `files.concurrency` of it),
    `since` is when the gateway began, in seconds since the epoch (default: now), `others` says whose a request was that
    another process served (default: there is none), `total` gives what all of them counted (default: what this one did),
    `pipeline` makes a pipeline of its own kind, `number` says which of `workers` on one port this is, `tells`: this is the
    process that says in the log what all of them work out alike. Raises OSError, ValueError, LogError where the data folder,
    or what lies in it, cannot be used."""

    def __init__(
        self,
        setup: Setup,
        *,
        reload: Callable[[], Awaitable[dict[str, Any]]],
        manage: Manage,
        metrics: Text,
        places: AbstractAsyncContextManager[None] | None = None,
        since: int | None = None,
        others: Others | None = None,
        total: Callable[[], Awaitable[Counts]] | None = None,
        pipeline: Callable[..., Pipeline] = Pipeline,
        number: int = 0,
        workers: int = 1,
        tells: bool = True,
    ) -> None:
        config = setup.config
        folder = data_dir(config)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.setup = setup
        self._part = number, workers
        self.metrics = Metrics(prices_of)
        self._reload, self._metrics_text, self._manage = reload, metrics, manage
        self._since = int(time.time()) if since is None else since
        self._breakers = Breakers(SystemClock())
        self._rates = MeasuredRates()
        self._token_drift = TokenDrift()
        self._prober = Prober(self._breakers, self._rates)
        self.telling = Telling(setup, folder, self.metrics, self._counts, lambda: self._adapters.backends())
        settle(folder, config.log.store)
        self._log = LogWriter(
            folder,
            config.log.prompts,
            parse_span(config.log.keep),
            keep_rollups=parse_span(config.log.rollups),
        )
        self.askers = Askers(folder, others)
        self._links = links_of(config)
        self.files = open_files(config)
        self._reporters = Children(folder / "work", places or asyncio.Semaphore(config.files.concurrency))
        runner = ReportRunner(
            self.files,
            self._reporters,
            folder / "demo",
            timeout=config.files.timeout,
            memory=parse_size(config.files.memory),
        )
        self._clock = clock = SystemClock()
        self._once = Once(self.files)
        self._report = ReportAction(runner, self._once, self._links, clock.wall, ask_period)
        card = GpuCard(lambda: self.setup.config)
        self.shared = open_shared(config)
        self._gpu_turns = GpuTurns(clock, card.read, self.shared)
        card.taken = lambda: self._gpu_turns.taken
        self._children = Children(folder / "work", Cores(action_cores(config.server.workers)))
        self._residents = Residents()
        self._actions: dict[str, Action] = {"report": self._report}
        moved = MovedQuality(self._prober.shift, tells)
        self._quality = QualityFeed(config, moved, self._log, self.askers, self.shared)
        console = self._console_state(folder, workers, total)
        recorder = Fanout(
            [
                self.metrics,
                self._log,
                self._rates,
                self._token_drift,
                self._quality,
                console.live,
                *self.telling.recorders,
            ]
        )
        self.pipeline = pipeline(self._prober.snapshot, recorder, clock, self._actions)
        self.pipeline.quotas = Quotas(clock, self.shared)
        self.pipeline.sessions = Sessions(clock, self.shared)
        self._breakers.shared = self._shared_breakers = SharedBreakers(self._breakers, self.shared, clock)
        self._auto = AutoLimits(self.pipeline.gate, self._prober.snapshot, self._breakers)
        self.pipeline.watch = self._auto
        self._nodes: Nodes | None = None
        self.pipeline.gate.turned_away = self.metrics.turned_away
        self.board = Board(self.pipeline.gate, clock, self.look_again)
        self.readiness = Readiness(
            lambda: self.setup,
            self._prober,
            self._log,
            self.board,
            lambda: self._auto.shown,
            self._problems,
            lambda: self.telling.signs,
        )
        self._adapters = Adapters(self.board, lambda target, backend: self._nodes_made().served(target, backend))
        self.pipeline.hearings.sunk = self.metrics.sunk
        self.batches = Batches(lambda: self.setup.config, self.files, folder, clock)
        self.channels = Channels(self.files, self._links, clock)
        self._machine = Machine(self._engines_busy)
        self.jobs = Jobs(
            config,
            lambda: self.door,
            self.pipeline.actions,
            clock,
            self._machine.sample,
            lambda jobs: {"batch": self.batches.handler(jobs), "delivery": DeliveryHandler(self.channels)},
        )
        self.jobs.parking.counted = self.metrics.parked
        self.pipeline.deliver = self.jobs.deliveries
        self.schedules = Schedules(self.jobs.store, clock, lambda: self.setup.config)
        kept = config.log.prompts != "off"
        sources = ConsoleSources(
            self.pipeline.under_way,
            self._keep_feedback,
            kept,
            self.pipeline,
            reload,
            self.board,
            manage,
            self.jobs,
            self.batches.uploads,
            self._prober.states,
        )
        self.console = ConsoleDoor(lambda: self.setup, folder, console, sources)
        self._traces = Traces(folder, self.jobs.store, self.pipeline.under_way)
        self.door = Gateway(self._doors(setup))
        self._journal: asyncio.Task[None] | None = None

    def made(self, config: Config, servers: Mapping[str, LocalServer]) -> dict[str, Served]:
        """What `install` takes: an adapter for every target. `servers` are the processes of embedded models. Raises
        Problems."""
        return self._adapters.made(config, servers)

    def install(self, setup: Setup, made: dict[str, Served]) -> None:
        """From here on new requests go by `setup`; those under way keep what they began with. Backends that are gone
        close."""
        old = self._adapters.install(made)
        document, config = setup.policy.document, setup.config
        self._report.install(
            document.reports,
            setup.sources,
            timezone=document.timezone,
            keep=parse_span(config.files.keep),
            public_url=config.server.public_url,
        )
        self.setup = setup
        backends = self._adapters.backends()
        self._install_actions(setup, backends)
        self.pipeline.install(setup.policy, backends, caches_of(config))
        if self._nodes is not None:
            self._nodes.install(config, made)
        self._breakers.rules = breaker_rules(config)
        self._auto.install({name: made[name].backend.load for name in auto_targets(config)})
        self.pipeline.gate.install(gate_rules(config, self._auto.sequences, *self._part))
        self.pipeline.quotas.install(quota_rules(config))
        self._shared_breakers.start()
        self._prober.watch(backends)
        self._token_drift.keep(backends)
        self._quality.install(config, document)
        self.channels.install(config, Path(setup.base), document.timezone)
        self._machine.install(config)
        self.jobs.install(config)
        self.schedules.install(config)
        self.telling.start(self.pipeline)
        if self._journal is None:
            self._journal = asyncio.create_task(keep_journal(self.pipeline, self._log))
            self._quality.start()
        self.door.doors = self._doors(setup)
        self._adapters.retire(old)

    def _nodes_made(self) -> Nodes:
        """Where no backend has several, nothing is imported for it."""
        if self._nodes is None:
            from pointsman.app.nodes import Nodes

            self._nodes = Nodes(self.shared, self._clock, self._prober.look_again, self.pipeline)
        return self._nodes

    def _install_actions(self, setup: Setup, backends: Mapping[str, Backend]) -> None:
        """Those of the config, and who arbitrates; what is under way goes on with what it began with."""
        tools = tools_of(
            setup,
            files=self.files,
            children=self._children,
            links=self._links,
            ask_model=ModelCalls(lambda: self.door, self._clock),
            uploads=self.batches.uploads,
            find=self._actions.__getitem__,
            clock=self._clock,
            residents=self._residents,
        )
        self._gpu_turns.wait = setup.config.admission.wait
        made = actions_made(setup.config, setup.policy.document.actions, tools, self._once, self._gpu_turns)
        self.pipeline.hearings.install(self._ears(setup, backends, tools.embed))
        self._install_meanings(setup, tools.embed)
        self._residents.sweep()
        for name in [name for name in self._actions if name not in made and name not in OWN]:
            del self._actions[name]
        self._actions.update(made)

    def _ears(self, setup: Setup, backends: Mapping[str, Backend], embed: Embed) -> Ears:
        """Who arbitrates; where nobody does, nothing is imported for it."""
        if setup.policy.document.arbiter is None:
            return Ears()
        from pointsman.app.arbiters import ears_of

        return ears_of(setup, backends, self._prober.snapshot, embed, self._residents)

    def _install_meanings(self, setup: Setup, embed: Embed) -> None:
        """Who is asked what a text means; the embedding model stays in memory as long as a classifier wants it."""
        rule = setup.policy.document.classifier
        wanted = rule is not None and rule.embedder is not None and setup.policy.classifies
        self.pipeline.meanings.install(embed if wanted else None, setup.config.classifier.timeout)
        if wanted and embed.model is not None:
            self._residents.get(f"warm {embed.model}", lambda: Warm(embed), Warm)

    def tidy(self) -> None:
        """Removes what tasks of a day ago left behind whose gateway was killed."""
        self._children.tidy()

    async def settled(self, timeout: float) -> None:
        """Waits until every embedded model is up or has failed once, and every target has been probed."""
        deadline = time.monotonic() + timeout
        for server in self._adapters.steady_servers():
            await server.settled(max(deadline - time.monotonic(), 0.01))
        await self.board.settled(max(deadline - time.monotonic(), 0.01))
        for name in self._adapters:
            self._prober.look_again(name)
        await self._prober.first_round(max(deadline - time.monotonic(), 0.01))
        await asyncio.sleep(0.05)

    def look_again(self, name: str) -> None:
        """The embedded model of that target came up or went down."""
        self._prober.look_again(name)

    def start_jobs(self) -> None:
        """Jobs are done from here on, once the models have come up or failed."""
        self.jobs.start(lambda: self.settled(_SETTLE))
        self.schedules.start()

    async def rest(self, seconds: float) -> None:
        """Begins no more of itself: no job, and nothing that is asked at set times. Returns when the jobs under way have
        ended, or after so many seconds."""
        await self.schedules.stop()
        await self.jobs.rest(seconds)

    async def stop(self) -> None:
        await self.schedules.stop()
        await self.jobs.stop()
        self._machine.close()
        self.channels.close()
        if self._journal is not None:
            self._journal.cancel()
        await self.console.close()
        await self.telling.close()
        await self._quality.stop()
        await self._residents.close()
        await self._prober.close()
        await self._shared_breakers.close()
        await self._auto.close()
        if self._nodes is not None:
            await self._nodes.close()
        await self.pipeline.quotas.close()
        await self.pipeline.sessions.close()
        await self.shared.close()
        await self._adapters.close()
        await asyncio.gather(self._children.close(), self._reporters.close())
        await self.files.close()
        await asyncio.to_thread(self._log.close)

    def _counts(self) -> Counts:
        document = self.setup.policy.document
        return self.metrics.counts(
            self._prober.snapshot(),
            self._log.dropped,
            self._adapters.upstream(),
            self._queue(),
            self.jobs.pressed,
            {
                **levels_of_targets(document.targets, self.pipeline.gate),
                **levels_of_process(document.version),
                **(self._nodes.levels() if self._nodes is not None else {}),
                "model_resident": {(each.target,): float(each.stage == "ready") for each in self.board},
                "target_token_ratio": {(name,): ratio for name, ratio in self._token_drift.medians.items()},
            },
        )

    def _queue(self) -> Queue:
        """How many wait at the gate, and what is known of each target."""
        gate = self.pipeline.gate
        limits = {name: limit for name, (limit, _) in self._auto.shown.items()}
        return gate.waiting, {name: gate.inside(name)[0] for name in self._adapters}, limits

    async def _engines_busy(self) -> float | None:
        """How much of their places is taken at the busiest target."""
        gate, snapshot = self.pipeline.gate, self._prober.snapshot()
        return await engines_busy(
            self._adapters.backends(), lambda name: gate.inside(name)[0], lambda name: snapshot.state(name).facts.slots
        )

    def _problems(self) -> list[Said]:
        nodes = self._nodes.problems if self._nodes is not None else ()
        return [*nodes, *self.jobs.problems, *self.schedules.problems, *self._token_drift.problems]

    def _doors(self, setup: Setup) -> Doors:
        return doors_of(
            setup,
            self.pipeline,
            links=self._links,
            files=self.files,
            since=self._since,
            readiness=self._asked_ready,
            metrics=self._metrics_text,
            reload=self._reload,
            models=ModelsDoor(self.board, self._prober.states, self._manage),
            askers=self.askers,
            keep_feedback=self._keep_feedback,
            jobs=self.jobs,
            batches=self.batches,
            traces=self._traces,
            console=self.console,
            count_tool=self.metrics.called,
        )

    def _asked_ready(self) -> tuple[bool, dict[str, Any]]:
        """Signs are those of the last look, by who asked before."""
        self.telling.look_for_signs()
        return self.readiness()

    def _console_state(self, folder: Path, workers: int, total: Callable[[], Awaitable[Counts]] | None) -> ConsoleState:
        async def counted() -> Counts:
            return self.telling.counts() if total is None else await total()

        return ConsoleState(
            folder=folder,
            shared=workers > 1,
            quotes=self.setup.config.log.prompts != "off",
            counted=counted,
            observed=self.telling.observed,
            readiness=lambda: self.readiness(),
            loads=lambda: self.pipeline.gate.loads(self._adapters),
            snapshot=self._prober.snapshot,
        )

    def _keep_feedback(self, feedback: Feedback, asker: Asker) -> Feedback | None:
        kept = self._log.put_feedback(feedback, asker.asked, asker.served)
        if kept is not None:
            self.telling.judging.said(kept)
            self._quality.heard(kept, asker)
        return kept
