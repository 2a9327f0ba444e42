"""The chunks that came with a request, for an action that takes them."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.action import CHUNKS, SOURCE
from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.framing import chunks_of, system_contexts
from pointsman.pipeline.policy import Policy


def with_chunks(decision: Decision, request: Request, policy: Policy) -> Decision:
    """The decision with what was retrieved for the question, in each parameter that takes it and that nothing else fills."""
    rule = policy.document.actions.get(decision.action or "")
    if rule is None or rule.spec is None or not decision.execution_path:
        return decision
    names = [
        name
        for name, schema in rule.spec.properties.items()
        if schema.get(SOURCE) == CHUNKS and name not in decision.parameters
    ]
    chunks = chunks_in(request, policy, decision.asked) if names else []
    if not chunks:
        return decision
    return msgspec.structs.replace(decision, parameters={**decision.parameters, **dict.fromkeys(names, chunks)})


def chunks_in(request: Request, policy: Policy, asked: int = 0) -> list[dict[str, Any]]:
    """Those of the system messages, then those beside the question: [{"id", "text"}], the last one with "cut" where there
    was more. The question is the user's last message, or the one before as many answers to questions of ours."""
    contexts = [
        context
        for turn in request.turns
        if turn.role in ("system", "developer")
        for context in system_contexts(turn.text)
    ]
    said = [turn.text for turn in request.turns if turn.role == "user"]
    if len(said) > asked and (span := policy.frames.question_span(said[-1 - asked])) is not None:
        contexts += policy.frames.contexts(said[-1 - asked], span)
    return [
        {"id": chunk.id, "text": chunk.text, "cut": True} if chunk.cut else {"id": chunk.id, "text": chunk.text}
        for chunk in chunks_of(contexts)
    ]
