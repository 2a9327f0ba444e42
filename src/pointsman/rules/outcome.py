"""What a rule does: `answer`, `refuse`, `route` or a named `action`, exactly one of them."""

from __future__ import annotations

from typing import Any

from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said
from pointsman.rules.fields import IS_EMPTY, Notes, kind
from pointsman.rules.slots import slots_of, valid_slots

OUTCOMES = ("answer", "refuse", "route", "mark", "action")
_RISKS = ("low", "medium", "high")
_TEXT_LANGUAGES = ("zh", "en")


def read_outcome(notes: Notes, path: str, rule: dict[Any, Any], groups: list[str]) -> tuple[str, dict[str, Any]] | None:
    """(action, parameters) of a rule; None after a problem."""
    given = [key for key in OUTCOMES if key in rule]
    if len(given) != 1:
        message = said("says nothing of what to do", "没有写明要做什么")
        if given:
            both = Said(" and ".join(given), "、".join(given))
            message = said("says {both}, but does one thing", "写了 {both}，但一条规则只做一件事", both=both)
        notes.wrong(path, message, ", ".join(OUTCOMES))
        return None
    [key] = given
    place = f"{path}.{key}"
    if "parameters" in rule and key != "action":
        message = said(
            "belong to a named `action`, not to `{key}`", "只能和具名的 `action` 一起用，不能配 `{key}`", key=key
        )
        notes.wrong(f"{path}.parameters", message)
    if key == "answer":
        text = _text(notes, place, rule[key], groups)
        return None if text is None else ("answer", {"text": text})
    if key == "refuse":
        return _refuse(notes, place, rule[key], groups)
    if key == "route":
        return _route(notes, place, rule[key])
    if key == "mark":
        return _mark(notes, place, rule[key])
    return _action(notes, path, rule)


def _mark(notes: Notes, path: str, value: Any) -> tuple[str, dict[str, Any]] | None:
    """What is noted of a request that goes on: a label, and how risky it is."""
    mark = notes.mapping(path, value)
    if mark is None:
        return None
    notes.unknown_keys(path, mark, ("label", "risk"))
    if "label" not in mark:
        notes.wrong(path, said("`label` is missing", "缺少 `label`"), "label, risk")
        return None
    label = notes.text(f"{path}.label", mark["label"])
    risk = notes.names(f"{path}.risk", mark.get("risk", "low"), _RISKS)
    return None if label is None or not risk or len(risk) != 1 else ("mark", {"label": label, "risk": min(risk)})


def _text(notes: Notes, path: str, value: Any, groups: list[str]) -> str | dict[str, str] | None:
    """A text, or one for each language."""
    if not isinstance(value, dict):
        text = notes.text(path, value)
        if text is not None:
            _check_slots(notes, path, text, groups)
        return text
    notes.unknown_keys(path, value, _TEXT_LANGUAGES)
    if not value:
        notes.wrong(path, IS_EMPTY, said("a text, or {{zh: …, en: …}}", "一段文本，或 {{zh: …, en: …}}"))
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
            message = said(
                "unknown slot {{{slot}}}{hint}; a literal brace is written {{{{",
                "没有占位符 {{{slot}}}{hint}花括号本身要写成 {{{{",
                slot=slot,
                hint=_ended(did_you_mean(slot, valid)),
            )
            notes.wrong(path, message, ", ".join(valid))


def _ended(hint: Said) -> Said:
    """A hint in Chinese is a question with its own mark at the end; no hint needs one."""
    return hint if hint else Said("", "；")


def _refuse(notes: Notes, path: str, value: Any, groups: list[str]) -> tuple[str, dict[str, Any]] | None:
    refusal = notes.mapping(path, value)
    if refusal is None:
        return None
    notes.unknown_keys(path, refusal, ("why", "instead"))
    parameters: dict[str, Any] = {}
    for key in ("why", "instead"):
        if key not in refusal:
            message = said(
                "`{key}` is missing: a refusal says why and what to do instead",
                "缺少 `{key}`：拒绝时要说明原因，以及可以怎么做",
                key=key,
            )
            notes.wrong(path, message, "why, instead")
        else:
            parameters[key] = _text(notes, f"{path}.{key}", refusal[key], groups)
    return "refuse", parameters


def _route(notes: Notes, path: str, value: Any) -> tuple[str, dict[str, Any]] | None:
    route = notes.mapping(path, value)
    if route is None:
        return None
    valid = ("task", "tier", "target", "body")
    notes.unknown_keys(path, route, (*valid, "optional"))
    if not any(key in route for key in valid):
        message = said("names neither where to go nor what to change", "既没有写去哪里，也没有写改什么")
        notes.wrong(path, message, ", ".join(valid))
    if "tier" in route and "target" in route:
        message = said(
            "has both `tier` and `target`; they are two names for one thing",
            "同时写了 `tier` 和 `target`；两者是同一个意思，只留一个",
        )
        notes.wrong(path, message)
    parameters: dict[str, Any] = {}
    for key, name in (("task", "task"), ("tier", "target"), ("target", "target")):
        if key in route:
            parameters[name] = notes.text(f"{path}.{key}", route[key])
    if "optional" in route and notes.flag(f"{path}.optional", route["optional"]):
        parameters["optional"] = True
    if "body" in route:
        body = notes.mapping(f"{path}.body", route["body"])
        if body == {}:
            notes.wrong(f"{path}.body", IS_EMPTY)
        for key in body or ():
            if not isinstance(key, str):
                message = said("field names are texts, not {found}", "字段名必须是文本，而不是{found}", found=kind(key))
                notes.wrong(f"{path}.body", message)
        parameters["body"] = body
    return "route", parameters


def _action(notes: Notes, path: str, rule: dict[Any, Any]) -> tuple[str, dict[str, Any]] | None:
    name = notes.text(f"{path}.action", rule["action"])
    if name in ("answer", "refuse", "route", "mark"):
        message = said(
            "`{name}` needs its content: write `{name}: …` instead of `action: {name}`",
            "`{name}` 要带内容：请写 `{name}: …`，不要写 `action: {name}`",
            name=name,
        )
        notes.wrong(f"{path}.action", message)
    parameters = notes.mapping(f"{path}.parameters", rule.get("parameters", {}))
    return None if name is None or parameters is None else (name, dict(parameters))
