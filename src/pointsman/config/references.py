"""What one part of the config says of another: names that must exist, keys that a public address needs."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Sequence
from typing import get_args
from urllib.parse import urlsplit

from pointsman.config.schema import RESERVED, TIER_ALIASES, Config
from pointsman.config.timezone import zone_name
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.features import Language
from pointsman.domain.task_types import TASK_TYPES

LANGUAGES: tuple[str, ...] = get_args(Language)


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


def cross_check(config: Config, broken: Collection[str] = ()) -> tuple[list[Problem], list[str]]:
    """Problems, and notes that are no errors. Sections in `broken` lack something: nothing is said of names
    that may be there."""
    problems: list[Problem] = []
    try:
        zone_name(config.server.timezone)
    except Problem as problem:
        problems.append(problem)
    if config.server.public_url is not None:
        _public_url(config.server.public_url, problems)
    if "models" not in broken:
        _targets(config, problems)
    _backends(config, problems)
    if "entries" not in broken:
        _unique_names(config, problems)
    _routes(config, None if "entries" in broken else list(config.entries), problems)
    for name, entry in config.entries.items():
        if entry.arbiter != "off":
            problems.append(Problem(f"entries.{name}.arbiter", "this version has no arbiter yet", valid="off"))
    if not is_loopback(config.server.host) and not config.auth.keys and "auth" not in broken:
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
    notes = [f"{name}: this version does not read this section yet" for name in RESERVED if getattr(config, name)]
    return problems, notes


def unknown_packs(config: Config, loaded: Collection[str]) -> list[Problem]:
    """Packs that entries name and that no rule file belongs to."""
    known = sorted(loaded)
    return [
        Problem(
            f"entries.{name}.packs[{index}]",
            f"no pack {pack!r} is loaded{did_you_mean(pack, known)}",
            valid=", ".join(known) or "none: rules names no pack",
        )
        for name, entry in config.entries.items()
        for index, pack in enumerate(entry.packs or ())
        if pack not in loaded
    ]


def _routes(config: Config, entries: list[str] | None, problems: list[Problem]) -> None:
    for index, route in enumerate(config.routes):
        path, match = f"routes[{index}].match", route.match
        _words(f"{path}.task_type", "task type", match.task_type, TASK_TYPES, problems)
        _words(f"{path}.language", "language", match.language, LANGUAGES, problems)
        if entries is not None:
            _words(f"{path}.entry", "entry", match.entry, entries, problems)
        low, high = match.min_tokens, match.max_tokens
        if low is not None and high is not None and low > high:
            problems.append(Problem(path, f"min_tokens {low} is above max_tokens {high}: it never matches"))


def _words(path: str, kind: str, given: str | list[str] | None, valid: Sequence[str], problems: list[Problem]) -> None:
    """Each of one word or several has to be among the valid ones."""
    for word in [given] if isinstance(given, str) else given or ():
        if word not in valid:
            hint = did_you_mean(word, list(valid))
            problems.append(Problem(path, f"no {kind} {word!r}{hint}", valid=", ".join(valid) or "none"))


def _public_url(url: str, problems: list[Problem]) -> None:
    valid = "https://HOST[:PORT][/PATH]"
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not url.isprintable() or " " in url:
        problems.append(Problem("server.public_url", f"{url!r} is no address of a server", valid=valid))
    elif parts.query or parts.fragment or "?" in url or "#" in url:
        problems.append(Problem("server.public_url", f"{url!r}: links cannot stand behind ? or #", valid=valid))


def _targets(config: Config, problems: list[Problem]) -> None:
    names = target_names(config)
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
