"""The decision on a request: a pure function of (request, policy, snapshot, seed)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from pointsman.admission.limits import REPLY_RESERVE, is_empty
from pointsman.domain.decision import Decision, Match
from pointsman.domain.features import Features
from pointsman.domain.intent import Hearing
from pointsman.domain.meaning import Meaning
from pointsman.domain.policy import EntryRule
from pointsman.domain.request import Request, Turn
from pointsman.domain.rule import Looked, Rule, RuleHit
from pointsman.domain.target import Load, Snapshot
from pointsman.domain.wording import INSTALL, Tongue, in_tongue, say, tongue_of
from pointsman.features.extract import extract
from pointsman.pipeline.acting import decide_act, rule_reason
from pointsman.pipeline.arbitration import Matter, arbitrated, arbitrates, resumed_by_arbiter
from pointsman.pipeline.asked import Asked, ask, asking_of, look, noted, noted_risk
from pointsman.pipeline.came_with import with_chunks
from pointsman.pipeline.classified import classified, unread_reason, wants_meaning
from pointsman.pipeline.degrade import degrade_of
from pointsman.pipeline.delivery.deciding import delivered_to
from pointsman.pipeline.policy import EXPORT, Policy
from pointsman.pipeline.report_decision import cancelled_report, decide_report, draft_from, resumed_report, today_of
from pointsman.pipeline.residence.load_reason import load_reason
from pointsman.pipeline.scored import score_reason, scoring_of
from pointsman.pipeline.standing import retold
from pointsman.routing.choose import Choice, Wanted, choose
from pointsman.routing.explore import explored
from pointsman.routing.routes import matching_route
from pointsman.rules import fill


def decide(
    request: Request,
    policy: Policy,
    snapshot: Snapshot,
    *,
    seed: int = 0,
    exact_tokens: int | None = None,
    tongue: Tongue | None = None,
    spent: Callable[[int], bool] | None = None,
    hearing: Hearing | None = None,
    loads: Mapping[str, Load] | None = None,
    last: str | None = None,
    before: Features | None = None,
    looked: Looked | None = None,
    meaning: Meaning | None = None,
    features: Features | None = None,
) -> Decision:
    """Raises PointsmanError (404) when the client named nothing that exists. `exact_tokens`: the engine's own count of
    the prompt, where the estimate was too near a limit; `tongue`: the language of its texts, where it is not to be the
    question's; `spent(n)`: whether time for the rules is out after n of them (`only(n)` where that is known); `hearing`:
    what arbiters said, as far as they were asked; `loads`: what targets have to do now (idle where it says nothing);
    `last`: the target that served the session before; `before`: its features when it was decided first, where the model of
    task types may be gone since; `looked`: what the rules say of it, `features`: what `extract` tells of it, where that is
    known; `meaning`: what an embedding model made of its text, where it was asked. A decision that `wants` something is how
    the request goes on without."""
    entry, direct = policy.resolve(request.model)
    asked = ask(request, policy)
    if features is None:
        features = extract(request, exact_tokens, asked.question)
    tongue = tongue or tongue_of(features.language, policy.document.language)
    decision: Decision | None = None
    known, looked = looked, Looked()
    standing = None
    if request.endpoint in ("chat", "completions"):
        if is_empty(request):
            decision = _refuse("guard.empty", say("empty", tongue), say("empty.reason", tongue))
        else:
            decision = _resumed(request, policy, entry) if entry else None
            if decision is None:
                told, standing, asked, tongue = retold(request, policy, entry, asked, tongue)
                looked = look(asked, told, policy, features, spent) if known is None else known
                decision = _by_rule(looked.hit, asked, told, policy, tongue) if looked.hit else None
                if decision is None and entry and (rule := degrade_of(asked.question, features, policy.degrades)):
                    decision = _by_rule(RuleHit(rule, ()), asked, told, policy, tongue)
            if decision is None and arbitrates(entry, request, features, asked.question):
                risk = noted_risk(looked)
                matter = Matter(request, asked.question or "", tongue, risk, standing)
                decision = arbitrated(matter, hearing, policy)
    if decision is None or decision.stage == "model":
        if request.endpoint in ("chat", "completions"):
            features = classified(features, request, asked.question, policy, before, meaning)
        question = asked.question or ""
        decision = _route(
            request, policy, snapshot, entry, direct, features, question, tongue, decision, loads or {}, last, seed
        )
        if meaning is not None:
            decision = msgspec.structs.replace(decision, reason=decision.reason + unread_reason(meaning, tongue))
        elif decision.wants is None and wants_meaning(features, request, policy):
            decision = msgspec.structs.replace(decision, wants="meaning")
    if entry and entry.hint and decision.stage == "model" and decision.rule is None and not decision.error:
        decision = msgspec.structs.replace(decision, hint=say("hint", tongue))
    if standing is not None and standing.asked != decision.asked:
        decision = msgspec.structs.replace(decision, asked=standing.asked)
    if looked.passed or looked.cut is not None:
        decision = noted(decision, looked, asked, tongue)
    decision = with_chunks(decision, request, policy)
    decision = delivered_to(decision, request, asked.question, policy)
    return msgspec.structs.replace(
        decision,
        features=features,
        framed=asked.framed,
        hearing=hearing,
        meaning=meaning,
        seed=seed,
        policy=policy.hash,
        snapshot=snapshot.hash,
    )


def only(rules: int | None) -> Callable[[int], bool] | None:
    """Time for so many rules: what a decision whose rules were cut is computed again with."""
    return None if rules is None else lambda looked: looked >= rules


def _resumed(request: Request, policy: Policy, entry: EntryRule) -> Decision | None:
    """An answer to an open question about a report goes before all rules."""
    resumed = resumed_report(request, policy)
    if resumed is None:
        return None
    first = msgspec.structs.replace(request, turns=(Turn("user", resumed.began_with),))
    asked = ask(first, policy)
    hit = look(asked, first, policy, extract(first, None, asked.question)).hit
    if hit is not None and (kind := policy.action_of(hit.rule)) and kind[0] == "report":
        if resumed.cancelled:
            return cancelled_report(resumed.tongue, hit.rule.id)
        return decide_report(resumed.draft, request, policy, resumed.tongue, hit.rule.id, kind[1].get("format"))
    if hit is None and entry.arbiter != "off":
        return resumed_by_arbiter(resumed, request, policy)
    return None


def _by_rule(hit: RuleHit, asked: Asked, request: Request, policy: Policy, tongue: Tongue) -> Decision | None:
    matched = asked.matched(hit)
    rule = hit.rule
    reason = rule_reason(rule.id, matched, tongue)
    action = policy.action_of(rule)
    if action is None and rule.action == EXPORT:
        return None  # without any report nothing can be meant by it
    if action is None:
        return Decision(
            stage="l0",
            rule=rule.id,
            action=rule.action,
            parameters={"text": say("unbound", tongue, action=rule.action, rule=rule.id), "refused": True},
            reason=say("unbound.reason", tongue, action=rule.action, rule=rule.id),
            matched=matched,
        )
    kind, given = action
    if kind == "report":
        draft = draft_from(asked.question or "", request, policy)
        if draft is None:
            return None
        decision = decide_report(draft, request, policy, tongue, rule.id, given.get("format"))
        return msgspec.structs.replace(decision, matched=matched)
    if kind == "act":
        spec = policy.document.actions[rule.action].spec
        assert spec is not None
        today = today_of(request, policy)
        return decide_act(spec, given, rule, matched, asked.question or "", request.files, tongue, today)
    parameters = given if kind == "route" else _reply(kind, given, rule, matched, asked.question or "", tongue)
    return Decision(
        stage="model" if kind == "route" else "l0",
        rule=rule.id,
        action="route" if kind == "route" else rule.action,
        parameters=parameters,
        reason=reason,
        matched=matched,
    )


def _reply(
    kind: str, given: dict[str, Any], rule: Rule, matched: tuple[Match, ...], question: str, tongue: Tongue
) -> dict[str, Any]:
    slots = {"question": question, **{match.group: match.text for match in reversed(matched)}}
    if kind == "answer":
        return {"text": fill(in_tongue(given["text"], tongue), slots)}
    parts = [fill(in_tongue(given[key], tongue), slots) for key in ("why", "instead") if given.get(key)]
    return {"text": ("" if tongue == "zh" else " ").join(parts), "refused": True}


def _refuse(rule: str, text: str, reason: str) -> Decision:
    return Decision(stage="l0", rule=rule, action="refuse", parameters={"text": text, "refused": True}, reason=reason)


def _route(
    request: Request,
    policy: Policy,
    snapshot: Snapshot,
    entry: EntryRule | None,
    direct: tuple[str, ...],
    features: Features,
    question: str,
    tongue: Tongue,
    steer: Decision | None,
    loads: Mapping[str, Load],
    last: str | None,
    seed: int,
) -> Decision:
    names = policy.document.names
    hint = steer.parameters if steer and not steer.wants else {}
    if steer and hint.get("task"):
        features = msgspec.structs.replace(features, task_type=hint["task"], task_source="declared")
    if entry is None:
        reason = say("named.reason", tongue, target=request.model)
        wanted: Sequence[Wanted] = [Wanted(f"named as {request.model}", direct)]
    elif steer and (target := hint.get("target")) and (target in names or not hint.get("optional")):
        reason = steer.reason
        why = f"rule {steer.rule}" if steer.rule else f"intent {steer.intent}"
        wanted = [Wanted(why, names.get(target, ())), *policy.fallback_groups]
    elif request.endpoint not in ("chat", "completions"):
        reason = say("named.reason", tongue, target=request.model)
        wanted = [Wanted("embedding model", tuple(t.name for t in policy.targets.values() if t.embedding))]
    else:
        route = matching_route(policy.routes, features, asking_of(request), question)
        if route:
            reason = say("route.reason", tongue, route=route.name, target=route.target)
            wanted = policy.groups_of(route)
        elif entry.policy is not None:
            reason = say("scored.reason", tongue, name=entry.policy)
            wanted = policy.scored_groups(entry.policy)
        else:
            reason = say("fallback.reason", tongue, target=policy.document.fallback)
            wanted = policy.fallback_groups
        if steer and steer.reason:
            reason = f"{steer.reason}; {reason}"
    vectors = request.endpoint not in ("chat", "completions")
    scoring = scoring_of(entry, policy, request, features, loads, last)

    def pick(groups: Sequence[Wanted]) -> Choice:
        if entry is not None:  # who names a model gets that model
            groups = [policy.of_kind(group, vectors) for group in groups]
        return choose(
            groups,
            policy.targets,
            snapshot,
            input_tokens=features.input_tokens,
            reserve=REPLY_RESERVE,
            keep_local=entry.keep_local if entry else True,
            scoring=scoring,
        )

    choice = pick(wanted)
    if entry is not None and not choice.targets and choice.context_length is not None:
        choice = pick([*wanted, Wanted("holds the prompt", policy.tier_targets)])
    if scoring is not None and choice.targets:
        reason = f"{reason}{'：' if tongue == 'zh' else ': '}{score_reason(choice.targets, last, tongue)}"
        explores = None if last else explored(choice.targets, snapshot, policy.document.explore, seed)
        if explores is not None:
            reason += say("score.explores", tongue, target=explores[0].target)
            choice = msgspec.structs.replace(choice, targets=explores)
    reason += load_reason(choice.targets, policy.targets, snapshot, tongue)
    decision = Decision(
        stage="model",
        rule=steer.rule if steer else None,
        action="route" if steer and (steer.rule or hint) else None,
        parameters={key: value for key, value in hint.items() if value} if hint else {},
        matched=steer.matched if steer else (),
        reason=reason,
        targets=choice.targets,
        left_out=choice.left_out,
        max_retries=policy.document.max_retries,
        intent=steer.intent if steer else None,
        confidence=steer.confidence if steer else None,
        fallback_reason=steer.fallback_reason if steer else None,
        asked=steer.asked if steer else 0,
        wants=steer.wants if steer else None,
        scored=scoring.name if scoring else None,
        last=last if scoring else None,
    )
    if choice.targets:
        return decision
    if choice.context_length is not None:
        numbers = {"tokens": features.input_tokens, "limit": choice.context_length - REPLY_RESERVE}
        if entry is None:
            return msgspec.structs.replace(
                decision, error="context_length_exceeded", reason=say("too_long.reason", tongue, **numbers)
            )
        refusal = _refuse("guard.length", say("too_long", tongue, **numbers), say("too_long.reason", tongue, **numbers))
        return msgspec.structs.replace(refusal, left_out=choice.left_out, wants=decision.wants)
    if any(policy.targets[name].external for name in policy.targets) and choice.left_out:
        return msgspec.structs.replace(
            decision, error="keep_local", reason=say("all_external", tongue, model=request.model)
        )
    if vectors and policy.targets:
        return msgspec.structs.replace(decision, error="no_target", reason=say("no_embedding", tongue))
    return msgspec.structs.replace(decision, error="no_target", reason=say("no_model", tongue, install=INSTALL))
