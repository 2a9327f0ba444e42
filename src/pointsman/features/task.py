"""A first guess at what kind of work is asked for, from the words alone; a trained classifier comes later.

A declared task type (`x-pointsman-task`, `metadata.task`) always wins over this. The first line that matches decides, so
the order runs from the words that leave little doubt to those that leave much.
"""

from __future__ import annotations

from pointsman.features.sieve import Marks
from pointsman.features.signs import IS_GREETING, SIGNS, TASKS

_HEAD, _TAIL = 800, 300
_SHORT = 60  # a longer text is no mere greeting


def infer_task(question: str, images: int, marks: Marks | None = None) -> str | None:
    """One of the contract's task types, or None where the words say nothing. `marks` are what SIGNS found in the
    question, where it has looked already."""
    if images:
        return "vision"
    if len(question) > _HEAD + _TAIL:
        question = question[:_HEAD] + "\n" + question[-_TAIL:]
        marks = None
    data = question.encode()
    if marks is None:
        marks = SIGNS.look(data)
    if IS_GREETING in marks and len(question) <= _SHORT:
        return "greeting"
    number = SIGNS.first(len(TASKS), data, marks)
    return None if number is None else TASKS[number]
