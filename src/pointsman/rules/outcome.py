"""What a rule does: `answer`, `refuse`, `route` or a named `action`, exactly one of them."""

from __future__ import annotations

from typing import Any

from pointsman.domain.errors import did_you_mean
from pointsman.rules.fields import Notes, kind
from pointsman.rules.slots import slots_of, valid_slots

OUTCOMES = ("answer", "refuse", "route", "action")
_TEXT_LANGUAGES = ("zh", "en")


def read_outcome(notes: Notes, path: str, rule: dict[Any, Any], groups: list[str]) -> tuple[str, dict[str, Any]] | None:
    """(action, parameters) of a rule; None after a problem."""
    given = [key for key in OUTCOMES if key in rule]
    if len(given) != 1:
        said = "says nothing of what to do" if not given else f"says {' and '.join(given)}, but does one thing"
        notes.wrong(path, said, ", ".join(OUTCOMES))
        return None
    [key] = given
    place = f"{path}.{key}"
    if "parameters" in rule and key != "action":
        notes.wrong(f"{path}.parameters", f"belong to a named `action`, not to `{key}`")
    if key == "answer":
        text = _text(notes, place, rule[key], groups)
        return None if text is None else ("answer", {"text": text})
    if key == "refuse":
        return _refuse(notes, place, rule[key], groups)
    if key == "route":
        return _route(notes, place, rule[key])
    return _action(notes, path, rule)


def _text(notes: Notes, path: str, value: Any, groups: list[str]) -> str | dict[str, str] | None:
    """A text, or one for each language."""
    if not isinstance(value, dict):
        text = notes.text(path, value)
        if text is not None:
            _check_slots(notes, path, text, groups)
        return text
    notes.unknown_keys(path, value, _TEXT_LANGUAGES)
    if not value:
        notes.wrong(path, "is empty", "a text, or {zh: …, en: …}")
    texts: dict[str, str] = {}
    for language in _TEXT_LANGUAGES:
        if language in value:
            text = notes.text(f"{path}.{language}", value[language])
            if text is not None:
                _check_slots(notes, f"{path}.{language}", text, groups)
                texts[language] = text
    return texts or None


def _check_slots(notes: Notes, path: str, text: str, groups: list[str]) -> None:
    valid = valid_slots(groups)
    for slot in slots_of(text):
        if slot not in valid:
            guess = did_you_mean(slot, valid)
            notes.wrong(path, f"unknown slot {{{slot}}}{guess}; a literal brace is written {{{{", ", ".join(valid))


def _refuse(notes: Notes, path: str, value: Any, groups: list[str]) -> tuple[str, dict[str, Any]] | None:
    refusal = notes.mapping(path, value)
    if refusal is None:
        return None
    notes.unknown_keys(path, refusal, ("why", "instead"))
    parameters: dict[str, Any] = {}
    for key in ("why", "instead"):
        if key not in refusal:
            notes.wrong(path, f"`{key}` is missing: a refusal says why and what to do instead", "why, instead")
        else:
            parameters[key] = _text(notes, f"{path}.{key}", refusal[key], groups)
    return "refuse", parameters


def _route(notes: Notes, path: str, value: Any) -> tuple[str, dict[str, Any]] | None:
    route = notes.mapping(path, value)
    if route is None:
        return None
    valid = ("task", "tier", "target", "body")
    notes.unknown_keys(path, route, valid)
    if not any(key in route for key in valid):
        notes.wrong(path, "names neither where to go nor what to change", ", ".join(valid))
    if "tier" in route and "target" in route:
        notes.wrong(path, "has both `tier` and `target`; they are two names for one thing")
    parameters: dict[str, Any] = {}
    for key, name in (("task", "task"), ("tier", "target"), ("target", "target")):
        if key in route:
            parameters[name] = notes.text(f"{path}.{key}", route[key])
    if "body" in route:
        body = notes.mapping(f"{path}.body", route["body"])
        if body == {}:
            notes.wrong(f"{path}.body", "is empty")
        for key in body or ():
            if not isinstance(key, str):
                notes.wrong(f"{path}.body", f"field names are texts, not {kind(key)}")
        parameters["body"] = body
    return "route", parameters


def _action(notes: Notes, path: str, rule: dict[Any, Any]) -> tuple[str, dict[str, Any]] | None:
    name = notes.text(f"{path}.action", rule["action"])
    if name in ("answer", "refuse", "route"):
        notes.wrong(f"{path}.action", f"`{name}` needs its content: write `{name}: …` instead of `action: {name}`")
    parameters = notes.mapping(f"{path}.parameters", rule.get("parameters", {}))
    return None if name is None or parameters is None else (name, dict(parameters))
