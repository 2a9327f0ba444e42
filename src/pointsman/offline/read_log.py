"""Questions from the request log."""

from __future__ import annotations

from pathlib import Path

from pointsman.offline.question import Question, Questions
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Content, Head

_ENDPOINTS = ("chat", "completions")


def questions_of_log(folder: Path, since: float | None = None) -> Questions:
    """Those to entries and models, oldest first. Where a product wrapped a question, the question alone. Raises what
    LogReader raises."""
    reader = LogReader(folder)
    found: list[Question] = []
    unread = 0
    try:
        for logged in reader.scan(since):
            head = logged.head
            if head.endpoint not in _ENDPOINTS:
                continue
            content = logged.content()
            if content is None:
                unread += 1
            elif (text := asked_of(content)) is not None:
                untaken = head.stage != "l0" and not head.rule
                settled = not untaken or head.stage == "l1"
                found.append(Question(text, head.id, head.received, _seconds(head), untaken, settled))
    finally:
        reader.close()
    return Questions(tuple(found), unread, str(folder))


def asked_of(content: Content) -> str | None:
    """The user's question, without what a product wrapped around it."""
    message = content.request.question
    if message is None or not message.strip():
        return None
    framed = content.decision.framed if content.decision else None
    return message[framed.start : framed.end] if framed else message


def _seconds(head: Head) -> float | None:
    """Of a request that a model answered: from its arrival to the last byte."""
    return head.total_ms / 1000 if head.target is not None and head.total_ms is not None else None
