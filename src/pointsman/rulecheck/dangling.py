"""Names in rules that nothing has: such a condition holds for nobody."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from pointsman.domain.errors import did_you_mean
from pointsman.domain.rule import Rule
from pointsman.domain.said import Said, said
from pointsman.rulecheck.finding import Finding

_SLOT = re.compile(r"\{([^{}:]*)")


class Names(msgspec.Struct, frozen=True):
    """What there is: entries (`direct`: tiers, aliases and models), and of the API keys their names, roles and groups."""

    entries: frozenset[str] = frozenset()
    direct: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()


def dangling(rule: Rule, names: Names, guards: bool) -> Iterator[Finding]:
    """`guards`: the rule also stands before what is named directly. A program names itself (`source`), so that there is
    nothing to check it by."""
    conditions = rule.conditions
    entries = names.entries | names.direct if guards else names.entries
    for key, what, wanted, known in (
        ("entry", said("entry", "入口"), conditions.entries, entries),
        ("role", said("role of a key", "密钥角色"), conditions.roles, names.roles),
        ("key", said("API key", "API 密钥"), conditions.keys, names.keys),
        ("group", said("group of keys", "密钥分组"), conditions.groups, names.groups),
    ):
        for name in sorted((wanted or frozenset()) - known):
            yield _missing(rule, key, what, name, known)
    terms = [term for group in rule.groups for term in group.terms] + list(rule.none)
    used = {slot.strip() for term in terms if term.kind == "template" for slot in _SLOT.findall(term.value)}
    given = dict.fromkeys(slot for term in terms for slot in term.slots)
    for slot in given:
        if slot not in used:
            message = said("no template has the slot {{{slot}}}", "没有模板用到占位符 {{{slot}}}", slot=slot)
            yield Finding("dangling", rule.id, message, detail=("slot", slot))


def _missing(rule: Rule, key: str, what: Said, name: str, known: Collection[str]) -> Finding:
    message = said(
        "`{key}` asks for {name!r}, which is no {what}{hint}",
        "`{key}` 要求 {name!r}，但没有这个{what}{hint}",
        key=key,
        name=name,
        what=what,
        hint=did_you_mean(name, sorted(known)),
    )
    return Finding("dangling", rule.id, message, detail=(key, name))
