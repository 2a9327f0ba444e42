"""What one part of the config says of another: names that must exist, keys that a public address needs."""

from __future__ import annotations

import ipaddress

from pointsman.config.schema import RESERVED, TIER_ALIASES, Config
from pointsman.config.timezone import zone_name
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.task_types import TASK_TYPES


def target_names(config: Config) -> dict[str, str]:
    """Every name that reaches models, and the key in `models:` it stands for; a real model name maps to its first."""
    names = {tier: tier for tier in config.models}
    for tier, model in config.models.items():
        names.update(dict.fromkeys(model.aliases, tier))
    names.update({alias: tier for alias, tier in TIER_ALIASES.items() if tier in config.models and alias not in names})
    for tier, model in config.models.items():
        for backend in model.backends:
            names.setdefault(backend.model, tier)
    return names


def cross_check(config: Config) -> tuple[list[Problem], list[str]]:
    """Problems, and notes that are no errors."""
    problems: list[Problem] = []
    notes: list[str] = []
    names = target_names(config)
    try:
        zone_name(config.server.timezone)
    except Problem as problem:
        problems.append(problem)
    _targets(config, names, problems)
    _backends(config, problems)
    _unique_names(config, problems)
    for index, route in enumerate(config.routes):
        wanted = route.match.task_type
        for task in [wanted] if isinstance(wanted, str) else wanted or []:
            if task not in TASK_TYPES:
                hint = did_you_mean(task, list(TASK_TYPES))
                problems.append(
                    Problem(
                        f"routes[{index}].match.task_type", f"no task type {task!r}{hint}", valid=", ".join(TASK_TYPES)
                    )
                )
        low, high = route.match.min_tokens, route.match.max_tokens
        if low is not None and high is not None and low > high:
            problems.append(
                Problem(f"routes[{index}].match", f"min_tokens {low} is above max_tokens {high}: it never matches")
            )
    for name, entry in config.entries.items():
        if entry.arbiter != "off":
            problems.append(Problem(f"entries.{name}.arbiter", "this version has no arbiter yet", valid="off"))
    if not is_loopback(config.server.host) and not config.auth.keys:
        problems.append(
            Problem(
                "server.host",
                f"{config.server.host} can be reached from other machines, and auth.keys is empty; make a key with "
                "`pointsman keys new NAME` and put its hash under auth.keys, or listen on 127.0.0.1",
            )
        )
    seen: dict[str, int] = {}
    for index, key in enumerate(config.auth.keys):
        if key.name in seen:
            problems.append(
                Problem(f"auth.keys[{index}].name", f"{key.name!r} is the name of auth.keys[{seen[key.name]}] too")
            )
        seen[key.name] = index
    notes += [f"{name}: this version does not read this section yet" for name in RESERVED if getattr(config, name)]
    return problems, notes


def _targets(config: Config, names: dict[str, str], problems: list[Problem]) -> None:
    valid = ", ".join(names) or "none: models is empty"
    wanted = [(f"routes[{i}].target", route.target) for i, route in enumerate(config.routes)]
    if config.fallback.target:
        wanted.append(("fallback.target", config.fallback.target))
    for path, name in wanted:
        if name not in names:
            problems.append(
                Problem(path, f"{name!r} is no tier, alias or model{did_you_mean(name, list(names))}", valid=valid)
            )


def _backends(config: Config, problems: list[Problem]) -> None:
    for tier, model in config.models.items():
        for index, backend in enumerate(model.backends):
            path = f"models.{tier}.backends[{index}]"
            if backend.engine == "embedded" and backend.base_url:
                problems.append(Problem(f"{path}.base_url", "an embedded engine has none; name its port under port"))
            if backend.engine not in ("embedded", "ollama") and not backend.base_url:
                problems.append(
                    Problem(
                        f"{path}.base_url",
                        f"is missing: where does {backend.engine} listen?",
                        valid="http://host:port/v1",
                    )
                )


def _unique_names(config: Config, problems: list[Problem]) -> None:
    owner: dict[str, str] = {}
    claims = [(f"entries.{name}", name) for name in config.entries]
    claims += [(f"models.{tier}", tier) for tier in config.models]
    claims += [
        (f"models.{tier}.aliases[{i}]", alias) for tier, m in config.models.items() for i, alias in enumerate(m.aliases)
    ]
    for path, name in claims:
        if name in owner:
            problems.append(Problem(path, f"the name {name!r} is taken by {owner[name]}"))
        owner.setdefault(name, path)


def is_loopback(host: str) -> bool:
    """True where only this machine reaches the address."""
    if host == "localhost" or host.startswith("/"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
