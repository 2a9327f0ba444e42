"""What an action that calls a service takes, and what is wrong with its config."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.http.by_hand import call_by_hand
from pointsman.actions.http.call import IDEMPOTENT, Call, slots_in
from pointsman.actions.http.document import read_document
from pointsman.actions.http.openapi import call_of
from pointsman.actions.http.origin import not_public
from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.http import Http
from pointsman.domain.action import ActionSpec, Repeatable
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.hosts import AllowedHosts, read_hosts
from pointsman.domain.said import Said, said

ANSWERED = ("status", "body", "location")
"""Slots of `answer` beside the parameters."""


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Raises Problems."""
    spec, _ = spec_and_call(name, config, surroundings)
    return spec


def spec_and_call(name: str, config: ActionConfig, surroundings: Surroundings) -> tuple[ActionSpec, Call]:
    """Raises Problems."""
    http = config.http
    assert http is not None
    path = f"actions.{name}.http"
    problems: list[Problem] = []
    allowed = _allowed(http, path, problems)
    call, schema, about = _call(config, http, path, surroundings, problems)
    if call is not None:
        private = not_public(call.origin, allowed)
        if private is not None:
            problems.append(Problem(f"{path}.{'url' if http.url else 'server'}", private))
        problems += _wrong_answer(http, path, schema)
    if problems or call is None:
        raise Problems(problems)
    changes = call.method != "GET"
    repeatable: Repeatable = "yes" if call.method in IDEMPOTENT else "keyed" if http.keyed else "no"
    spec = ActionSpec(
        name=name,
        kind="http",
        about={"en": about, "zh": about} if about else {"en": f"Calls {name}", "zh": f"调用 {name}"},
        parameters=schema,
        effect=changes,
        repeatable=repeatable,
    )
    return limited(spec, config), call


def _allowed(http: Http, path: str, problems: list[Problem]) -> AllowedHosts:
    try:
        return read_hosts(http.allow)
    except ValueError as error:
        problems.append(Problem(f"{path}.allow", error.args[0]))
        return AllowedHosts()


def _call(
    config: ActionConfig, http: Http, path: str, surroundings: Surroundings, problems: list[Problem]
) -> tuple[Call | None, dict[str, Any], str]:
    if (http.url is None) == (http.openapi is None):
        both = Said("one of url and openapi says where it is called", "url 和 openapi 要写一个，也只能写一个")
        problems.append(Problem(path, both, valid="url, openapi"))
        return None, {}, ""
    if http.openapi is not None:
        if http.operation is None:
            problems.append(Problem(f"{path}.operation", Said("is missing", "缺失")))
            return None, {}, ""
        for key in ("body", "form"):
            if getattr(http, key) is not None:
                en, zh = (
                    "is for calls by hand; the document says what the body is",
                    "只用于手写的调用；请求体由文档说明",
                )
                problems.append(Problem(f"{path}.{key}", Said(en, zh)))
        document = read_document(surroundings.base / http.openapi, f"{path}.openapi")
        built, wrong = call_of(document, http, path)
        problems += wrong
        if built is None:
            return None, {}, ""
        for key in ("query", "headers"):
            for field, template in getattr(http, key).items():
                if slots_in(template):
                    en, zh = "has no slots beside openapi", "与 openapi 一起用时不能有占位符"
                    problems.append(Problem(f"{path}.{key}.{field}", Said(en, zh)))
        return built.call, takes(built.properties, built.required), built.about
    for key in ("operation", "server"):
        if getattr(http, key) is not None:
            problems.append(Problem(f"{path}.{key}", Said("goes with openapi alone", "只能与 openapi 一起用")))
    call, wrong = call_by_hand(http, path)
    problems += wrong
    if call is None:
        return None, {}, ""
    return _typed(call, config, path, problems)


def _typed(
    call: Call, config: ActionConfig, path: str, problems: list[Problem]
) -> tuple[Call | None, dict[str, Any], str]:
    """With the parameters that the config types, or else each slot a text."""
    typed = config.parameters
    if typed is None:
        return call, takes({slot: {"type": "string"} for slot in call.slots}), ""
    for slot in call.slots:
        if slot not in typed:
            en, zh = "no parameter for the slot {{{slot}}}{hint}", "占位符 {{{slot}}} 没有对应的参数{hint}"
            wrong = said(en, zh, slot=slot, hint=did_you_mean(slot, list(typed)))
            problems.append(Problem(path, wrong, valid=", ".join(typed)))
    defaults = {name: one["default"] for name, one in typed.items() if isinstance(one, dict) and "default" in one}
    properties = {
        name: {key: value for key, value in one.items() if key != "default" or value is not None}
        for name, one in typed.items()
        if isinstance(one, dict)
    }
    required = [name for name in properties if name not in defaults]
    return msgspec.structs.replace(call, defaults=defaults), takes(properties, required), ""


def _wrong_answer(http: Http, path: str, schema: dict[str, Any]) -> list[Problem]:
    texts = list(http.answer.values()) if isinstance(http.answer, dict) else [http.answer or ""]
    valid = [*ANSWERED, *schema.get("properties", {})]
    problems = []
    for slot in slots_in(texts):
        head = slot.partition(".")[0]
        if head not in valid:
            en, zh = "no slot {{{slot}}}{hint}", "没有占位符 {{{slot}}}{hint}"
            wrong = said(en, zh, slot=slot, hint=did_you_mean(head, valid))
            problems.append(Problem(f"{path}.answer", wrong, valid=", ".join(valid)))
    return problems
