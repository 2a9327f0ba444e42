"""What the owner of a config should know of its arbiters, though it is no error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pointsman.config.schema import Config
from pointsman.domain.said import Said, said
from pointsman.domain.target import Target
from pointsman.pipeline.intent_rules import EMBEDDED, filler_of, is_on

_NO_INTENTS = (
    "an entry has an arbiter, but there are no intents: nothing is put to it",
    "入口设了仲裁器，但没有任何意图：不会用到它",
)
_BARE = ("intents without any example are hardly recognised: {names}", "没有例句的意图很难认出来：{names}")
_ROLES = ("no key under auth.keys has the role {names}", "auth.keys 里没有任何密钥的角色是 {names}")
_NEVER_ASKS = (
    "arbiter.clarify.least is above arbiter.gate: nobody is ever asked",
    "arbiter.clarify.least 高于 arbiter.gate：永远不会反问用户",
)
_SHARED = (
    "{name} arbitrates and serves chats on the same backend ({shared}): a query may wait behind a chat. Give it a backend "
    "of its own",
    "{name} 在同一个后端（{shared}）上既做仲裁又接对话：仲裁可能要排在对话后面，最好给它单独的后端",
)


def notes_of(config: Config, targets: Sequence[Target], names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What the owner should know of arbiters, though it is no error."""
    arbiter = config.arbiter
    if not is_on(config):
        return
    if not arbiter.intents:
        yield Said(*_NO_INTENTS)
        return
    bare = [name for name, intent in arbiter.intents.items() if not intent.examples]
    if bare:
        yield said(*_BARE, names=", ".join(bare))
    roles = {key.role for key in config.auth.keys if key.role}
    strange = sorted({role for intent in arbiter.intents.values() for role in intent.roles} - roles)
    if strange:
        yield said(*_ROLES, names=", ".join(strange))
    if arbiter.clarify.least > arbiter.gate:
        yield Said(*_NEVER_ASKS)
    risky = [name for name, intent in arbiter.intents.items() if intent.risk == "high"]
    if risky and arbiter.verify == "off":
        en = "arbiter.verify is off: intents of high risk ({names}) are confirmed by the user"
        zh = "arbiter.verify 没有设置：高风险意图（{names}）由用户确认"
        yield said(en, zh, names=", ".join(risky))
    inside = any(entry.keep_local for entry in config.entries.values() if entry.arbiter != "off")
    by_name = {target.name: target for target in targets}
    filler = filler_of(config)
    used = {entry.arbiter for entry in config.entries.values()} | {arbiter.verify} | ({filler} if filler else set())
    chats = {t for name in _routed_to(config) for t in names.get(name, ())}
    for name in sorted(used - {"off", EMBEDDED}):
        mine = names.get(name, ())
        if inside and mine and all(by_name[target].external for target in mine):
            en = "{name} is outside of this network, and entries keep their requests inside: it hears nothing"
            zh = "{name} 在本网之外，而入口的请求要留在本网内：它不会听到任何请求"
            yield said(en, zh, name=name)
        if shared := [target for target in mine if target in chats]:
            yield said(*_SHARED, name=name, shared=", ".join(shared))


def _routed_to(config: Config) -> set[str]:
    """Names that chats may be routed to."""
    fallback = config.fallback.target or next(iter(config.models), "")
    return {fallback, *(route.target for route in config.routes)}
