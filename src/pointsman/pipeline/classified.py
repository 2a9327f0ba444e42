"""What kind of work a request asks for, where nobody declared it: from what the conversation is about."""

from __future__ import annotations

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.features import Features
from pointsman.domain.request import Request
from pointsman.features.conversation import matter
from pointsman.learning.pieces import pieces, plain
from pointsman.pipeline.policy import Policy


def classified(
    features: Features, request: Request, question: str | None, policy: Policy, before: Features | None
) -> Features:
    """With the task of which the policy's model is sure enough, and how sure it is; with none, the confidence says that
    there was one. A model that is not at hand is taken at its word in `before`, the features of the same request when it
    was."""
    rule, tasks = policy.document.classifier, policy.tasks
    if rule is None or features.task_type is not None:
        return features
    if tasks is None:
        if before is None or before.task_source not in ("classified", "none"):
            return features
        return msgspec.structs.replace(
            features,
            task_type=before.task_type,
            task_source=before.task_source,
            task_confidence=before.task_confidence,
        )
    text = plain(whole_characters(matter(request, question or "")))
    if not text.strip():
        return features
    told = tasks.of(text, pieces(text))
    if told.confidence < rule.least:
        return msgspec.structs.replace(features, task_confidence=told.confidence)
    return msgspec.structs.replace(
        features, task_type=told.task, task_source="classified", task_confidence=told.confidence
    )
