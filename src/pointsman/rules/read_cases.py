"""The cases of a rule as its author wrote them: a text, or a text with the circumstances that it comes with."""

from __future__ import annotations

from typing import Any

from pointsman.domain.rule import Case, CaseKind
from pointsman.domain.said import said
from pointsman.rules.fields import A_TEXT, Notes, must_be

CASE_KEYS = ("examples", "counter_examples", "boundary")
_FLAGS = ("asked", "brief", "tools", "images", "structured")
_TEXTS = ("role", "key", "group", "source", "entry", "endpoint")
_FIELDS = ("text", "repeat", "why", "turn", *_FLAGS, *_TEXTS)
_MOST_TURNS = 10_000_000
_LONGEST = 1_000_000


def read_cases(notes: Notes, path: str, rule: dict[Any, Any]) -> tuple[Case, ...]:
    """All cases of a rule, in the order examples, counter examples, boundary."""
    cases: list[Case | None] = []
    if "examples" in rule:
        cases += _some(notes, f"{path}.examples", rule["examples"], "example", True)
    if "counter_examples" in rule:
        cases += _some(notes, f"{path}.counter_examples", rule["counter_examples"], "counter_example", False)
    if "boundary" in rule:
        cases += _some(notes, f"{path}.boundary", rule["boundary"], "boundary", None)
    return tuple(case for case in cases if case is not None)


def _some(notes: Notes, path: str, value: Any, kind: CaseKind, takes: bool | None) -> list[Case | None]:
    if kind == "boundary" and isinstance(value, dict):
        value = [value]
    items = notes.sequence(path, value) or ()
    return [_case(notes, f"{path}[{place}]", item, kind, takes) for place, item in enumerate(items)]


def _case(notes: Notes, path: str, item: Any, kind: CaseKind, takes: bool | None) -> Case | None:
    if not isinstance(item, dict):
        if takes is None:
            form = said("{{text: …, takes: true or false, why: …}}", "{{text: …, takes: true 或 false, why: …}}")
            notes.wrong(path, must_be(said("a case", "用例"), item), form)
            return None
        text = notes.text(path, item)
        return None if text is None else Case(text, takes, kind)
    notes.unknown_keys(path, item, _FIELDS if takes is not None else ("takes", *_FIELDS))
    for key in ("text",) if takes is not None else ("text", "takes"):
        if key not in item:
            notes.wrong(path, said("`{key}` is missing", "缺少 `{key}`", key=key), ", ".join(_FIELDS))
            return None
    text = notes.text(f"{path}.text", item["text"])
    if text and "repeat" in item:
        times = notes.number(f"{path}.repeat", item["repeat"], 1, _LONGEST // len(text))
        text = text * times if times else None
    wanted = takes if takes is not None else notes.flag(f"{path}.takes", item["takes"])
    given: dict[str, Any] = {}
    if "turn" in item:
        given["turn"] = notes.number(f"{path}.turn", item["turn"], 1, _MOST_TURNS)
    for key in _FLAGS:
        if key in item:
            flag = notes.flag(f"{path}.{key}", item[key])
            given[key] = int(bool(flag)) if key == "images" else flag
    for key in _TEXTS:
        if key in item:
            given[key] = notes.text(f"{path}.{key}", item[key])
    why = item.get("why")
    if why is not None and not isinstance(why, str):
        notes.wrong(f"{path}.why", must_be(A_TEXT, why))
        why = None
    return None if text is None or wanted is None else Case(text, wanted, kind, given, why)
