"""What a chain of actions takes, and what is wrong with its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointsman.actions.slots import names_in
from pointsman.actions.specs import limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import ALL, QUESTION, ActionSpec
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import said


def chain_of(name: str, config: ActionConfig, known: Mapping[str, ActionSpec]) -> ActionSpec:
    """`known` are the other actions. Its parameters are those that the config types, or else the slots that no step before
    gives, all of them texts. Raises Problems."""
    steps = config.steps or []
    problems: list[Problem] = []
    given: list[str] = []
    free: dict[str, Any] = {}
    typed = config.parameters or {}
    seconds, cpu, cores, gpu, effect = 0.0, 0.0, 1, 0, False
    for number, step in enumerate(steps):
        path = f"actions.{name}.steps[{number}]"
        spec = known.get(step.action)
        if spec is None:
            en, zh = "no action {action!r}{hint}", "没有动作 {action!r}{hint}"
            hint = did_you_mean(step.action, list(known))
            problems.append(
                Problem(f"{path}.action", said(en, zh, action=step.action, hint=hint), valid=", ".join(known))
            )
            continue
        label = step.name or step.action
        if label in given or label in typed:
            en, zh = (
                "{label!r} is taken already; give the step a name of its own",
                "名称 {label!r} 已被占用；请另取一个 name",
            )
            problems.append(Problem(path, said(en, zh, label=label)))
        for key in step.parameters:
            if key not in spec.properties and spec.parameters.get("additionalProperties") is False:
                en, zh = "{action} takes no {key!r}{hint}", "{action} 没有参数 {key!r}{hint}"
                hint = did_you_mean(key, list(spec.properties))
                problems.append(
                    Problem(
                        f"{path}.parameters.{key}",
                        said(en, zh, action=step.action, key=key, hint=hint),
                        valid=", ".join(spec.properties),
                    )
                )
        for slot in names_in(step.parameters):
            head = slot.partition(".")[0]
            if head in given or head in typed:
                continue
            if config.parameters is not None or "." in slot:
                en, zh = "no slot {{{slot}}}{hint}", "没有占位符 {{{slot}}}{hint}"
                valid = [*typed, *given]
                problems.append(
                    Problem(
                        f"{path}.parameters",
                        said(en, zh, slot=slot, hint=did_you_mean(head, valid)),
                        valid=", ".join(valid),
                    )
                )
            else:
                free[head] = {"type": "string"}
        given.append(label)
        seconds, gpu, effect = seconds + spec.seconds, max(gpu, spec.gpu_memory), effect or spec.effect
        cpu, cores = cpu + spec.cpu_seconds, ALL if ALL in (cores, spec.cores) else max(cores, spec.cores)
    if problems:
        raise Problems(problems)
    properties = typed or free or {QUESTION: {"type": "string"}}
    chain = ActionSpec(
        name=name,
        kind="steps",
        parameters=takes(properties),
        steps=tuple(step.action for step in steps),
        seconds=seconds,
        gpu_memory=gpu,
        cpu_seconds=cpu,
        cores=cores,
        effect=effect,
        repeatable="keyed" if effect else "yes",
    )
    return limited(chain, config)
