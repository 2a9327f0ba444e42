"""The one form of a question: a sentence, numbered choices, a hint how to answer. All that is needed to understand the
answer stands in the message itself, so a client that sends its history needs no session."""

from __future__ import annotations

from collections.abc import Sequence

import re2

from pointsman.domain.wording import Tongue

HINTS: dict[Tongue, str] = {
    "zh": "请回复序号或内容。",
    "en": "Please answer with a number or in words.",
}
LONGEST = 4000
"""Characters of a message that may be a question of ours."""
MOST_CHOICES = 9
_CHOICE = re2.compile(r"(?m)^([0-9]{1,2})\. (.+)$")


def question_text(question: str, choices: Sequence[str], tongue: Tongue) -> str:
    """The message that asks."""
    listed = [f"{number}. {choice}" for number, choice in enumerate(choices[:MOST_CHOICES], 1)]
    return "\n".join([question, *listed, HINTS[tongue]])


def head_of(message: str) -> str:
    """What stands before the choices: these may come from a database or from a config, so nothing is looked for in them."""
    first = _CHOICE.search(message)
    return message[: first.start()] if first else message


def choices_of(message: str) -> tuple[str, ...]:
    """The choices of a message that asks."""
    return tuple(found[2].strip() for found in _CHOICE.finditer(message))
