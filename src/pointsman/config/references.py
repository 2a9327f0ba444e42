"""What one part of the config says of another: names that must exist, keys that a public address needs."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Collection, Iterable, Sequence
from typing import get_args
from urllib.parse import urlsplit

from pointsman.config.commands import wrong_command
from pointsman.config.nodes import wrong_nodes
from pointsman.config.policy_schema import SHIPPED, weights_of
from pointsman.config.schema import TIER_ALIASES, Config
from pointsman.config.timezone import zone_name
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.features import Language
from pointsman.domain.said import said
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


def cross_check(config: Config, broken: Collection[str] = ()) -> list[Problem]:
    """Sections in `broken` lack something: nothing is said of names that may be there."""
    problems: list[Problem] = []
    try:
        zone_name(config.server.timezone)
    except Problem as problem:
        problems.append(problem)
    if config.server.public_url is not None:
        _address("server.public_url", config.server.public_url, problems)
    if config.telemetry.otlp.endpoint is not None:
        _address("telemetry.otlp.endpoint", config.telemetry.otlp.endpoint, problems)
    if "models" not in broken:
        _targets(config, problems)
    _backends(config, problems)
    if "entries" not in broken:
        _unique_names(config, problems)
    _weights(config, broken, problems)
    _routes(config, None if "entries" in broken else list(config.entries), "auth" in broken, problems)
    if not is_loopback(config.server.host) and not config.auth.keys and "auth" not in broken:
        problems.append(
            Problem(
                "server.host",
                said(
                    "{host} can be reached from other machines, and auth.keys is empty; make a key with "
                    "`pointsman keys new NAME` and put its hash under auth.keys, or listen on 127.0.0.1",
                    "其他机器可以访问 {host}，而 auth.keys 是空的；请用 `pointsman keys new NAME` 生成密钥并把哈希写到 "
                    "auth.keys 下，或者只监听 127.0.0.1",
                    host=config.server.host,
                ),
            )
        )
    seen: dict[str, int] = {}
    for index, key in enumerate(config.auth.keys):
        if key.name in seen:
            message = said(
                "{name!r} is the name of auth.keys[{other}] too",
                "{name!r} 也是 auth.keys[{other}] 的名字",
                name=key.name,
                other=seen[key.name],
            )
            problems.append(Problem(f"auth.keys[{index}].name", message))
        seen[key.name] = index
    return problems


def unknown_packs(config: Config, loaded: Collection[str]) -> list[Problem]:
    """Packs that entries name and that no rule file belongs to."""
    known = sorted(loaded)
    return [
        Problem(
            f"entries.{name}.packs[{index}]",
            said(
                "no pack {pack!r} is loaded{hint}",
                "没有加载规则包 {pack!r}{hint}",
                pack=pack,
                hint=did_you_mean(pack, known),
            ),
            valid=", ".join(known) or said("none: rules names no pack", "没有：rules 里没有列出任何规则包"),
        )
        for name, entry in config.entries.items()
        for index, pack in enumerate(entry.packs or ())
        if pack not in loaded
    ]


def _routes(config: Config, entries: list[str] | None, keys_broken: bool, problems: list[Problem]) -> None:
    keys = ["anonymous", *(key.name for key in config.auth.keys)]
    groups = list(dict.fromkeys(key.group for key in config.auth.keys if key.group))
    for index, route in enumerate(config.routes):
        path, match = f"routes[{index}].match", route.match
        _words(f"{path}.task_type", said("task type", "任务类型"), match.task_type, TASK_TYPES, problems)
        _words(f"{path}.language", said("language", "语言"), match.language, LANGUAGES, problems)
        if entries is not None:
            _words(f"{path}.entry", said("entry", "入口"), match.entry, entries, problems)
        if not keys_broken:
            _words(f"{path}.key", said("key", "密钥"), match.key, keys, problems)
            _words(f"{path}.group", said("group", "分组"), match.group, groups, problems)
        for word in [match.keywords] if isinstance(match.keywords, str) else match.keywords or ():
            if not word.strip():
                problems.append(Problem(f"{path}.keywords", said("a keyword is empty", "有一个关键词是空的")))
        least, most = match.min_difficulty, match.max_difficulty
        if least is not None and most is not None and least > most:
            message = said(
                "min_difficulty {low} is above max_difficulty {high}: it never matches",
                "min_difficulty {low} 大于 max_difficulty {high}，永远不会匹配",
                low=least,
                high=most,
            )
            problems.append(Problem(path, message))
        low, high = match.min_tokens, match.max_tokens
        if low is not None and high is not None and low > high:
            message = said(
                "min_tokens {low} is above max_tokens {high}: it never matches",
                "min_tokens {low} 大于 max_tokens {high}，永远不会匹配",
                low=low,
                high=high,
            )
            problems.append(Problem(path, message))


def _weights(config: Config, broken: Collection[str], problems: list[Problem]) -> None:
    if "policy" in broken:
        return
    for name, given in config.policy.items():
        weights = weights_of(name, given)
        path = f"policy.{name}"
        if not all(map(math.isfinite, weights)):
            message = said("weights must be finite numbers", "权重必须是有限的数")
            problems.append(Problem(path, message, valid=_A_WEIGHT))
        elif not any(weights):
            message = said(
                "all its weights are 0: every target would score the same",
                "全部权重都是 0：所有目标的得分都会一样",
            )
            problems.append(Problem(path, message, valid=_A_WEIGHT))
    known = list(dict.fromkeys([*SHIPPED, *config.policy]))
    for name, entry in config.entries.items():
        if entry.policy is not None and entry.policy not in known:
            hint = did_you_mean(entry.policy, known)
            message = said(
                "there is no policy {name!r}{hint}", "没有名为 {name!r} 的策略{hint}", name=entry.policy, hint=hint
            )
            problems.append(Problem(f"entries.{name}.policy", message, valid=", ".join(known)))


_A_WEIGHT = said(
    "quality, latency, cost: 0 to 1000, one of them above 0", "quality、latency、cost：0 到 1000，至少一个大于 0"
)


def _words(path: str, kind: str, given: str | list[str] | None, valid: Sequence[str], problems: list[Problem]) -> None:
    """Each of one word or several has to be among the valid ones."""
    for word in [given] if isinstance(given, str) else given or ():
        if word not in valid:
            hint = did_you_mean(word, list(valid))
            message = said("no {kind} {word!r}{hint}", "没有{kind} {word!r}{hint}", kind=kind, word=word, hint=hint)
            problems.append(Problem(path, message, valid=", ".join(valid) or said("none", "没有")))


def _address(path: str, url: str, problems: list[Problem]) -> None:
    """What a path is put behind."""
    valid = "https://HOST[:PORT][/PATH]"
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or not url.isprintable() or " " in url:
        message = said("{url!r} is no address of a server", "{url!r} 不是服务器的地址", url=url)
        problems.append(Problem(path, message, valid=valid))
    elif parts.query or parts.fragment or "?" in url or "#" in url:
        message = said("{url!r}: links cannot stand behind ? or #", "{url!r}：链接不能接在 ? 或 # 后面", url=url)
        problems.append(Problem(path, message, valid=valid))


def _targets(config: Config, problems: list[Problem]) -> None:
    names = target_names(config)
    valid = ", ".join(names) or said("none: models is empty", "没有：models 是空的")
    wanted = [(f"routes[{i}].target", route.target) for i, route in enumerate(config.routes)]
    if config.fallback.target:
        wanted.append(("fallback.target", config.fallback.target))
    for path, name in wanted:
        if name not in names:
            problems.append(Problem(path, no_target(name, names), valid=valid))


def no_target(name: str, names: Iterable[str]) -> str:
    """What is said of a target that is not among the valid `names`."""
    return said(
        "{name!r} is no tier, alias or model{hint}",
        "没有名为 {name!r} 的档位、别名或模型{hint}",
        name=name,
        hint=did_you_mean(name, list(names)),
    )


def _backends(config: Config, problems: list[Problem]) -> None:
    for tier, model in config.models.items():
        for index, backend in enumerate(model.backends):
            path = f"models.{tier}.backends[{index}]"
            if backend.engine == "embedded" and backend.base_url:
                message = said(
                    "an embedded engine has none; name its port under port",
                    "内置引擎（embedded）没有这一项；端口写在 port 里",
                )
                problems.append(Problem(f"{path}.base_url", message))
            problems += wrong_command(backend, path)
            if backend.nodes is not None:
                problems += wrong_nodes(config, backend, path)
                continue
            if backend.engine not in ("embedded", "ollama") and not backend.base_url and backend.command is None:
                message = said(
                    "is missing: where does {engine} listen?",
                    "缺少这一项：{engine} 监听在哪里？",
                    engine=backend.engine,
                )
                problems.append(Problem(f"{path}.base_url", message, valid="http://host:port/v1"))


def _unique_names(config: Config, problems: list[Problem]) -> None:
    owner: dict[str, str] = {}
    claims = [(f"entries.{name}", name) for name in config.entries]
    claims += [(f"models.{tier}", tier) for tier in config.models]
    claims += [
        (f"models.{tier}.aliases[{i}]", alias) for tier, m in config.models.items() for i, alias in enumerate(m.aliases)
    ]
    for path, name in claims:
        if name in owner:
            message = said(
                "the name {name!r} is taken by {owner}", "名字 {name!r} 已被 {owner} 占用", name=name, owner=owner[name]
            )
            problems.append(Problem(path, message))
        owner.setdefault(name, path)


def is_loopback(host: str) -> bool:
    """True where only this machine reaches the address."""
    if host == "localhost" or host.startswith("/"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
