"""The models of the config → targets, and what serves each: an adapter, and a process where it is embedded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pointsman.app.refused import refused
from pointsman.app.started import LOADING, runs_here, started_with
from pointsman.backends.external import is_external
from pointsman.backends.make import make_backend
from pointsman.backends.settings import BackendSettings
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config, Model
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.node import NodeReport
from pointsman.domain.said import said
from pointsman.domain.target import Target
from pointsman.fleet.builtin import find_builtin, find_engine, find_model
from pointsman.fleet.command import find_program
from pointsman.fleet.command_settings import CommandSettings
from pointsman.fleet.process import ModelProcess
from pointsman.ports.backend import Backend, NodeBackend
from pointsman.ports.local_server import LocalServer
from pointsman.ports.model_driver import LoadFailure

BUILTIN = "builtin:smollm2-135m"
RESETTING = ("embedded", "llamacpp", "vllm")


def with_builtin(config: Config) -> tuple[Config, str | None]:
    """A config without models gets the embedded one, where it is installed; else the reason why it is not there."""
    if config.models:
        return config, None
    try:
        find_engine()
        find_builtin(BUILTIN)
    except Problem as problem:
        return config, problem.message
    light = Model(backends=[BackendConfig(engine="embedded", model=BUILTIN)])
    return msgspec.structs.replace(config, models={"light": light}), None


def targets_of(config: Config) -> dict[str, tuple[tuple[Target, BackendConfig], ...]]:
    """The targets of each key in `models:`, in the order of trying. A backend that stands under two keys with the same
    settings is one target."""
    taken: dict[str, BackendConfig] = {}
    found: dict[str, tuple[tuple[Target, BackendConfig], ...]] = {}
    for tier, model in config.models.items():
        pairs = []
        for backend in model.backends:
            base = backend.name or _place(backend)
            name, number = base, 2
            while taken.get(f"{backend.model}@{name}", backend) != backend:
                name, number = f"{base}-{number}", number + 1
            taken[f"{backend.model}@{name}"] = backend
            target = Target(
                name=f"{backend.model}@{name}",
                tier=tier,
                model=backend.model,
                backend=name,
                engine=backend.engine,
                external=_external(backend),
                embedding=backend.embedding,
                money_per_hour=backend.cost.money_per_hour,
                watts=backend.cost.watts,
            )
            pairs.append((target, backend))
        found[tier] = tuple(pairs)
    return found


class Served(msgspec.Struct, frozen=True):
    """One target at work. `server` is the process that runs it, where the gateway starts it. `changing`: its model comes and
    goes."""

    config: BackendConfig
    backend: Backend
    server: LocalServer | None
    changing: bool = False


def unworkable(config: Config) -> list[Problem]:
    """Settings of backends that no adapter and no process can work with, such as a base URL that is none. What is
    missing altogether is the config's own matter."""
    problems = []
    for tier, pairs in targets_of(config).items():
        for index, (target, backend) in enumerate(pairs):
            path = f"models.{tier}.backends[{index}]"
            if backend.reset_cache is not None and backend.engine not in RESETTING:
                none = said(
                    "engine {engine} cannot be told to forget its cache",
                    "引擎 {engine} 没有清空缓存的办法",
                    engine=backend.engine,
                )
                problems.append(Problem(f"{path}.reset_cache", none, valid=", ".join(RESETTING)))
            keyless = _backend_settings(msgspec.structs.replace(backend, api_key=None))
            try:
                if isinstance(backend.nodes, list):
                    for at, address in enumerate(backend.nodes):
                        path = f"models.{tier}.backends[{index}].nodes[{at}]"
                        make_backend(backend.engine, msgspec.structs.replace(keyless, base_url=address), target)
                elif runs_here(backend):
                    path = f"{path}.command" if backend.command is not None else path
                    started_with(backend)
                elif backend.base_url or backend.engine == "ollama":
                    path = f"{path}.base_url"
                    make_backend(backend.engine, keyless, target)
                    path = f"models.{tier}.backends[{index}].api_key"
                    make_backend(backend.engine, _backend_settings(backend), target)
            except ValueError as error:
                problems.append(refused(path, error))
    return problems


def not_installed(config: Config) -> list[Problem]:
    """Embedded models whose engine or file is not on this machine, and commands whose program is not, at the place of each
    in the config. They may still come, so this is no mistake of the config; the messages say how."""
    found: list[Problem] = []
    for tier, model in config.models.items():
        for index, backend in enumerate(model.backends):
            path = f"models.{tier}.backends[{index}]"
            try:
                if backend.command is not None:
                    found += _without_program(backend, f"{path}.command")
                elif backend.engine == "embedded":
                    find_model(backend.model, path=f"{path}.model")
                    find_engine(path=f"{path}.model")
            except Problem as problem:
                found.append(problem)
    return found


def _without_program(backend: BackendConfig, path: str) -> Iterator[Problem]:
    with contextlib.suppress(ValueError):  # a mistake, which is told as one
        settings = started_with(backend)
        try:
            if isinstance(settings, CommandSettings):
                find_program(settings)
        except LoadFailure as failure:
            yield Problem(path, failure.said)


def started_here(config: Config) -> Iterator[tuple[Target, BackendConfig]]:
    """The targets whose engines the gateway starts itself."""
    for pairs in targets_of(config).values():
        for target, backend in pairs:
            if runs_here(backend):
                yield target, backend


def process_of(
    target: Target, config: BackendConfig, logs: Path, on_change: Callable[[str, ModelProcess], None]
) -> ModelProcess:
    """Raises Problems when the settings cannot work. `logs` is a folder in the data folder; `on_change` hears the target's
    name and its process."""
    with _told_of(target):
        return ModelProcess(
            started_with(config, logs.parent),
            on_change=lambda process: on_change(target.name, process),
            load_timeout=LOADING if config.load is None else config.load.deadline,
            log_path=logs / f"{target.backend.replace('/', '_')}.log",
        )


def serve_target(target: Target, config: BackendConfig, server: LocalServer | None) -> Served:
    """Raises Problems when the settings cannot work. `server` is there where the gateway starts the engine, and only
    then."""
    with _told_of(target):
        return Served(config, make_backend(config.engine, _backend_settings(config), target, server=server), server)


@contextlib.contextmanager
def _told_of(target: Target) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        why = refused("", error)
        text = said("backend {name}: {why}", "后端 {name}：{why}", name=target.name, why=why.message)
        raise Problems([Problem(f"models.{target.tier}", text, valid=why.valid)]) from None


def node_backend(target: Target, config: BackendConfig, node: NodeReport) -> NodeBackend:
    """The adapter of one of the nodes that serve a target. ValueError: it cannot be one, and says why."""
    if node.engine is not None and node.engine != config.engine:
        raise ValueError(said(*_OTHER_ENGINE, node=node.name, its=node.engine, engine=config.engine))
    if not target.external and is_external(node.address):
        raise ValueError(said(*_OUTSIDE, node=node.name, address=node.address))
    settings = _backend_settings(msgspec.structs.replace(config, base_url=node.address))
    settings = msgspec.structs.replace(settings, probe_timeout=config.node_health.timeout)
    return make_backend(config.engine, settings, target)


_OTHER_ENGINE = (
    "node {node} runs {its}, and the backend is for {engine}: nothing is sent there",
    "节点 {node} 运行的是 {its}，而这个后端配置的是 {engine}：不会向它发送请求",
)
_OUTSIDE = (
    "node {node} at {address} is outside this network: mark the backend external: true to allow it",
    "节点 {node}（{address}）不在本网络内：要允许，请给这个后端设置 external: true",
)


def _backend_settings(config: BackendConfig) -> BackendSettings:
    return BackendSettings(
        model=config.model,
        base_url=config.base_url,
        api_key=config.api_key,
        forward_authorization=config.forward_authorization,
        context=config.context,
        connect_timeout=config.connect_timeout,
        first_byte_timeout=config.first_byte_timeout,
        reply_timeout=config.reply_timeout,
        idle_expiry=config.keep_alive,
        ca_file=config.ca_file,
        idle_timeout=config.idle_timeout,
        reset_cache=config.reset_cache,
    )


def _place(backend: BackendConfig) -> str:
    if runs_here(backend) and backend.base_url is None:
        return backend.engine
    if backend.nodes is not None:
        return "nodes"
    url = backend.base_url or "http://127.0.0.1:11434"
    return url.split("://", 1)[-1].split("/", 1)[0].rpartition("@")[2]


def _external(backend: BackendConfig) -> bool:
    if backend.external is not None:
        return backend.external
    addresses = backend.nodes if isinstance(backend.nodes, list) else [backend.base_url] if backend.base_url else []
    return any(is_external(address) for address in addresses)
