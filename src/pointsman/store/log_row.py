"""A record as a row of the log: which columns it has, and what of a prompt may stand in them."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.request import Request
from pointsman.store.seal import Seal

Prompts = Literal["sealed", "off", "full"]
INSERT = f"insert or replace into requests values ({','.join('?' * 29)})"  # noqa: S608
UNKNOWN = "(unknown)"
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


class Content(msgspec.Struct, frozen=True, array_like=True):
    """All of a record that may hold words of a prompt: sealed, kept in the plain, or not kept at all."""

    request: Request
    decision: Decision | None = None
    attempts: tuple[Attempt, ...] = ()


def row_of(record: Record, policy: PolicyDocument, prompts: Prompts, seal: Seal | None) -> tuple[Any, ...]:
    """Values in the order of the table. Unless prompts are kept in `full`, no column but the content holds a text that a
    client or an engine wrote: not an engine's error, which may quote the prompt, nor a `model` that there is not.
    Raises UnicodeEncodeError for half a surrogate pair."""
    request, decision, times = record.request, record.decision, record.timings
    features = decision.features if decision else None
    attempts, model, error = record.attempts, request.model[:200], record.error
    if prompts != "full":
        attempts = tuple(msgspec.structs.replace(attempt, message=None) for attempt in attempts)
        if request.model not in policy.names and all(entry.name != request.model for entry in policy.entries):
            model = UNKNOWN
        if error is not None and not _CODE.fullmatch(error):
            error = "other"
    content = None
    if prompts != "off":
        content = msgspec.msgpack.encode(Content(request, decision, record.attempts))
        if seal:
            content = seal.close(content, request.id)
    return (
        request.id,
        record.received,
        request.endpoint,
        model,
        request.caller,
        decision.stage if decision else None,
        decision.rule if decision else None,
        decision.action if decision else None,
        record.outcome,
        record.status,
        error,
        record.target,
        features.language if features else None,
        features.task_type if features else None,
        record.input_tokens if record.input_tokens is not None else features.input_tokens if features else None,
        record.output_tokens,
        record.cached_tokens,
        int(record.output_estimated),
        times.decided,
        times.ttft,
        times.total,
        decision.policy if decision else None,
        decision.snapshot if decision else None,
        decision.seed if decision else None,
        record.exact_tokens,
        msgspec.json.encode(features) if features else None,
        msgspec.json.encode(attempts),
        prompts,
        content,
    )
