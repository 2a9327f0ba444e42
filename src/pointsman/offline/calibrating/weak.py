"""L0's own decisions as labels: what a rule took has the intent that leads to the rule's action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pointsman.domain.intent import OUT_OF_SCOPE
from pointsman.offline.question import Question
from pointsman.offline.read_log import asked_of
from pointsman.pipeline.policy import REPORT_ACTIONS
from pointsman.store.log_reader import LogReader

_REPORT = "report"


def weak_labels(folder: Path, since: float | None, leads_to: Mapping[str, str]) -> tuple[Question, ...]:
    """Each different question that a rule answered or acted on, once, the newest decision first. `leads_to`: intent →
    action. An action that two intents lead to tells nothing; one that none leads to is outside the set. Raises what
    LogReader raises."""
    intents = intents_by_action(leads_to)
    found: dict[str, Question] = {}
    reader = LogReader(folder)
    try:
        for logged in reader.scan(since):
            head = logged.head
            if head.stage != "l0" or not head.rule or not head.action or head.outcome not in ("ok", "refused"):
                continue
            intent = intents.get(_one(head.action), OUT_OF_SCOPE)
            content = logged.content()
            text = asked_of(content) if content is not None else None
            if intent is not None and text is not None:
                found[text] = Question(text, head.id, head.received, label=intent)
    finally:
        reader.close()
    return tuple(found.values())


def intents_by_action(leads_to: Mapping[str, str]) -> dict[str, str | None]:
    """None: more than one intent leads there."""
    found: dict[str, str | None] = {}
    for intent, action in leads_to.items():
        key = _one(action)
        found[key] = None if key in found else intent
    return found


def _one(action: str) -> str:
    """All kinds of reports are one action."""
    return _REPORT if action in REPORT_ACTIONS else action


def labels_of(questions: Iterable[Question]) -> set[str]:
    return {question.label for question in questions if question.label is not None}
