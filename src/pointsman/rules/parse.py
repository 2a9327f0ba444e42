"""From the plain objects of a rules file to `Rule`s, or to everything that is wrong with it at once."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, TypeVar

from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.rule import Mode, Rule
from pointsman.domain.said import said
from pointsman.rules.fields import Notes, must_be
from pointsman.rules.flat import FLAT_KEYS, context_kind, is_flat, read_flat
from pointsman.rules.outcome import OUTCOMES, read_outcome
from pointsman.rules.read_cases import CASE_KEYS, read_cases
from pointsman.rules.template import slot_names
from pointsman.rules.when import When, read_when

OneOf = TypeVar("OneOf", bound=str)
DEFAULT_PRIORITY = 50
_MOST = 1_000_000
_COMMON = (
    "id", "priority", "negation", "mode", "share", "gpu_memory", "owner", "since", *CASE_KEYS, "parameters", *OUTCOMES
)  # fmt: skip
_MODES: tuple[Mode, ...] = ("enforce", "shadow", "off")


def parse_rules(data: Any, *, pack: str, source: str = "") -> tuple[Rule, ...]:
    """The rules of one file. `data` is what YAML 1.2 gives: a list of rules, or {rules: [...]}; each rule in the clear
    form (`when`) or in the flat one (`pattern`). `source` names the file in problems and in `Rule.source`.
    Raises Problems with all that is wrong. Ids may still clash with other files: see `duplicate_ids`."""
    notes = Notes(source or None)
    rules = []
    for place, item in enumerate(_items(notes, data)):
        notes.rule = None
        rule = _rule(notes, f"rules[{place}]", item, pack, source)
        if rule is not None:
            rules.append(rule)
    if notes.problems:
        raise Problems(notes.problems)
    return tuple(rules)


def duplicate_ids(rules: Sequence[Rule], places: Sequence[str] | None = None) -> list[Problem]:
    """A problem for each rule whose id an earlier rule has, over all files and packs. `places` says of each rule where
    it stands (`rules.yaml:4`); without it, the rules' sources do."""
    first: dict[str, tuple[Rule, str]] = {}
    problems = []
    for rule, place in zip(rules, places or [rule.source for rule in rules], strict=True):
        other, earlier = first.setdefault(rule.id, (rule, place))
        if other is not rule:
            message = said(
                'id "{id}" is taken already ({pack}{place}); ids are unique over all packs',
                "id “{id}”已被占用（{pack}{place}）；在所有规则包里 id 不能重复",
                id=rule.id,
                pack=_pack(other),
                place=said(", {place}", "，{place}", place=earlier) if earlier else "",
            )
            problems.append(Problem(f"rules.{rule.id}", message, where=place or _pack(rule)))
    return problems


def _pack(rule: Rule) -> str:
    return said("pack {pack}", "规则包 {pack}", pack=rule.pack)


def _items(notes: Notes, data: Any) -> list[Any]:
    if isinstance(data, dict):
        notes.unknown_keys("$", data, ("rules",))
        if "rules" not in data:
            return []
        data = data["rules"]
    if data is None or isinstance(data, list):
        return data or []
    valid = said("a list, or {{rules: [...]}}", "列表，或 {{rules: [...]}}")
    notes.wrong("rules", must_be(said("a list of rules", "规则列表"), data), valid)
    return []


def _rule(notes: Notes, path: str, item: Any, pack: str, source: str) -> Rule | None:
    rule = notes.mapping(path, item)
    if rule is None:
        return None
    before = len(notes.problems)
    name = notes.text(f"{path}.id", rule["id"]) if "id" in rule else None
    if "id" not in rule:
        notes.wrong(path, said("`id` is missing", "缺少 `id`"))
    notes.rule = name
    when = _which(notes, path, rule)
    groups = when.groups if when else ()
    outcome = read_outcome(notes, path, rule, slot_names(groups))
    priority = notes.number(f"{path}.priority", rule.get("priority", DEFAULT_PRIORITY), -_MOST, _MOST)
    gpu_memory = notes.number(f"{path}.gpu_memory", rule["gpu_memory"], 0, _MOST) if "gpu_memory" in rule else None
    negation = _one_of(notes, f"{path}.negation", rule.get("negation", "respect"), ("ignore", "respect"))
    mode = _one_of(notes, f"{path}.mode", rule.get("mode", "enforce"), _MODES)
    share = notes.number(f"{path}.share", rule["share"], 1, 99) if "share" in rule else None
    owner = notes.text(f"{path}.owner", rule["owner"]) if "owner" in rule else None
    since = _day(notes, f"{path}.since", rule["since"]) if "since" in rule else None
    cases = read_cases(notes, path, rule)
    if len(notes.problems) > before or name is None or when is None or outcome is None or priority is None:
        return None
    action, parameters = outcome
    return Rule(
        id=name,
        pack=pack,
        priority=priority,
        groups=when.groups,
        none=when.none,
        conditions=when.conditions,
        action=action,
        parameters=parameters,
        negatable=negation != "ignore",
        looks_at=when.looks_at,
        mode=mode or "enforce",
        share=share,
        gpu_memory=gpu_memory,
        owner=owner,
        since=since,
        cases=cases,
        source=source,
    )


def _one_of(notes: Notes, path: str, value: Any, valid: tuple[OneOf, ...]) -> OneOf | None:
    if value not in valid:
        hint = did_you_mean(str(value), list(valid))
        message = said("unknown value {value!r}{hint}", "没有 {value!r} 这个取值{hint}", value=value, hint=hint)
        notes.wrong(path, message, ", ".join(valid))
        return None
    found: OneOf = value
    return found


def _day(notes: Notes, path: str, value: Any) -> str | None:
    """A date as YAML gives it, or as a text."""
    try:
        return datetime.date.fromisoformat(value if isinstance(value, str) else str(value)).isoformat()
    except ValueError:
        notes.wrong(path, said("{value!r} is no date", "{value!r} 不是日期", value=str(value)), "2026-11-29")
        return None


def _which(notes: Notes, path: str, rule: dict[Any, Any]) -> When | None:
    flat = is_flat(rule)
    if flat and "when" in rule:
        message = said(
            "mixes two forms: put the words of `pattern` and its contexts into `when`",
            "混用了两种写法：请把 `pattern` 的词和上下文词表写进 `when`",
        )
        notes.wrong(path, message)
        return None
    if flat:
        known = [key for key in rule if context_kind(key)]
        notes.unknown_keys(path, {key: None for key in rule if key not in known}, (*_COMMON, *FLAT_KEYS))
        return When(read_flat(notes, path, rule))
    notes.unknown_keys(path, rule, (*_COMMON, "when", "pattern"))
    if "when" not in rule:
        valid = said("`when`, or `pattern` with its context lists", "`when`，或 `pattern` 加上下文词表")
        notes.wrong(path, said("says nothing of when it applies", "没有写明什么时候生效"), valid)
        return None
    return read_when(notes, f"{path}.when", rule["when"])
