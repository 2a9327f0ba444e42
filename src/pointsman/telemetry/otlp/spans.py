"""One tree of spans a request, told by its record: door, rules, arbiter, routing, queue, each attempt, action. No word of a
prompt or a reply is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Target
from pointsman.telemetry.error_kinds import kind_of
from pointsman.telemetry.otlp import wire
from pointsman.telemetry.otlp.names import Names, operation_of, provider_of
from pointsman.telemetry.trace_context import Context, attempt_name, span_id

Kind = Literal["internal", "server", "client"]
_KINDS: dict[Kind, int] = {"internal": 1, "server": 2, "client": 3}
ROOT = "request"
_UNKNOWN = "(unknown)"


class Span(msgspec.Struct, frozen=True):
    """`part` is its place in the request, which its id follows from. Times are nanoseconds since the epoch. `event`: (when,
    what)."""

    part: str
    name: str
    kind: Kind
    begin: int
    end: int
    about: wire.Attributes
    failure: str | None = None
    event: tuple[int, str] | None = None


def tree_of(record: Record, policy: PolicyDocument, ended: float, names: Names) -> list[Span]:
    """The root first. `ended` is when the record was put, seconds since the epoch."""
    times, decision = record.timings, record.decision
    total = times.total or 0.0
    end = int(ended * 1e9)
    began = end - int(total * 1e6)
    received = min(int(record.received * 1e9), began)

    def at(milliseconds: float) -> int:
        return min(began + int(milliseconds * 1e6), end)

    spans = [
        _root(record, policy, received, end, names),
        Span("door", "pointsman.door", "internal", received, began, {}),
    ]
    if decision is None or times.decided is None:
        return spans
    ruled = times.ruled if times.ruled is not None else times.decided
    spans.append(
        Span(
            "rules",
            "pointsman.rules",
            "internal",
            began,
            at(ruled),
            {
                "pointsman.rule": decision.rule,
                "pointsman.marks": tuple(mark.label for mark in decision.marks) or None,
                "pointsman.rules_cut": decision.rules_cut,
            },
        )
    )
    after = ruled
    if decision.hearing is not None:
        heard = decision.hearing.first
        after = min(ruled + heard.took_ms, times.decided)
        about: wire.Attributes = {
            "pointsman.arbiter": heard.arbiter,
            "pointsman.intent": decision.intent,
            "pointsman.confidence": decision.confidence,
            "gen_ai.usage.input_tokens": heard.input_tokens,
            "gen_ai.usage.output_tokens": heard.output_tokens,
        }
        spans.append(Span("arbiter", "pointsman.arbiter", "internal", at(ruled), at(after), about, heard.failure))
    if decision.stage == "model":
        spans.append(
            Span(
                "routing",
                "pointsman.routing",
                "internal",
                at(after),
                at(times.decided),
                {
                    "pointsman.targets": tuple(choice.target for choice in decision.targets) or None,
                    "pointsman.scored": decision.scored,
                },
            )
        )
        spans += _execution(record, policy, at, names)
    else:
        failure = None if record.outcome in ("ok", "refused", "handed_over") else record.error
        about = {"pointsman.action": decision.action, "pointsman.outcome": record.outcome}
        spans.append(Span("action", "pointsman.action", "internal", at(times.decided), end, about, failure))
    return spans


def encoded(span: Span, request_id: str, context: Context) -> bytes:
    """A Span of OTLP."""
    root = span.part == ROOT
    parent = context.parent if root else span_id(request_id, ROOT)
    parts = [
        wire.message(1, context.trace_id),
        wire.message(2, span_id(request_id, span.part)),
        b"" if parent is None else wire.message(4, parent),
        wire.text(5, span.name),
        wire.number(6, _KINDS[span.kind]),
        wire.fixed64(7, span.begin),
        wire.fixed64(8, max(span.end, span.begin)),
        wire.attributes(9, {**span.about, "error.type": span.failure}),
    ]
    if span.event is not None:
        parts.append(wire.message(11, wire.fixed64(1, span.event[0]) + wire.text(2, span.event[1])))
    if span.failure is not None:
        parts.append(wire.message(15, wire.number(3, 2)))
    return b"".join(parts)


def _root(record: Record, policy: PolicyDocument, received: int, end: int, names: Names) -> Span:
    request, decision = record.request, record.decision
    operation, model = operation_of(request.endpoint), shown_model(request.model, policy)
    target = target_of(record.target, policy)
    failed = record.outcome in ("failed", "expired")
    about: wire.Attributes = {
        "gen_ai.operation.name": operation,
        names.provider: provider_of(None if target is None else target.engine),
        "gen_ai.request.model": model or None,
        "gen_ai.response.model": None if target is None else target.model,
        "gen_ai.usage.input_tokens": record.input_tokens,
        "gen_ai.usage.output_tokens": record.output_tokens,
        "http.response.status_code": record.status,
        "pointsman.request_id": request.id,
        "pointsman.caller": request.caller,
        "pointsman.outcome": record.outcome,
        "pointsman.stage": None if decision is None else decision.stage,
        "pointsman.policy": None if decision is None else decision.policy or None,
        "pointsman.cache": record.cache,
    }
    name = f"{operation} {model}" if model else operation
    return Span(ROOT, name, "server", received, end, about, (kind_of(record) or "other") if failed else None)


def _execution(record: Record, policy: PolicyDocument, at: Callable[[float], int], names: Names) -> Iterator[Span]:
    """Waiting, then each attempt: the last one goes on to the end of the reply."""
    times, attempts = record.timings, record.attempts
    if times.queued is not None and times.decided is not None:
        until = attempts[0].began_ms if attempts else times.decided + times.queued
        yield Span("queue", "pointsman.queue", "internal", at(max(until - times.queued, 0.0)), at(until), {})
    for number, attempt in enumerate(attempts):
        last = number == len(attempts) - 1 and attempt.target == record.target
        until = (times.total or 0.0) if last else attempt.began_ms + attempt.took_ms
        target = target_of(attempt.target, policy)
        operation = operation_of(record.request.endpoint)
        model = None if target is None else target.model
        about: wire.Attributes = {
            "gen_ai.operation.name": operation,
            names.provider: provider_of(None if target is None else target.engine),
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": record.input_tokens if last else None,
            "gen_ai.usage.output_tokens": record.output_tokens if last else None,
            "server.address": None if target is None else target.backend,
            "http.response.status_code": attempt.status,
            "pointsman.target": attempt.target,
            "pointsman.node": attempt.node,
        }
        event = (at(times.ttft), "gen_ai.first_token") if last and times.ttft is not None else None
        name = f"{operation} {model}" if model else operation
        began = at(attempt.began_ms)
        yield Span(attempt_name(number), name, "client", began, at(until), about, attempt.failure, event)


def shown_model(model: str, policy: PolicyDocument) -> str:
    """A name that there is; what clients make up is not told."""
    if not model or model in policy.names or any(entry.name == model for entry in policy.entries):
        return model
    return model if any(model in (target.model, target.name) for target in policy.targets) else _UNKNOWN


def target_of(name: str | None, policy: PolicyDocument) -> Target | None:
    return next((target for target in policy.targets if target.name == name), None)
