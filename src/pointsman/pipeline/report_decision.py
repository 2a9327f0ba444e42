"""Deciding on a request for a report: understood whole, asked back, or left to a model."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.report import Format, ReportPlan
from pointsman.domain.report_words import shape_of
from pointsman.domain.request import Request
from pointsman.domain.wording import Tongue, say
from pointsman.pipeline.policy import Policy
from pointsman.planning.clarify import Clarification
from pointsman.planning.draft import Draft, draft_of
from pointsman.planning.plan import plan_of
from pointsman.planning.resume import Resumed, resume
from pointsman.planning.templates import template_for


def today_of(request: Request, policy: Policy) -> datetime.date:
    """The day of the request in the policy's zone."""
    return datetime.datetime.fromtimestamp(request.now, ZoneInfo(policy.document.timezone)).date()


def resumed_report(request: Request, policy: Policy) -> Resumed | None:
    """An answer to a question that the gateway asked about a report."""
    if not policy.document.reports or len(request.turns) < 3:
        return None
    if policy.document.channels:
        role = request.caller_role
        turns = tuple(
            msgspec.structs.replace(turn, text=policy.wishes.without(turn.text, role)) if turn.role == "user" else turn
            for turn in request.turns
        )
        request = msgspec.structs.replace(request, turns=turns)
    return resume(request, policy.document.reports, today_of(request, policy), policy.document.periods)


def draft_from(question: str, request: Request, policy: Policy, *, sure: bool = False) -> Draft | None:
    """What the question says of a report; None where some of its words say something else: then no report is meant. `sure`:
    it is known that one is, so that none needs to be named."""
    question = policy.wishes.without(question, request.caller_role)
    draft = draft_of(question, policy.document.reports, today_of(request, policy), policy.document.periods)
    return draft if draft.is_request or (sure and not draft.strange and draft.reports) else None


def decide_report(
    draft: Draft, request: Request, policy: Policy, tongue: Tongue, rule: str, default: Format | None
) -> Decision:
    """A plan for the report action, or one question."""
    if not draft.formats and default is not None:
        draft = msgspec.structs.replace(draft, formats=(default,))
    plan = plan_of(draft, policy.document.reports, tongue, today_of(request, policy))
    if isinstance(plan, Clarification):
        return Decision(
            stage="l0",
            rule=rule,
            action="report",
            parameters={"text": plan.text, "slot": plan.slot},
            reason=say(f"asks.{plan.slot}", tongue, rule=rule),
            clarification=plan.text,
        )
    plan = _with_template(plan, request, policy)
    return Decision(
        stage="l0",
        rule=rule,
        action="report",
        parameters={"plan": msgspec.to_builtins(plan)},
        reason=say("report.reason", tongue, rule=rule, what=described(plan, policy, tongue)),
        execution_path=("report",),
    )


def _with_template(plan: ReportPlan, request: Request, policy: Policy) -> ReportPlan:
    """With the template that is meant for who asks, where the words named none."""
    if plan.template is not None:
        return plan
    spec = next(spec for spec in policy.document.reports if spec.name == plan.report)
    meant = template_for(spec, request.user, request.caller, request.caller_group, request.caller_role)
    return msgspec.structs.replace(plan, template=meant)


def cancelled_report(tongue: Tongue, rule: str) -> Decision:
    """The person answered the question with: never mind."""
    text = say("report.cancelled", tongue)
    return Decision(stage="l0", rule=rule, action="report", parameters={"text": text, "refused": True}, reason=text)


def described(plan: ReportPlan, policy: Policy, tongue: Tongue) -> str:
    """Report, range, filters and form in one line."""
    spec = next(spec for spec in policy.document.reports if spec.name == plan.report)
    last = plan.period.end - datetime.timedelta(days=1)
    span = str(plan.period.start) if last == plan.period.start else f"{plan.period.start} – {last}"
    titles = {dimension.name: getattr(dimension.titles, tongue) for dimension in spec.dimensions}
    parts = [
        getattr(spec.titles, tongue),
        span,
        *(f"{titles[f.dimension]}: {', '.join(f.labels)}" for f in plan.filters),
        *shape_of(plan, spec, tongue),
    ]
    return "; ".join([*parts, plan.format.upper()])
