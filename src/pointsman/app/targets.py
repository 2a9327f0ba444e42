"""The models of the config → targets, and what serves each: an adapter, and a process where it is embedded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pointsman.app.refused import refused
from pointsman.backends.external import is_external
from pointsman.backends.make import make_backend
from pointsman.backends.settings import BackendSettings
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config, Model
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said
from pointsman.domain.target import Target
from pointsman.fleet.builtin import find_builtin, find_engine, find_model
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings
from pointsman.ports.backend import Backend
from pointsman.ports.local_server import LocalServer

BUILTIN = "builtin:smollm2-135m"
NOWHERE = "/nonexistent/"
"""llama.cpp lets slots be erased only where it may save them too: into no folder at all."""
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
    """One target at work. `server` is the process that runs it, where it is embedded."""

    config: BackendConfig
    backend: Backend
    server: LocalServer | None


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
                if backend.engine == "embedded":
                    _model_settings(backend)
                elif backend.base_url or backend.engine == "ollama":
                    path = f"{path}.base_url"
                    make_backend(backend.engine, keyless, target)
                    path = f"models.{tier}.backends[{index}].api_key"
                    make_backend(backend.engine, _backend_settings(backend), target)
            except ValueError as error:
                problems.append(refused(path, error))
    return problems


def not_installed(config: Config) -> list[Problem]:
    """Embedded models whose engine or file is not on this machine, at the place of each in the config. They may still
    come, so this is no mistake of the config; the messages say how."""
    found = []
    for tier, model in config.models.items():
        for index, backend in enumerate(model.backends):
            if backend.engine != "embedded":
                continue
            path = f"models.{tier}.backends[{index}].model"
            try:
                find_model(backend.model, path=path)
                find_engine(path=path)
            except Problem as problem:
                found.append(problem)
    return found


def embedded(config: Config) -> Iterator[tuple[Target, BackendConfig]]:
    """The targets that the gateway runs itself."""
    for pairs in targets_of(config).values():
        for target, backend in pairs:
            if backend.engine == "embedded":
                yield target, backend


def process_of(
    target: Target, config: BackendConfig, logs: Path, on_change: Callable[[str, ModelProcess], None]
) -> ModelProcess:
    """Raises Problems when the settings cannot work. `on_change` hears the target's name and its process."""
    with _told_of(target):
        return ModelProcess(
            _model_settings(config),
            on_change=lambda process: on_change(target.name, process),
            log_path=logs / f"{target.backend.replace('/', '_')}.log",
        )


def serve_target(target: Target, config: BackendConfig, server: LocalServer | None) -> Served:
    """Raises Problems when the settings cannot work. `server` is there for an embedded model, and only then."""
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


def _model_settings(config: BackendConfig) -> ModelSettings:
    return ModelSettings(
        model=config.model,
        name=config.model,
        context=config.context,
        slots=config.slots or 2,
        threads=config.threads,
        port=config.port,
        gpu_layers=config.gpu_layers,
        embedding=config.embedding,
        extra={"slot_save_path": NOWHERE} if config.reset_cache else {},
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
    if backend.engine == "embedded":
        return "embedded"
    url = backend.base_url or "http://127.0.0.1:11434"
    return url.split("://", 1)[-1].split("/", 1)[0].rpartition("@")[2]


def _external(backend: BackendConfig) -> bool:
    if backend.external is not None:
        return backend.external
    return backend.base_url is not None and is_external(backend.base_url)
