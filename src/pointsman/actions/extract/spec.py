"""What filling an answer takes, and what is wrong with its fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pointsman.actions.extract.field import Field, field_of
from pointsman.actions.extract.told import slots_of_fields
from pointsman.actions.slots import names_in
from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.extract import Extract
from pointsman.domain.action import CHUNKS, QUESTION, SOURCE, ActionSpec
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import said

SECONDS = 60.0
_ABOUT = {"en": "Fills an answer with what passages say.", "zh": "按资料中的内容填写回答。"}
_QUESTION: dict[str, Any] = {
    "type": "string",
    "description": "the question that the answer is for",
    "x-about": {"en": "the question", "zh": "问题"},
}
_CHUNKS: dict[str, Any] = {
    "type": ["array", "string"],
    "items": {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "id": {"type": ["string", "integer"]},
                    "text": {"type": "string"},
                    "cut": {"type": "boolean"},
                },
                "required": ["text"],
            },
        ]
    },
    "description": "the passages: texts, or {id, text}; those that came with the request where none are given",
    "x-about": {"en": "the passages", "zh": "资料"},
    SOURCE: CHUNKS,
    "default": [],
}


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Raises Problems."""
    assert config.extract is not None
    given = config.extract
    path = f"actions.{name}.extract"
    fields, problems = fields_of(given, path)
    problems += _wrong_template(given, fields, path)
    if given.source != CHUNKS:
        faqs = [other for other, action in surroundings.config.actions.items() if action.kinds == ["faq"]]
        if given.source not in faqs:
            en, zh = "no FAQ {source!r}{hint}", "没有名为 {source!r} 的 faq 动作{hint}"
            hint = did_you_mean(given.source, [CHUNKS, *faqs])
            valid = ", ".join([CHUNKS, *faqs])
            problems.append(Problem(f"{path}.source", said(en, zh, source=given.source, hint=hint), valid=valid))
    if problems:
        raise Problems(problems)
    if given.source == CHUNKS:
        parameters = takes({QUESTION: {**_QUESTION, "default": ""}, CHUNKS: _CHUNKS})
    else:
        parameters = takes({QUESTION: {**_QUESTION, "minLength": 1}})
    spec = ActionSpec(
        name=name,
        kind="extract",
        about=_ABOUT,
        parameters=parameters,
        seconds=SECONDS,
        redact=(CHUNKS,) if given.source == CHUNKS else (),
    )
    return limited(spec, config)


def fields_of(given: Extract, path: str) -> tuple[list[Field], list[Problem]]:
    """The sound ones, and what is wrong with the others."""
    problems: list[Problem] = []
    required = list(given.schema) if given.required is None else given.required
    for name in required:
        if name not in given.schema:
            en, zh = "no field {name!r}{hint}", "没有字段 {name!r}{hint}"
            hint = did_you_mean(name, list(given.schema))
            valid = ", ".join(given.schema)
            problems.append(Problem(f"{path}.required", said(en, zh, name=name, hint=hint), valid=valid))
    fields = []
    for name, schema in given.schema.items():
        place = f"{path}.schema.{name}"
        if name == CHUNKS or not name.isidentifier():
            en, zh = "a field cannot be called {name!r}", "字段不能叫 {name!r}"
            problems.append(Problem(place, said(en, zh, name=name)))
            continue
        try:
            fields.append(field_of(name, schema, name in required, place))
        except Problem as problem:
            problems.append(problem)
    return fields, problems


def _wrong_template(given: Extract, fields: Sequence[Field], path: str) -> list[Problem]:
    texts = given.template if isinstance(given.template, dict) else {"": given.template or ""}
    valid = slots_of_fields(fields)
    problems = []
    for tongue, text in texts.items():
        place = f"{path}.template.{tongue}".rstrip(".")
        if tongue not in ("", "zh", "en"):
            problems.append(
                Problem(place, said("no language {tongue!r}", "没有语言 {tongue!r}", tongue=tongue), valid="zh, en")
            )
        for slot in dict.fromkeys(names_in(text)):
            if slot not in valid and slot.partition(".")[0] not in given.schema.keys() - {
                field.name for field in fields
            }:
                en, zh = "no slot {{{slot}}}{hint}", "没有占位符 {{{slot}}}{hint}"
                hint = did_you_mean(slot, valid)
                problems.append(Problem(place, said(en, zh, slot=slot, hint=hint), valid=", ".join(valid)))
    return problems
