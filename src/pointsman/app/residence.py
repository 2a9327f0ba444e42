"""The config → which models come and go, and who loads them; and keeping them so, once for all processes that serve."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pointsman.app.started import runs_here
from pointsman.app.targets import Served, serve_target, targets_of
from pointsman.config.paths import data_dir
from pointsman.config.residency_schema import Load
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config, parse_size, parse_span
from pointsman.config.timezone import zone_name
from pointsman.domain.errors import Problem
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.residence import Residence
from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts, Target
from pointsman.fleet.drivers.process import ProcessDriver
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import Sizing
from pointsman.pipeline.intent_rules import filler_of
from pointsman.pipeline.quiet_restart import QuietRestarts
from pointsman.pipeline.residence.board import Board
from pointsman.pipeline.residence.floor import Floor
from pointsman.pipeline.residence.hands import Counted
from pointsman.pipeline.residence.keeper import Keeper
from pointsman.pipeline.residence.plan import Plan
from pointsman.pipeline.residence.resident_backend import ResidentBackend
from pointsman.pipeline.schedules.times import VALID, Timing, check_cron
from pointsman.ports.backend import Backend
from pointsman.ports.clock import Clock
from pointsman.ports.model_driver import ModelDriver
from pointsman.residency.unit import Rules, Unit

if TYPE_CHECKING:
    from pointsman.fleet.room_to_load import Where

STEERED = ("ollama", "llamacpp", "vllm")
"""Engines that can be told to load and unload; the gateway starts the embedded one, and commands."""
_ALWAYS = Load()


def is_local(backend: BackendConfig) -> bool:
    """Whether the gateway starts its engine, so that without the model there is no server."""
    return runs_here(backend)


def comes_and_goes(config: Config, backend: BackendConfig) -> bool:
    """Whether its model is not simply always there."""
    if is_local(backend):
        return backend.load is not None or config.memory.budget is not None
    return backend.load is not None and backend.engine in STEERED and backend.nodes is None


def coming_and_going(config: Config) -> dict[str, tuple[Target, BackendConfig]]:
    """Those targets, by name, in the order of the config."""
    return {
        target.name: (target, backend)
        for pairs in targets_of(config).values()
        for target, backend in pairs
        if comes_and_goes(config, backend)
    }


def facts_of(backend: BackendConfig) -> ModelFacts:
    """What is known of it before its engine runs."""
    slots = backend.slots or 2 if backend.engine == "embedded" else backend.slots
    return ModelFacts(context_length=backend.context, slots=slots)


def resident(served: Served, board: Board) -> Served:
    """The same target, as one whose model comes and goes."""
    local, facts = is_local(served.config), facts_of(served.config)
    backend = ResidentBackend(served.backend, board, local=local, facts=facts)
    return msgspec.structs.replace(served, backend=backend, changing=True)


def arbitrating(config: Config, document: PolicyDocument) -> frozenset[str]:
    """Targets that hear or fill for an entry: they are not to go for the model that then answers."""
    names = {entry.arbiter for entry in document.entries if entry.arbiter != "off"}
    if names:
        names |= {config.arbiter.verify, filler_of(config) or "off"}
    return frozenset(target for name in names for target in document.names.get(name, ()))


class Kept(msgspec.Struct, frozen=True):
    """One model with its driver, and what they were made for; `backend` is the driver's own way to the engine."""

    config: BackendConfig
    process: ModelProcess | None
    driver: ModelDriver
    backend: Backend | None = None


class Made(msgspec.Struct, frozen=True):
    """What a config asks for, not yet installed."""

    plan: Plan
    kept: dict[str, Kept]
    restarts: dict[str, Timing] = {}


class Residency:
    """Drivers and their keeper, which outlive reloads."""

    def __init__(self, clock: Clock, floor: Floor, counted: Counted) -> None:
        self.keeper = keeper = Keeper(clock, floor, counted)
        self._restarts = QuietRestarts(
            clock,
            lambda name: floor.demands([name])[name],
            lambda name: keeper.residences.get(name),
            keeper.restart,
            keeper.restarts,
        )
        self._kept: dict[str, Kept] = {}
        self._sizes: dict[Sizing, int | None] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def made(self, config: Config, document: PolicyDocument, processes: Mapping[str, ModelProcess]) -> Made:
        """`processes` are those of the targets that the gateway starts itself. Drivers of models whose settings are as
        before are the same. Raises Problems."""
        kept: dict[str, Kept] = {}
        wanted = coming_and_going(config)
        for name, (target, backend) in wanted.items():
            old, process = self._kept.get(name), processes.get(name)
            if old is not None and old.config == backend and old.process is process:
                kept[name] = old
            else:
                kept[name] = _kept(target, backend, process, data_dir(config))
        zone = zone_name(config.server.timezone)
        restarts = {
            name: Timing(backend.load.restart, zone)
            for name, (_, backend) in wanted.items()
            if backend.load is not None and backend.load.restart is not None
        }
        return Made(self._plan(config, document, wanted, kept), kept, restarts)

    def install(self, made: Made) -> None:
        old, self._kept = self._kept, made.kept
        self.keeper.install(made.plan)
        self._restarts.install(made.restarts)
        for name, kept in old.items():
            if kept.backend is not None and made.kept.get(name) is not kept:
                task = asyncio.create_task(kept.backend.close())
                self._closing.add(task)
                task.add_done_callback(self._closing.discard)

    async def manage(self, verb: str, target: str) -> Residence:
        """`load`, `unload`, `pin` or `unpin`. Raises KeyError for a model that does not come and go, LoadFailure."""
        if verb == "load":
            return await self.keeper.load(target)
        if verb == "unload":
            return await self.keeper.unload(target)
        return self.keeper.pin(target, verb == "pin")

    async def close(self) -> None:
        await self._restarts.close()
        await self.keeper.close()
        backends = [kept.backend for kept in self._kept.values() if kept.backend is not None]
        await asyncio.gather(*(backend.close() for backend in backends), *self._closing)

    def _plan(
        self,
        config: Config,
        document: PolicyDocument,
        wanted: Mapping[str, tuple[Target, BackendConfig]],
        kept: Mapping[str, Kept],
    ) -> Plan:
        folder = data_dir(config)
        loads = {name: backend.load or _ALWAYS for name, (_, backend) in wanted.items()}
        memory = (
            {}
            if config.memory.budget is None
            else {name: needed_by(backend, folder, self._sizes) for name, (_, backend) in wanted.items()}
        )
        return Plan(
            units=tuple(_units(config, loads, memory, arbitrating(config, document))),
            rules=_rules(config),
            drivers={name: each.driver for name, each in kept.items()},
            groups={name: load.group for name, load in loads.items() if load.group is not None},
            memory={name: size for name, size in memory.items() if size is not None},
            drains={name: load.drain for name, load in loads.items()},
        )


def units_and_rules(config: Config, document: PolicyDocument) -> tuple[tuple[Unit, ...], Rules]:
    """What residency/ decides about, as the config has it."""
    wanted = coming_and_going(config)
    loads = {name: backend.load or _ALWAYS for name, (_, backend) in wanted.items()}
    sizes: dict[Sizing, int | None] = {}
    memory = {
        name: needed_by(backend, data_dir(config), sizes)
        for name, (_, backend) in wanted.items()
        if config.memory.budget is not None
    }
    return tuple(_units(config, loads, memory, arbitrating(config, document))), _rules(config)


def _rules(config: Config) -> Rules:
    given = config.memory
    return Rules(None if given.budget is None else parse_size(given.budget), given.patience, given.gather)


def needed_by(backend: BackendConfig, folder: Path, sizes: dict[Sizing, int | None]) -> int | None:
    """Bytes, as the config says; else as its file tells; else as it took the last time. Reads the head of a file that is not
    among `sizes` yet."""
    if backend.load is not None and backend.load.memory is not None:
        return parse_size(backend.load.memory)
    from pointsman.fleet.measured_memory import last_measured, measured_in
    from pointsman.fleet.model_memory import memory_of  # only where there is a budget

    sizing = Sizing(backend.model, backend.context, facts_of(backend).slots or 1, backend.gpu_layers)
    if sizing not in sizes:
        sizes[sizing] = memory_of(sizing) if is_local(backend) else None
    found = sizes[sizing]
    return last_measured(measured_in(folder), setup_of(backend)) if found is None else found


def setup_of(backend: BackendConfig) -> str:
    """What its memory depends on, as far as the config says it."""
    where = (backend.base_url, backend.command, backend.env)
    how = (backend.engine, backend.model, backend.context, backend.slots, backend.gpu_layers, where)
    return hashlib.sha256(msgspec.json.encode(how)).hexdigest()[:32]


def wrong_residency(config: Config) -> Iterator[Problem]:
    """What the config says of models that come and go, and that cannot be."""
    groups = config.memory.groups
    for tier, model in config.models.items():
        for index, backend in enumerate(model.backends):
            load, path = backend.load, f"models.{tier}.backends[{index}].load"
            if load is None:
                continue
            if backend.nodes is not None:
                en = "the models of nodes come and go by their own engines' word, not by this gateway's"
                yield Problem(path, Said(en, "节点上的模型由节点自己的引擎装卸，不归本网关管"))
            elif not comes_and_goes(config, backend):
                en = "engine {engine} cannot be told to load or unload a model, and the gateway does not start it"
                zh = "引擎 {engine} 不能按要求加载或卸载模型，网关也不负责启动它"
                valid = ", ".join(("embedded", *STEERED, "command"))
                yield Problem(path, said(en, zh, engine=backend.engine), valid=valid)
            if load.group is not None and load.group not in groups:
                unknown = said("there is no group {name}", "没有 {name} 这个组", name=load.group)
                names = ", ".join(groups) or Said("none: memory.groups is empty", "没有：memory.groups 是空的")
                yield Problem(f"{path}.group", unknown, valid=names)
            if load.when == "demand" and config.admission.queue == 0:
                en = "who asks for it has to wait until it is loaded, and admission.queue is 0"
                zh = "请求要等它加载完，而 admission.queue 是 0，不允许排队"
                yield Problem(f"{path}.when", Said(en, zh))
            if load.restart is not None:
                try:
                    check_cron(load.restart)
                except ValueError as error:
                    yield Problem(f"{path}.restart", error.args[0], valid=VALID)
            yield from _too_large(config, load, path)


def _too_large(config: Config, load: Load, path: str) -> Iterator[Problem]:
    budget = config.memory.budget
    if load.memory is not None and budget is not None and parse_size(load.memory) > parse_size(budget):
        en, zh = "{memory} never fits: memory.budget is {budget}", "{memory} 永远放不下：memory.budget 是 {budget}"
        yield Problem(f"{path}.memory", said(en, zh, memory=load.memory, budget=budget))


def _kept(target: Target, backend: BackendConfig, process: ModelProcess | None, folder: Path) -> Kept:
    def measured(size: int) -> None:
        from pointsman.fleet.measured_memory import keep_measured, measured_in

        keep_measured(measured_in(folder), setup_of(backend), size)

    if process is not None:

        def check() -> None:
            from pointsman.fleet.room_to_load import check_room

            needs = needed_by(backend, folder, {})
            if needs is not None:
                check_room(target.name, needs, _runs_on(backend))

        return Kept(backend, process, ProcessDriver(process, check=check, measured=measured))
    deadline = (backend.load or _ALWAYS).deadline
    own = msgspec.structs.replace(backend, reply_timeout=max(deadline, backend.reply_timeout), reset_cache=None)
    engine = serve_target(target, own, None).backend
    return Kept(backend, None, _steering(backend.engine, engine, deadline, measured), engine)


def _runs_on(backend: BackendConfig) -> Where:
    """llama.cpp puts what does not fit on the card into main memory, unless it is told how much goes there."""
    if backend.gpu_layers == 0:
        return "main"
    return "both" if backend.engine in ("embedded", "llamacpp") and backend.gpu_layers is None else "card"


def _steering(engine: str, backend: Backend, deadline: float, measured: Callable[[int], None]) -> ModelDriver:
    """The driver of an engine that is only steered; imported where there is one."""
    if engine == "ollama":
        from pointsman.fleet.drivers.ollama import OllamaDriver

        return OllamaDriver(backend, measured=measured, deadline=deadline)
    if engine == "llamacpp":
        from pointsman.fleet.drivers.llamacpp_router import RouterDriver

        return RouterDriver(backend, deadline=deadline)
    from pointsman.fleet.drivers.vllm_sleep import SleepDriver

    return SleepDriver(backend, deadline=deadline)


def _units(
    config: Config, loads: Mapping[str, Load], memory: Mapping[str, int | None], pinned: frozenset[str]
) -> Iterator[Unit]:
    """One for each model, and for each group whose models go together."""
    together: dict[str, list[str]] = {}
    for name, load in loads.items():
        if load.group is not None and config.memory.groups.get(load.group) == "together":
            together.setdefault(load.group, []).append(name)
    seen: set[str] = set()
    for name, load in loads.items():
        group = load.group if load.group in together else None
        models = (name,) if group is None else tuple(together[group])
        if name in seen:
            continue
        seen.update(models)
        ours = [loads[each] for each in models]
        idles = [None if each.idle is None else parse_span(each.idle) for each in ours]
        sizes = [memory.get(each) for each in models]
        known = [size for size in sizes if size is not None]
        yield Unit(
            name if group is None else group,
            models,
            sum(known) if len(known) == len(models) else None,
            pinned=any(each.pin for each in ours) or not pinned.isdisjoint(models),
            exclusive=load.group if group is None else None,
            idle=max((each for each in idles if each is not None), default=None) if None not in idles else None,
            start=any(each.when == "start" for each in ours),
        )
