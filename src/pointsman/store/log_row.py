"""What is kept of a record: a head in the plain, and a content that may hold words of the prompt."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec.structs import astuple, replace

from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.features import Features
from pointsman.domain.record import Record
from pointsman.domain.request import Request

Prompts = Literal["sealed", "off", "full"]
FEATURES = Features.__struct_fields__
CONTENT = (Request.__struct_fields__, Decision.__struct_fields__)
UNKNOWN = "(unknown)"
_FEATURES = Decision.__struct_fields__.index("features")
_LONGEST = 64  # characters of a code
_CODE = re.compile(r"[A-Za-z0-9_.:-]+")


class Head(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What lists show and filter by, as it is read; `head_of` writes it, in this order. It is an array on disk: a new
    field goes to the end and has a default. `features` are values without their names, which stand once in a batch.
    Features and attempts stay as they were written, so that a log can be listed after they have changed."""

    id: str
    received: float
    endpoint: str
    model: str
    caller: str
    stage: str | None
    rule: str | None
    action: str | None
    outcome: str
    status: int
    error: str | None
    target: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    output_estimated: bool
    decided_ms: float | None
    ttft_ms: float | None
    total_ms: float | None
    policy: str | None
    snapshot: str | None
    seed: int | None
    exact_tokens: int | None
    features: list[Any] | None
    attempts: list[dict[str, Any]]
    risk: str | None = None
    marks: list[str] = []
    shadow: list[str] = []
    masked: dict[str, int] | None = None
    cache: str | None = None
    intent: str | None = None
    confidence: float | None = None
    queued_ms: float | None = None


class Brief(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """As a Head, to be read quickly: what is not filed stays as it is encoded."""

    id: str
    received: float
    endpoint: str
    model: str
    caller: str
    stage: str | None
    rule: str | None
    action: str | None
    outcome: str
    status: int
    error: str | None
    target: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    output_estimated: bool
    decided_ms: msgspec.Raw
    ttft_ms: float | None
    total_ms: float | None
    policy: msgspec.Raw
    snapshot: msgspec.Raw
    seed: msgspec.Raw
    exact_tokens: msgspec.Raw
    features: list[Any] | None
    attempts: msgspec.Raw
    risk: str | None = None
    marks: list[str] = []
    shadow: list[str] = []
    masked: msgspec.Raw | None = None
    cache: str | None = None
    intent: str | None = None
    confidence: float | None = None
    queued_ms: float | None = None


class Content(msgspec.Struct, frozen=True):
    """All of a record that may hold words of a prompt: sealed, kept in the plain, or not kept at all."""

    request: Request
    decision: Decision | None = None
    attempts: tuple[Attempt, ...] = ()


@lru_cache(maxsize=256)
def _is_code(error: str) -> bool:
    return _CODE.fullmatch(error) is not None


def without_quotes(attempts: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """Without what engines said, which may quote the prompt; the same object where they said nothing."""
    for attempt in attempts:
        if attempt.message is not None:
            return tuple(replace(each, message=None) for each in attempts)
    return attempts


def head_of(record: Record, attempts: tuple[Attempt, ...], named: Container[str], prompts: Prompts) -> tuple[Any, ...]:
    """The fields of a Head. `attempts` are those to be shown, `named` the models and entries that there are. Unless prompts
    are kept in `full`, nothing in it is a text that a client or an engine wrote: not an engine's error, nor a `model` that
    there is not."""
    request, decision, times = record.request, record.decision, record.timings
    model, error = request.model, record.error
    if prompts != "full":
        if model and model not in named:
            model = UNKNOWN
        if error is not None and (len(error) > _LONGEST or not _is_code(error)):
            error = "other"
    if decision is None:
        stage = rule = action = policy = snapshot = seed = features = risk = intent = confidence = None
        marks: tuple[str, ...] = ()
        shadow: tuple[str, ...] = ()
    else:
        stage, rule, action, features = decision.stage, decision.rule, decision.action, decision.features
        policy, snapshot, seed = decision.policy, decision.snapshot, decision.seed
        risk, shadow = decision.risk, decision.shadow
        intent, confidence = decision.intent, decision.confidence
        marks = tuple([mark.label for mark in decision.marks]) if decision.marks else ()
    return (
        request.id,
        record.received,
        request.endpoint,
        model if len(model) <= 200 else model[:200],
        request.caller,
        stage,
        rule,
        action,
        record.outcome,
        record.status,
        error,
        record.target,
        record.input_tokens,
        record.output_tokens,
        record.cached_tokens,
        record.output_estimated,
        times.decided,
        times.ttft,
        times.total,
        policy,
        snapshot,
        seed,
        record.exact_tokens,
        features and astuple(features),
        attempts,
        risk,
        marks,
        shadow,
        record.masked,
        record.cache,
        intent,
        confidence,
        times.queued,
    )


def content_of(record: Record, attempts: tuple[Attempt, ...]) -> tuple[Any, ...]:
    """(values of the request, values of the decision, attempts), without what the head has: features, and attempts where
    they are the same there."""
    return astuple(record.request), _bare(record.decision), attempts


def since_then(record: Record, noted: Decision | None, attempts: tuple[Attempt, ...]) -> tuple[Any, ...]:
    """(whether the decision is the one that was noted, values of the decision unless it is, attempts), of a request whose
    content was noted with that decision."""
    decision = record.decision
    if decision is noted:
        return True, None, attempts
    return False, _bare(decision), attempts


def _bare(decision: Decision | None) -> tuple[Any, ...] | None:
    """Its values, without the features."""
    if decision is None:
        return None
    values = astuple(decision)
    return (*values[:_FEATURES], None, *values[_FEATURES + 1 :])
