"""What kind of work a request asks for, where nobody declared it, and how difficult that is: from what the conversation is
about."""

from __future__ import annotations

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.features import Features
from pointsman.domain.meaning import Meaning
from pointsman.domain.request import Request
from pointsman.domain.wording import Tongue, say
from pointsman.features.conversation import matter
from pointsman.learning.pieces import piece_set, plain
from pointsman.pipeline.policy import Policy
from pointsman.routing.classifier.both import both
from pointsman.routing.classifier.tasks import Told


def classified(
    features: Features,
    request: Request,
    question: str | None,
    policy: Policy,
    before: Features | None,
    meaning: Meaning | None,
) -> Features:
    """Where routes or scores ask for it: with the task of which the policy's model is sure enough, and how sure it is; with
    none, the confidence says that it was looked for; and with the difficulty. A model that is not at hand is taken at its
    word in `before`, the features of the same request when it was. Models that look at the meaning of a text go by its
    spelling where there is no `meaning`, or not of their embedding model."""
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
    by_task = None if tasks is None else vector_for(tasks.embedder, meaning)
    by_difficulty = None if model is None else vector_for(model.embedder, meaning)
    if tasks is not None and model is not None and by_task is None and by_difficulty is None:
        found = both(tasks, model).of(text, spelt)
        return features if found is None else _with_task(features, found[0], rule.least, found[1])
    difficulty = features.difficulty
    if model is not None and (row := piece_set(spelt)):
        difficulty = model.of(text, row) if by_difficulty is None else model.of_meaning(text, row, by_difficulty)
    told = None if tasks is None else tasks.of(spelt, by_task)
    if told is None:
        return msgspec.structs.replace(features, difficulty=difficulty)
    return _with_task(features, told, rule.least, difficulty)


def wants_meaning(features: Features, request: Request, policy: Policy) -> bool:
    """Whether task or difficulty of a request that comes to a model are told from the meaning of its text, by the features
    as `classified` gives them."""
    rule = policy.document.classifier
    if rule is None or rule.embedder is None or request.endpoint not in ("chat", "completions"):
        return False
    if request.model not in policy.entries:
        return False  # who names a model gets that one
    tasks = policy.tasks if features.task_source in ("classified", "none") and policy.asks_task(request) else None
    difficulty = policy.difficulty if policy.asks_difficulty(request) else None
    return bool(tasks and tasks.embedder) or bool(difficulty and difficulty.embedder)


def vector_for(embedder: str | None, meaning: Meaning | None) -> bytes | None:
    """None where there is none that this embedding model gave."""
    if embedder is None or meaning is None or meaning.failure is not None or meaning.embedder != embedder:
        return None
    return meaning.vector


def unread_reason(meaning: Meaning, tongue: Tongue) -> str:
    """What a reason ends with where there is no vector."""
    return "" if meaning.failure is None else say(f"meaning.{meaning.failure}", tongue)


def unclassified(features: Features) -> Features:
    """As they were before."""
    changes = {"task_type": None, "task_source": "none"} if features.task_source == "classified" else {}
    return msgspec.structs.replace(features, difficulty=None, task_confidence=None, **changes)


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
