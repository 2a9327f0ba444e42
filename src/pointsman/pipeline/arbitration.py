"""What becomes of a request that no rule took, by what an arbiter heard of it: pure. It is acted on, or the user is asked,
or it goes on to a model; every way is bounded."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pointsman.asking.intents import ask_for, ask_whether, ask_which
from pointsman.domain.action import FILE, QUESTION, ActionSpec
from pointsman.domain.decision import Decision, Risk
from pointsman.domain.features import Features
from pointsman.domain.intent import OPEN_ENDED, Hearing
from pointsman.domain.json_schema import validator_of
from pointsman.domain.policy import ArbiterRules, EntryRule, IntentRule
from pointsman.domain.request import Request
from pointsman.domain.wording import Tongue, in_tongue, say
from pointsman.pipeline.acting import called, missing_of, values_of
from pointsman.pipeline.against import against
from pointsman.pipeline.found import found_in, options_of
from pointsman.pipeline.leading import led_to
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.report_decision import cancelled_report, decide_report, draft_from, today_of
from pointsman.pipeline.standing import Standing
from pointsman.pipeline.typed import typed
from pointsman.planning.resume import Resumed
from pointsman.rules import fill

MOST_OFFERED = 3
"""Intents that the user chooses from."""
LIKELY = 0.25
"""Of the best one's raw probability: what has less is not offered."""


class Matter(msgspec.Struct, frozen=True):
    """A request as the arbiter's level sees it: what it is about, in whose name, in which language. `risk` is what the rules
    noted."""

    request: Request
    text: str
    tongue: Tongue
    risk: Risk
    standing: Standing | None

    @property
    def asked(self) -> int:
        return self.standing.asked if self.standing is not None else 0


def arbitrates(entry: EntryRule | None, request: Request, features: Features, question: str | None) -> bool:
    """Whether an arbiter may say what becomes of it. What a program expects in a form of its own, or with tools or pictures,
    goes to a model; so does what is no question."""
    return (
        entry is not None
        and entry.arbiter != "off"
        and request.endpoint == "chat"
        and bool(question and question.strip())
        and not (features.structured or features.tools or features.images)
    )


def arbitrated(matter: Matter, hearing: Hearing | None, policy: Policy) -> Decision:
    """The decision, or how the request is to be routed: one with the stage `model`, without targets yet."""
    rules = policy.document.arbiter
    assert rules is not None
    tongue, standing = matter.tongue, matter.standing
    intents = {intent.name: intent for intent in rules.intents}
    if standing is not None and standing.cancelled:
        text = say("l1.cancelled", tongue)
        return Decision(
            stage="l1",
            reason=text,
            parameters={"text": text, "refused": True},
            intent=standing.intent,
            asked=matter.asked,
        )
    if standing is not None and standing.none:
        why = say("l1.none", tongue)
        return _onward(matter, rules, OPEN_ENDED, 1.0, why, None)
    if standing is not None and standing.intent in intents:
        intent = intents[standing.intent]
        about = _about(intent, tongue)
        risky = intent.risk == "high" and not standing.confirmed
        doubt = say("l1.risky", tongue, intent=about) if risky else None
        return _acted(matter, hearing, policy, rules, intent, 1.0, say("l1.chosen", tongue, intent=about), doubt)
    if hearing is None:
        return Decision(stage="model", reason="", wants="hearing", asked=matter.asked)
    heard = hearing.first
    if heard.failure is not None:
        why = say(f"l1.failure.{heard.failure}", tongue)
        return Decision(stage="model", reason=say("l1.off", tongue, why=why), fallback_reason=why, asked=matter.asked)
    best = intents.get(heard.scores[0][0]) if heard.scores else None
    if heard.intent == OPEN_ENDED or best is None:
        sure = round(1.0 - heard.confidence, 6) if best is not None else 1.0
        reason = say("l1.open", tongue, sure=_sure(sure))
        below = None
        if best is not None and sure < rules.gate:
            below = say("l1.not_outside", tongue, intent=_about(best, tongue))
        return Decision(
            stage="model", reason=reason, intent=OPEN_ENDED, confidence=sure, fallback_reason=below, asked=matter.asked
        )
    return _judged(matter, hearing, policy, rules, best)


def _judged(matter: Matter, hearing: Hearing, policy: Policy, rules: ArbiterRules, intent: IntentRule) -> Decision:
    """By the gate, and by a second look where that is due."""
    heard, tongue = hearing.first, matter.tongue
    sure = heard.confidence
    about = _about(intent, tongue)
    if sure < intent.gate:
        why = say("l1.below", tongue, sure=_sure(sure), gate=_sure(intent.gate))
        if sure < rules.least:
            return _onward(matter, rules, intent.name, round(1.0 - sure, 6), why, why)
        intents = {each.name: each for each in rules.intents}
        least = heard.scores[0][1] * LIKELY
        offered = [intents[name] for name, score in heard.scores[:MOST_OFFERED] if name in intents and score >= least]
        return _asks(matter, rules, intent, sure, why, offered)
    doubt = None
    if intent.risk == "high" or matter.risk == "high":
        doubt = say("l1.risky", tongue, intent=about)
    elif hearing.window is not None and sure < hearing.window - rules.drop:
        doubt = say("l1.drifted", tongue, sure=_sure(sure), mean=_sure(hearing.window))
    elif (cause := against(matter.text)) is not None and _has_effect(policy, intent, matter.request.caller_role):
        doubt = say(f"l1.{cause}", tongue, intent=about)
    reason = say("l1.reason", tongue, intent=about, sure=_sure(sure))
    if doubt is not None:
        if not rules.second or matter.standing is not None:
            return _acted(matter, hearing, policy, rules, intent, sure, reason, doubt)
        if hearing.second is None:
            return Decision(
                stage="model", reason=doubt, wants="second", intent=intent.name, confidence=sure, asked=matter.asked
            )
        second = hearing.second
        if second.failure is not None:
            why = say("l1.second_failed", tongue, why=say(f"l1.failure.{second.failure}", tongue))
            return _acted(matter, hearing, policy, rules, intent, sure, reason, why)
        if second.intent != intent.name or second.confidence < intent.gate:
            other = next((each for each in rules.intents if each.name == second.intent), None)
            told = _about(other, tongue) if other is not None else second.intent
            why = say("l1.disagree", tongue, intent=told)
            if other is None or other is intent:
                return _acted(matter, hearing, policy, rules, intent, min(sure, second.confidence), reason, why)
            offered = [intent, other]
            return _asks(matter, rules, intent, min(sure, second.confidence), why, offered)
    return _acted(matter, hearing, policy, rules, intent, sure, reason)


def _has_effect(policy: Policy, intent: IntentRule, role: str | None) -> bool:
    """Whether what it leads to changes something outside."""
    action, _ = led_to(intent, role)
    rule = policy.document.actions.get(action or "")
    return rule is not None and rule.spec is not None and rule.spec.effect


def _acted(
    matter: Matter,
    hearing: Hearing | None,
    policy: Policy,
    rules: ArbiterRules,
    intent: IntentRule,
    sure: float,
    reason: str,
    doubt: str | None = None,
) -> Decision:
    """What the intent leads to; with a doubt only once the user has said yes to it, with all that is to be done before their
    eyes."""
    action, given = led_to(intent, matter.request.caller_role)
    led = Decision(stage="l1", reason=reason, risk=intent.risk, intent=intent.name, confidence=sure, asked=matter.asked)
    spec = policy.document.actions[action].spec if action in policy.document.actions else None
    if doubt is not None and spec is None:
        return _asks(matter, rules, intent, sure, doubt, [intent])
    if action is None:
        steer = {key: value for key, value in (("target", intent.target), ("task", intent.task)) if value}
        return msgspec.structs.replace(led, stage="model", parameters=steer)
    kind, defaults = policy.named_action(action) or (None, {})
    if kind == "route":
        return msgspec.structs.replace(led, stage="model", parameters={**defaults, **given})
    if kind == "report":
        return _report(matter, policy, rules, led, intent, {**defaults, **given}.get("format"))
    if kind in ("answer", "refuse"):
        text = _said(kind, {**defaults, **given}, matter)
        return msgspec.structs.replace(led, action=action, parameters=text)
    assert spec is not None
    today = today_of(matter.request, policy)
    return _act(matter, hearing, rules, led, intent, spec, {**defaults, **given}, today, doubt)


def _act(
    matter: Matter,
    hearing: Hearing | None,
    rules: ArbiterRules,
    led: Decision,
    intent: IntentRule,
    spec: ActionSpec,
    given: dict[str, Any],
    today: datetime.date,
    doubt: str | None,
) -> Decision:
    """The action with its parameters; where some are missing they are read by a model, if there is one, then asked for."""
    request, tongue, standing = matter.request, matter.tongue, matter.standing
    answered = {} if standing is None else standing.given
    filled = None if hearing is None else hearing.filled
    read = {} if filled is None else filled.parameters
    answers = {name: typed(text, spec.properties.get(name, {})) for name, text in answered.items()}
    shown = found_in(spec, matter.text, today)
    values = {**_sound(spec, read), **_sound(spec, shown), **_sound(spec, answers), **given}
    found = values_of(spec, values, {}, matter.text, request.files)
    missing = missing_of(spec, found)
    if rules.fills and filled is None and _wanted(spec, found):
        return msgspec.structs.replace(led, stage="model", wants="filling", action=spec.name, parameters=found)
    if missing:
        names = ("、" if tongue == "zh" else ", ").join(called(name, spec.properties[name], tongue) for name in missing)
        why = say("l1.lacks", tongue, intent=_about(intent, tongue), missing=names)
        if matter.asked >= rules.most_asked:
            return _onward(matter, rules, intent.name, led.confidence or 0.0, why, why)
        schema = spec.properties[missing[0]]
        text = ask_for(_about(intent, tongue), called(missing[0], schema, tongue), options_of(schema, tongue), tongue)
        return msgspec.structs.replace(
            led, action=spec.name, parameters={"text": text}, clarification=text, reason=f"{led.reason}; {why}"
        )
    if doubt is not None:
        return _asks(matter, rules, intent, led.confidence or 0.0, doubt, [intent], _details(spec, found, tongue))
    return msgspec.structs.replace(led, action=spec.name, parameters=found, execution_path=spec.path)


def to_fill(matter: Matter, policy: Policy, name: str) -> tuple[str, dict[str, Any]]:
    """What that intent is, and the JSON Schema of the parameters that a model may read for it: those that nothing else
    fills, and that have no default."""
    rules = policy.document.arbiter
    assert rules is not None
    intent = next(intent for intent in rules.intents if intent.name == name)
    action, given = led_to(intent, matter.request.caller_role)
    spec = policy.document.actions[action or ""].spec
    assert spec is not None
    found = {**found_in(spec, matter.text, today_of(matter.request, policy)), **given}
    if matter.standing is not None:
        found.update(matter.standing.given)
    wanted = _wanted(spec, found)
    schema = {"type": "object", "properties": wanted, "additionalProperties": False}
    return _about(intent, matter.tongue), schema


def _wanted(spec: ActionSpec, found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: schema
        for name, schema in spec.properties.items()
        if name not in found
        and name != QUESTION
        and "default" not in schema
        and schema.get("format") != FILE
        and "x-source" not in schema
    }


def _report(
    matter: Matter, policy: Policy, rules: ArbiterRules, led: Decision, intent: IntentRule, form: Any
) -> Decision:
    """A report is planned from the words themselves, all of which must be understood."""
    draft = draft_from(matter.text, matter.request, policy, sure=True)
    if draft is None:
        why = say("l1.strange", matter.tongue, words=matter.text[:60])
        return _onward(matter, rules, intent.name, led.confidence or 0.0, why, why)
    decision = decide_report(draft, matter.request, policy, matter.tongue, intent.name, form)
    return msgspec.structs.replace(
        decision,
        stage="l1",
        rule=None,
        reason=led.reason,
        intent=led.intent,
        confidence=led.confidence,
        asked=led.asked,
    )


def resumed_by_arbiter(resumed: Resumed, request: Request, policy: Policy) -> Decision | None:
    """An answer to a question about a report that an intent led to; None where no intent leads to reports."""
    rules = policy.document.arbiter
    for intent in rules.intents if rules is not None else ():
        action, given = led_to(intent, request.caller_role)
        kind, defaults = (policy.named_action(action) if action else None) or (None, {})
        if kind == "report":
            reason = say("l1.chosen", resumed.tongue, intent=_about(intent, resumed.tongue))
            if resumed.cancelled:
                decision = cancelled_report(resumed.tongue, intent.name)
            else:
                form = {**defaults, **given}.get("format")
                decision = decide_report(resumed.draft, request, policy, resumed.tongue, intent.name, form)
            return msgspec.structs.replace(
                decision, stage="l1", rule=None, reason=reason, intent=intent.name, confidence=1.0, asked=1
            )
    return None


def _asks(
    matter: Matter,
    rules: ArbiterRules,
    intent: IntentRule,
    sure: float,
    why: str,
    offered: list[IntentRule],
    details: Sequence[str] = (),
) -> Decision:
    """Which of those, or whether the one; or on, where the user was asked enough."""
    tongue = matter.tongue
    if matter.asked >= rules.most_asked or not offered:
        return _onward(matter, rules, intent.name, sure, why, why)
    abouts = list(dict.fromkeys(_about(each, tongue) for each in offered))
    text = ask_whether(abouts[0], tongue, details) if len(abouts) == 1 else ask_which(abouts, tongue)
    reason = say("l1.reason", tongue, intent=_about(intent, tongue), sure=_sure(sure))
    return Decision(
        stage="l1",
        reason=f"{reason}; {why}",
        parameters={"text": text},
        intent=intent.name,
        confidence=sure,
        fallback_reason=why,
        clarification=text,
        asked=matter.asked,
    )


def _onward(matter: Matter, rules: ArbiterRules, intent: str, sure: float, why: str, below: str | None) -> Decision:
    """On to a model; or to people, where the user was asked and that is what is wanted then."""
    tongue = matter.tongue
    if matter.asked:
        why = say("l1.asked_enough", tongue, why=why, asked=matter.asked)
    if rules.then is not None and matter.asked:
        return Decision(
            stage="l1",
            reason=say("l1.handed_over", tongue, why=why, action=rules.then),
            action=rules.then,
            parameters={QUESTION: matter.text},
            execution_path=(rules.then,),
            intent=intent,
            confidence=sure,
            fallback_reason=below,
            asked=matter.asked,
            hands_over=True,
        )
    return Decision(
        stage="model", reason=why, intent=OPEN_ENDED, confidence=sure, fallback_reason=below, asked=matter.asked
    )


def _said(kind: str, given: Mapping[str, Any], matter: Matter) -> dict[str, Any]:
    slots = {QUESTION: matter.text}
    if kind == "answer":
        return {"text": fill(in_tongue(given["text"], matter.tongue), slots)}
    parts = [fill(in_tongue(given[key], matter.tongue), slots) for key in ("why", "instead") if given.get(key)]
    return {"text": ("" if matter.tongue == "zh" else " ").join(parts), "refused": True}


def _sound(spec: ActionSpec, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those that their schemas allow."""
    return {
        name: value
        for name, value in values.items()
        if name in spec.properties and validator_of(spec.properties[name], formats=True).is_valid(value)
    }


def _details(spec: ActionSpec, found: Mapping[str, Any], tongue: Tongue) -> list[str]:
    """What is to be done, for people: values that they gave, except those that are not to be seen."""
    return [
        f"{called(name, spec.properties.get(name, {}), tongue)}{'：' if tongue == 'zh' else ': '}{str(value)[:60]}"
        for name, value in found.items()
        if name not in (QUESTION, *spec.redact) and isinstance(value, str | int | float) and value != ""
    ]


def _about(intent: IntentRule, tongue: Tongue) -> str:
    return " ".join(in_tongue(intent.about, tongue).split()).rstrip("。.")


def _sure(value: float) -> str:
    return f"{value:.2f}"
