"""The `when` of the clear form: groups, excludes and scalars, on one level."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.rule import Conditions, Group, LooksAt, Term
from pointsman.domain.said import said
from pointsman.rules.fields import Notes
from pointsman.rules.groups import Slots, distinct, make_term, nested, read_group, read_terms

_KEYS = (
    "all", "any", "none", "whole", "template", "slots", "in", "tokens", "characters", "turn", "role", "key", "group",
    "source", "entry", "endpoint", "language", "asked", "brief", "tools", "images", "structured",
)  # fmt: skip
_ENDPOINTS = ("chat", "completions", "embeddings", "rerank")
_LANGUAGES = ("zh", "en", "other")
_LOOKS_AT: tuple[LooksAt, ...] = ("question", "message")
_MOST = 10_000_000


class When(msgspec.Struct, frozen=True):
    """What a `when` says."""

    groups: tuple[Group, ...] = ()
    none: tuple[Term, ...] = ()
    conditions: Conditions = Conditions()
    looks_at: LooksAt = "question"


def read_when(notes: Notes, path: str, value: Any) -> When | None:
    """Read `when`; None where it is no mapping or says nothing."""
    when = notes.mapping(path, value)
    if when is None:
        return None
    if not when:
        message = said("is empty, so the rule would take every request", "是空的，这样规则会接住所有请求")
        notes.wrong(path, message, ", ".join(_KEYS))
        return None
    if "when" in when:
        notes.wrong(f"{path}.when", nested(), ", ".join(_KEYS))
        when = {key: content for key, content in when.items() if key != "when"}
    notes.unknown_keys(path, when, _KEYS)
    slots = _slots(notes, f"{path}.slots", when["slots"]) if "slots" in when else {}
    groups: list[Group | None] = []
    if "template" in when:
        groups.append(_templates(notes, f"{path}.template", when["template"], slots))
    if "whole" in when:
        groups.append(_whole(notes, f"{path}.whole", when["whole"]))
    if "all" in when:
        members = notes.sequence(f"{path}.all", when["all"]) or ()
        for place, member in enumerate(members):
            groups.append(read_group(notes, f"{path}.all[{place}]", member, f"all{place + 1}", slots))
    if "any" in when:
        terms = read_terms(notes, f"{path}.any", when["any"], slots)
        groups.append(Group("any", terms) if terms else None)
    kept = tuple(group for group in groups if group is not None)
    _unique_names(notes, path, kept)
    none = read_terms(notes, f"{path}.none", when["none"], slots) if "none" in when else ()
    return When(kept, none, _conditions(notes, path, when), _looks_at(notes, f"{path}.in", when.get("in", "question")))


def _looks_at(notes: Notes, path: str, value: Any) -> LooksAt:
    if value not in _LOOKS_AT:
        message = said("unknown value {value!r}", "没有 {value!r} 这个取值", value=value)
        notes.wrong(path, message, ", ".join(_LOOKS_AT))
        return "question"
    found: LooksAt = value
    return found


def _slots(notes: Notes, path: str, value: Any) -> Slots:
    """What the slots of templates may hold: a list of texts each, or * for any text."""
    given = notes.mapping(path, value) or {}
    slots: dict[str, tuple[str, ...]] = {}
    for name, values in given.items():
        texts = (values,) if isinstance(values, str) else notes.texts(f"{path}.{name}", values)
        if not isinstance(name, str) or not name.isidentifier():
            notes.wrong(f"{path}.{name}", said("{name!r} cannot name a slot", "{name!r} 不能作占位符的名字", name=name))
        elif texts:
            slots[name] = texts
    return slots


def _templates(notes: Notes, path: str, value: Any, slots: Slots) -> Group | None:
    texts = (value,) if isinstance(value, str) else notes.texts(path, value)
    terms = [make_term(notes, f"{path}[{place}]", "template", text, slots) for place, text in enumerate(texts)]
    kept = tuple(term for term in terms if term is not None)
    return Group("template", kept) if kept else None


def _whole(notes: Notes, path: str, value: Any) -> Group | None:
    texts = (value,) if isinstance(value, str) else notes.texts(path, value)
    terms = [make_term(notes, f"{path}[{place}]", "whole", text) for place, text in enumerate(texts)]
    kept = tuple(term for term in terms if term is not None)
    return Group("whole", kept) if distinct(kept) else None


def _unique_names(notes: Notes, path: str, groups: tuple[Group, ...]) -> None:
    names = [group.name for group in groups]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        notes.wrong(path, said('two groups are named "{name}"', "有两个词组都叫“{name}”", name=name))


def _conditions(notes: Notes, path: str, when: dict[Any, Any]) -> Conditions:
    def names(key: str, valid: tuple[str, ...] | None = None) -> frozenset[str] | None:
        return notes.names(f"{path}.{key}", when[key], valid) if key in when else None

    def flag(key: str) -> bool | None:
        return notes.flag(f"{path}.{key}", when[key]) if key in when else None

    min_tokens, max_tokens = _range(notes, f"{path}.tokens", when.get("tokens", {}), 0)
    min_characters, max_characters = _range(notes, f"{path}.characters", when.get("characters", {}), 0)
    min_turn, max_turn = _range(notes, f"{path}.turn", when.get("turn", {}), 1)
    return Conditions(
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        min_characters=min_characters,
        max_characters=max_characters,
        min_turn=min_turn,
        max_turn=max_turn,
        roles=names("role"),
        keys=names("key"),
        groups=names("group"),
        sources=names("source"),
        entries=names("entry"),
        endpoints=names("endpoint", _ENDPOINTS),
        languages=names("language", _LANGUAGES),
        asked=flag("asked"),
        brief=flag("brief"),
        tools=flag("tools"),
        images=flag("images"),
        structured=flag("structured"),
    )


def _range(notes: Notes, path: str, value: Any, least: int) -> tuple[int | None, int | None]:
    bounds = notes.mapping(path, value)
    if bounds is None:
        return None, None
    notes.unknown_keys(path, bounds, ("min", "max"))
    low = notes.number(f"{path}.min", bounds["min"], least, _MOST) if "min" in bounds else None
    high = notes.number(f"{path}.max", bounds["max"], least, _MOST) if "max" in bounds else None
    if low is not None and high is not None and low > high:
        message = said(
            "min {low} is above max {high}, so no request fits",
            "min {low} 大于 max {high}，没有请求能满足",
            low=low,
            high=high,
        )
        notes.wrong(path, message)
    return low, high
