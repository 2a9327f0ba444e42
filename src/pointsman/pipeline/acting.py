"""What an action of a rule is given: what the rule says, what it matched, the user's own words, the file beside them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pointsman.domain.action import FILE, QUESTION, ActionSpec
from pointsman.domain.decision import Decision, Match
from pointsman.domain.policy import ActionRule
from pointsman.domain.rule import Rule
from pointsman.domain.wording import Tongue, say
from pointsman.pipeline.delivery.wishes import DELIVER
from pointsman.pipeline.typed import typed
from pointsman.rules.slots import fill, slots_of

HIDDEN = "•••"
"""What is shown instead of a value that nobody is to see."""


def rule_reason(rule: str, matched: Sequence[Match], tongue: Tongue) -> str:
    """Why a rule took it: the words that it matched."""
    words = ", ".join(dict.fromkeys([match.text for match in matched]))
    return say("rule.reason", tongue, rule=rule, words=words) if words else say("rule.plain", tongue, rule=rule)


def decide_act(
    spec: ActionSpec,
    given: Mapping[str, Any],
    rule: Rule,
    matched: tuple[Match, ...],
    question: str,
    files: Sequence[str],
    tongue: Tongue,
    today: datetime.date | None = None,
) -> Decision:
    """The action with its parameters, or what is missing. Values that are not to be seen stand in the parameters alone."""
    slots = {match.group: match.text for match in reversed(matched)}
    acting = act_of(spec, given, slots, question, files, tongue, today)
    if isinstance(acting, dict):
        secrets = {str(acting[name]) for name in spec.redact if name in acting}
        groups = {group for name in spec.redact for group in _groups(given.get(name, "{" + name + "}"))}
        matched = tuple(
            msgspec.structs.replace(m, text=HIDDEN) if m.text in secrets or m.group in groups else m for m in matched
        )
    reason = rule_reason(rule.id, matched, tongue)
    if isinstance(acting, str):
        return Decision(
            stage="l0",
            rule=rule.id,
            action=rule.action,
            parameters={"text": acting, "refused": True},
            reason=say("act.asks", tongue, reason=reason, action=rule.action),
            matched=matched,
        )
    return Decision(
        stage="l0",
        rule=rule.id,
        action=rule.action,
        parameters=acting,
        reason=reason,
        matched=matched,
        execution_path=spec.path,
    )


def shown(decision: Decision, actions: Mapping[str, ActionRule]) -> Decision:
    """The decision as logs and traces have it: without the values that nobody is to see."""
    rule = actions.get(decision.action or "")
    if rule is None or rule.spec is None or not rule.spec.redact:
        return decision
    redact, hearing = rule.spec.redact, decision.hearing
    changes: dict[str, Any] = {}
    if decision.execution_path:
        changes["parameters"] = hidden_in(decision.parameters, redact)
    if hearing is not None and hearing.filled is not None:
        filled = msgspec.structs.replace(hearing.filled, parameters=hidden_in(hearing.filled.parameters, redact))
        changes["hearing"] = msgspec.structs.replace(hearing, filled=filled)
    return msgspec.structs.replace(decision, **changes)


def hidden_in(parameters: Mapping[str, Any], redact: Sequence[str]) -> dict[str, Any]:
    """Without the values of those parameters."""
    return {name: HIDDEN if name in redact else value for name, value in parameters.items()}


def act_of(
    spec: ActionSpec,
    given: Mapping[str, Any],
    slots: Mapping[str, str],
    question: str,
    files: Sequence[str],
    tongue: Tongue,
    today: datetime.date | None = None,
) -> dict[str, Any] | str:
    """Its parameters, or what the person is told where one is missing."""
    found = values_of(spec, given, slots, question, files, today)
    missing = missing_of(spec, found)
    if missing:
        names = ("、" if tongue == "zh" else ", ").join(called(name, spec.properties[name], tongue) for name in missing)
        return say("act.missing", tongue, action=spec.about.get(tongue, spec.name).rstrip("。."), missing=names)
    return found


def values_of(
    spec: ActionSpec,
    given: Mapping[str, Any],
    slots: Mapping[str, str],
    question: str,
    files: Sequence[str],
    today: datetime.date | None = None,
) -> dict[str, Any]:
    """As far as they are there. `given` may hold slots of what the rule matched; a parameter that it does not name takes the
    slot of its own name, `question` the user's words, one that takes a file the file that came with them, in order. `today`
    is what days are counted from."""
    values = {**slots, QUESTION: question}
    properties = spec.properties
    found = {
        name: typed(_filled(value, values), properties.get(name, {}), today)
        for name, value in given.items()
        if name != DELIVER or name in properties
    }
    left = list(files)
    for name, schema in properties.items():
        if name in found:
            continue
        if name in slots:
            found[name] = typed(slots[name], schema, today)
        elif name == QUESTION:
            found[name] = question
        elif schema.get("format") == FILE and left:
            found[name] = left.pop(0)
    return found


def missing_of(spec: ActionSpec, found: Mapping[str, Any]) -> list[str]:
    """Names of parameters that it cannot do without."""
    return [name for name in spec.required if name not in found]


def _groups(value: Any) -> list[str]:
    """The groups of what was matched that stand in it."""
    if isinstance(value, str):
        return slots_of(value)
    parts = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return [group for part in parts for group in _groups(part)]


def _filled(value: Any, slots: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return fill(value, slots)
    if isinstance(value, list):
        return [_filled(item, slots) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, slots) for key, item in value.items()}
    return value


def called(name: str, schema: Mapping[str, Any], tongue: Tongue) -> str:
    """What people call it."""
    about = schema.get("x-about")
    if isinstance(about, dict) and about.get(tongue):
        return str(about[tongue])
    return str(schema.get("title") or schema.get("description") or name)
