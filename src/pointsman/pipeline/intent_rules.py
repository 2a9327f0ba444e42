"""Intents of a config → what the policy document keeps of them, and all that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pointsman.config.arbiter_schema import IntentConfig
from pointsman.config.schema import Config
from pointsman.domain.action import QUESTION
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.intent import OPEN_ENDED, OUT_OF_SCOPE, Intent
from pointsman.domain.json_schema import validator_of
from pointsman.domain.policy import ActionRule, ArbiterRules, IntentRule, RoleRule
from pointsman.domain.said import Said, said
from pointsman.domain.task_types import TASK_TYPES
from pointsman.periods.fold import fold
from pointsman.pipeline.policy import REPORT_ACTIONS

MOST = 500
"""Intents of a set."""
EMBEDDED = "embedded"
_NOTHING = Said("none", "无")


def is_on(config: Config) -> bool:
    """Whether any entry has an arbiter."""
    return any(entry.arbiter != "off" for entry in config.entries.values())


def makes_reports(config: Config) -> bool:
    """Whether there are any: the demo's source brings its own."""
    return bool(config.reports) or any(source.demo for source in config.sources.values())


def intents_of(config: Config) -> tuple[Intent, ...]:
    """What an arbiter is told of them."""
    return tuple(
        Intent(name, abouts(intent), tuple(intent.examples), tuple(intent.counter_examples))
        for name, intent in config.arbiter.intents.items()
    )


def arbiter_rules(config: Config) -> ArbiterRules | None:
    """What the policy keeps; None where no entry has an arbiter, or there are no intents."""
    arbiter = config.arbiter
    if not is_on(config) or not arbiter.intents:
        return None
    intents = tuple(
        IntentRule(
            name,
            abouts(intent),
            arbiter.gate if intent.gate is None else intent.gate,
            intent.action,
            intent.parameters,
            intent.target,
            intent.task,
            intent.risk,
            {role: RoleRule(given.action, given.parameters) for role, given in intent.roles.items()},
        )
        for name, intent in arbiter.intents.items()
    )
    then = None if arbiter.clarify.then == OPEN_ENDED else arbiter.clarify.then
    return ArbiterRules(
        intents,
        arbiter.gate,
        arbiter.clarify.least,
        arbiter.clarify.most,
        then,
        arbiter.drift.drop,
        arbiter.verify != "off",
        filler_of(config) is not None,
    )


def filler_of(config: Config) -> str | None:
    """The model that reads parameters: the one that is named; else the entries' arbiter, where that is a model."""
    named = config.arbiter.fill
    if named is not None:
        return None if named == "off" else named
    models = [entry.arbiter for entry in config.entries.values() if entry.arbiter not in ("off", EMBEDDED)]
    return models[0] if models else None


def wrong_intents(config: Config, actions: Mapping[str, ActionRule], names: Mapping[str, Any]) -> list[Problem]:
    """All that is wrong, with its path; `names` are what reaches models. Without any model nothing is said of those."""
    return list(_wrong(config, actions, names))


def _wrong(config: Config, actions: Mapping[str, ActionRule], names: Mapping[str, Any]) -> Iterator[Problem]:
    arbiter = config.arbiter
    for name, entry in config.entries.items():
        yield from _wrong_arbiter(f"entries.{name}.arbiter", entry.arbiter, names)
    yield from _wrong_arbiter("arbiter.verify", arbiter.verify, names)
    if arbiter.fill is not None and names and arbiter.fill != "off" and arbiter.fill not in names:
        yield _no_model("arbiter.fill", arbiter.fill, ["off", *names])
    if len(arbiter.intents) > MOST:
        en, zh = "{count} intents are too many; at most {most}", "意图太多（{count} 个），最多 {most} 个"
        yield Problem("arbiter.intents", said(en, zh, count=len(arbiter.intents), most=MOST))
    if arbiter.clarify.then != OPEN_ENDED:
        yield from _wrong_then(arbiter.clarify.then, actions)
    shown: dict[str, str] = {}
    for name, intent in arbiter.intents.items():
        path = f"arbiter.intents.{name}"
        if name in (OPEN_ENDED, OUT_OF_SCOPE):
            taken = said('the name "{name}" is taken', "名称“{name}”已被占用", name=name)
            yield Problem(path, taken)
        yield from _wrong_intent(path, intent, config, actions, names)
        for about in dict.fromkeys(fold(text) for text in abouts(intent).values()):
            if about in shown and shown[about] != name:
                en = "is what people read of {other!r}, too: they could not tell the two apart"
                zh = "与 {other!r} 的说明相同，用户无法区分"
                yield Problem(f"{path}.about", said(en, zh, other=shown[about]))
            shown.setdefault(about, name)


def abouts(intent: IntentConfig) -> dict[str, str]:
    """What it is, in each language."""
    about = intent.about
    return dict(about) if isinstance(about, dict) else {"en": about, "zh": about}


def _wrong_intent(
    path: str, intent: IntentConfig, config: Config, actions: Mapping[str, ActionRule], names: Mapping[str, Any]
) -> Iterator[Problem]:
    if intent.action is not None and (intent.target or intent.task):
        en, zh = "leads to an action, so its requests are not routed", "已经对应一个动作，其请求不会再路由"
        yield Problem(f"{path}.{'target' if intent.target else 'task'}", Said(en, zh))
    if intent.target is not None and names and intent.target not in names:
        yield _no_model(f"{path}.target", intent.target, list(names))
    if intent.task is not None and intent.task not in TASK_TYPES:
        hint = did_you_mean(intent.task, list(TASK_TYPES))
        message = said("no task type {task!r}{hint}", "没有任务类型 {task!r}{hint}", task=intent.task, hint=hint)
        yield Problem(f"{path}.task", message, valid=", ".join(TASK_TYPES))
    if intent.action is None and intent.parameters:
        yield Problem(f"{path}.parameters", Said("there is no action that takes them", "没有动作会用到这些参数"))
    led = [(path, intent.action, intent.parameters)]
    for role, own in intent.roles.items():
        led.append((f"{path}.roles.{role}", own.action or intent.action, {**own.parameters}))
    for place, action, given in led:
        if action is None:
            continue
        if action not in actions and not (action in REPORT_ACTIONS and makes_reports(config)):
            yield _no_action(f"{place}.action" if place == path else place, action, config, actions)
            continue
        yield from _wrong_parameters(f"{place}.parameters", action, given, actions)


def _wrong_parameters(
    path: str, action: str, given: Mapping[str, Any], actions: Mapping[str, ActionRule]
) -> Iterator[Problem]:
    rule = actions.get(action)
    if rule is None or rule.spec is None:
        return
    properties = rule.spec.properties
    for name, value in given.items():
        if name not in properties:
            hint = did_you_mean(name, list(properties))
            en, zh = "{action} has no parameter {name!r}{hint}", "动作 {action} 没有参数 {name!r}{hint}"
            message = said(en, zh, action=action, name=name, hint=hint)
            yield Problem(f"{path}.{name}", message, valid=", ".join(properties) or _NOTHING)
        elif isinstance(value, str) and "{" in value:
            continue
        else:
            try:
                sound = validator_of(properties[name]).is_valid(value)
            except ValueError:
                return  # said of the action
            if not sound:
                form = msgspec.json.encode(properties[name]).decode()
                en, zh = "is not what {action} takes", "不符合动作 {action} 的要求"
                yield Problem(f"{path}.{name}", said(en, zh, action=action), valid=form)


def _wrong_arbiter(path: str, name: str, names: Mapping[str, Any]) -> Iterator[Problem]:
    if name not in ("off", EMBEDDED) and names and name not in names:
        yield _no_model(path, name, ["off", EMBEDDED, *names])


def _wrong_then(name: str, actions: Mapping[str, ActionRule]) -> Iterator[Problem]:
    path, rule = "arbiter.clarify.then", actions.get(name)
    if rule is None or rule.spec is None:
        valid = [OPEN_ENDED, *(each for each, rule in actions.items() if rule.spec is not None)]
        hint = did_you_mean(name, valid)
        message = said(
            "no action {name!r} that does something{hint}", "没有可执行的动作 {name!r}{hint}", name=name, hint=hint
        )
        yield Problem(path, message, valid=", ".join(valid))
        return
    others = [each for each in rule.spec.required if each != QUESTION]
    if QUESTION not in rule.spec.properties or others:
        en = "the action that requests are handed to takes the parameter question, and needs no other"
        zh = "用来转交请求的动作要有参数 question，且不能要求其他参数"
        yield Problem(path, Said(en, zh))


def _no_model(path: str, name: str, valid: list[str]) -> Problem:
    hint = did_you_mean(name, valid)
    message = said("no model {name!r}{hint}", "没有模型 {name!r}{hint}", name=name, hint=hint)
    return Problem(path, message, valid=", ".join(valid))


def _no_action(path: str, name: str, config: Config, actions: Mapping[str, ActionRule]) -> Problem:
    valid = [*actions, *(REPORT_ACTIONS if makes_reports(config) else ())]
    hint = did_you_mean(name, valid)
    message = said("no action {name!r}{hint}", "没有动作 {name!r}{hint}", name=name, hint=hint)
    return Problem(path, message, valid=", ".join(valid) or _NOTHING)
