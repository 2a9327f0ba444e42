"""What a model call takes: the slots of its prompt."""

from __future__ import annotations

from pointsman.actions.parameters import schema_problem
from pointsman.actions.slots import names_in
from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import said

SECONDS = 60.0
_ABOUT = {"en": "Asks a model.", "zh": "请模型回答。"}


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Raises Problems: a slot that is no parameter, a schema that is none."""
    given = config.generate
    assert given is not None
    path = f"actions.{name}.generate"
    slots = list(dict.fromkeys(names_in([given.prompt, given.system or ""])))
    problems = []
    if config.parameters is not None:
        for slot in slots:
            if slot.partition(".")[0] not in config.parameters:
                valid = list(config.parameters)
                en, zh = "no parameter {slot!r}{hint}", "没有参数 {slot!r}{hint}"
                hint = did_you_mean(slot, valid)
                problems.append(Problem(f"{path}.prompt", said(en, zh, slot=slot, hint=hint), valid=", ".join(valid)))
    if given.schema is not None and (why := schema_problem(given.schema)) is not None:
        en, zh = "is no JSON Schema: {why}", "不是有效的 JSON Schema：{why}"
        problems.append(Problem(f"{path}.schema", said(en, zh, why=why)))
    if problems:
        raise Problems(problems)
    properties = config.parameters or {slot.partition(".")[0]: {"type": "string"} for slot in slots}
    spec = ActionSpec(name=name, kind="generate", about=_ABOUT, parameters=takes(properties), seconds=SECONDS)
    return limited(spec, config)
