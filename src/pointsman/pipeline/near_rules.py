"""Why rules that came near did not take a text.

Each rule is taken apart into probes: a rule for each of its groups, one for what it excludes, one for each of its
conditions. All are marks, so one look at a text says of every probe whether it holds, by the engine's own word.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request
from pointsman.domain.rule import Conditions, Group, Rule
from pointsman.domain.said import Said, said
from pointsman.features.extract import extract
from pointsman.pipeline.asked import ask, look
from pointsman.pipeline.policy import Policy

_SHOWN = 6
_AS_WRITTEN = {
    "min_tokens": "tokens.min",
    "max_tokens": "tokens.max",
    "min_characters": "characters.min",
    "max_characters": "characters.max",
    "min_turn": "turn.min",
    "max_turn": "turn.max",
    "roles": "role",
    "keys": "key",
    "groups": "group",
    "sources": "source",
    "entries": "entry",
    "endpoints": "endpoint",
    "languages": "language",
}


class Missed(msgspec.Struct, frozen=True):
    """A rule that did not take a text of which some of its groups hold. `held` are those groups with the words that
    they found, `why` says what was against it, each in both languages (`Said`)."""

    rule: str
    held: dict[str, tuple[str, ...]]
    why: tuple[str, ...]


class Probes:
    """The rules of a policy, taken apart. Immutable."""

    def __init__(self, document: PolicyDocument) -> None:
        self._numbers: dict[tuple[Any, ...], str] = {}
        self._rules: list[Rule] = []
        self.of = [(rule, self._take_apart(rule)) for rule in document.rules if rule.mode != "off"]
        self.of.sort(key=lambda pair: -pair[0].priority)
        self.policy = Policy(msgspec.structs.replace(document, rules=tuple(self._rules)))

    def _take_apart(self, rule: Rule) -> _Parts:
        conditions = {
            name: self._probe(("condition", name, value), rule, conditions=Conditions(**{name: value}))
            for name in Conditions.__struct_fields__
            if (value := getattr(rule.conditions, name)) is not None
        }
        none = Group("none", rule.none)
        return _Parts(
            whole=self._probe(("whole", rule.id), rule, rule.groups, rule.none, rule.conditions, rule.negatable),
            groups=tuple(
                self._probe(("group", rule.id, place), rule, (group,)) for place, group in enumerate(rule.groups)
            ),
            none=self._probe(("none", rule.id), rule, (none,)) if rule.none else None,
            plain=self._probe(("plain", rule.id), rule, rule.groups, negatable=rule.negatable),
            conditions=conditions,
        )

    def _probe(
        self,
        key: tuple[Any, ...],
        rule: Rule,
        groups: tuple[Group, ...] = (),
        none: tuple[Any, ...] = (),
        conditions: Conditions = Conditions(),  # noqa: B008 - frozen
        negatable: bool = False,
    ) -> str:
        """The id of a probe; rules share those of equal conditions."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = str(len(self._rules))
            self._rules.append(
                Rule(
                    id=number,
                    pack=rule.pack,
                    priority=0,
                    groups=groups,
                    none=none,
                    conditions=conditions,
                    action="mark",
                    parameters={"label": "", "risk": "low"},
                    negatable=negatable,
                    looks_at=rule.looks_at,
                )
            )
        return number


class _Parts(msgspec.Struct, frozen=True):
    """The probes of a rule: all of it; each group; what it excludes; its groups and no more, negation heeded;
    conditions."""

    whole: str
    groups: tuple[str, ...]
    none: str | None
    plain: str
    conditions: dict[str, str]


def near_misses(won: str | None, request: Request, probes: Probes, most: int) -> tuple[Missed, ...]:
    """The nearest first: most of its groups hold, then fewest things against it, then the higher rank. `won` is the
    rule that took the request, if any did."""
    request = msgspec.structs.replace(request, model=_entry(request.model, probes.policy))
    asked = ask(request, probes.policy)
    hits = look(asked, request, probes.policy, extract(request, None, asked.question)).passed
    found = {hit.rule.id: tuple(dict.fromkeys(match.text for match in asked.matched(hit))) for hit in hits}
    ranked = []
    for rank, (rule, parts) in enumerate(probes.of):
        held = {
            group.name: found[probe] for group, probe in zip(rule.groups, parts.groups, strict=True) if probe in found
        }
        if not held or rule.id == won or (rule.passes and parts.whole in found):
            continue
        why = _why(rule, parts, found, won)
        ranked.append((-len(held) / len(rule.groups), len(why), rank, Missed(rule.id, held, why)))
    return tuple(missed for *_, missed in sorted(ranked, key=lambda each: each[:3])[:most])


def _entry(name: str, policy: Policy) -> str:
    return name if name in policy.entries else ""


def _why(rule: Rule, parts: _Parts, found: dict[str, tuple[str, ...]], won: str | None) -> tuple[Said, ...]:
    if parts.whole in found:
        if won is None:
            return (said("its action makes reports, which the gateway alone does", "它的动作是生成报表，只有网关能做"),)
        return (said("rule {rule} goes before it", "规则 {rule} 排在它前面", rule=won),)
    lacking = [group for group, probe in zip(rule.groups, parts.groups, strict=True) if probe not in found]
    why = [_lacks(group) for group in lacking]
    if parts.none is not None and parts.none in found:
        words = ", ".join(found[parts.none])
        why.append(said("`none` excludes {words}", "`none` 排除了 {words}", words=words))
    if not lacking and parts.plain not in found:
        why.append(said("what it asks for is negated", "它要找的内容被否定了"))
    for name, probe in parts.conditions.items():
        if probe not in found:
            wanted = _written(getattr(rule.conditions, name))
            key = _AS_WRITTEN.get(name, name)
            why.append(said("`{key}: {wanted}` does not hold", "不满足 `{key}: {wanted}`", key=key, wanted=wanted))
    return tuple(why)


def _lacks(group: Group) -> Said:
    words = ", ".join(term.value for term in group.terms[:_SHOWN]) + (" …" if len(group.terms) > _SHOWN else "")
    if group.at_least > 1:
        return said(
            "group {group} needs {least} of: {words}",
            "词组 {group} 需要其中 {least} 个：{words}",
            group=group.name,
            least=group.at_least,
            words=words,
        )
    return said(
        "group {group} needs one of: {words}", "词组 {group} 需要其中之一：{words}", group=group.name, words=words
    )


def _written(value: Any) -> str:
    if isinstance(value, frozenset):
        return ", ".join(sorted(value))
    return str(value).lower() if isinstance(value, bool) else str(value)
