"""What kind of work a request asks for, where nobody declared it, and how difficult that is: from what the conversation is
about."""

from __future__ import annotations

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.features import Features
from pointsman.domain.request import Request
from pointsman.features.conversation import matter
from pointsman.learning.pieces import piece_set, plain
from pointsman.pipeline.policy import Policy
from pointsman.routing.classifier.both import both
from pointsman.routing.classifier.tasks import Told


def classified(
    features: Features, request: Request, question: str | None, policy: Policy, before: Features | None
) -> Features:
    """Where routes or scores ask for it: with the task of which the policy's model is sure enough, and how sure it is; with
    none, the confidence says that it was looked for; and with the difficulty. A model that is not at hand is taken at its
    word in `before`, the features of the same request when it was."""
    rule = policy.document.classifier
    asks = rule is not None and rule.difficulty is not None and policy.asks_difficulty(request)
    asks_task = features.task_type is None and policy.asks_task(request)
    if rule is None or not (asks or asks_task):
        return features
    model = policy.difficulty if asks else None
    if asks and model is None:
        features = msgspec.structs.replace(features, difficulty=before and before.difficulty)
    tasks = policy.tasks if asks_task else None
    if asks_task and tasks is None:
        features = _as_told(features, before)
    if model is None and tasks is None:
        return features
    text = whole_characters(matter(request, question or ""))
    spelt = plain(text)
    if tasks is not None and model is not None:
        found = both(tasks, model).of(text, spelt)
        return features if found is None else _with_task(features, found[0], rule.least, found[1])
    if tasks is not None:
        told = tasks.of(spelt)
        return features if told is None else _with_task(features, told, rule.least, features.difficulty)
    row = piece_set(spelt)
    return msgspec.structs.replace(features, difficulty=model.of(text, row)) if row and model is not None else features


def _as_told(features: Features, before: Features | None) -> Features:
    if before is None or before.task_source not in ("classified", "none"):
        return features
    return msgspec.structs.replace(
        features,
        task_type=before.task_type,
        task_source=before.task_source,
        task_confidence=before.task_confidence,
    )


def _with_task(features: Features, told: Told, least: float, difficulty: float | None) -> Features:
    if told.confidence < least:
        return msgspec.structs.replace(features, task_confidence=told.confidence, difficulty=difficulty)
    return msgspec.structs.replace(
        features,
        task_type=told.task,
        task_source="classified",
        task_confidence=told.confidence,
        difficulty=difficulty,
    )
