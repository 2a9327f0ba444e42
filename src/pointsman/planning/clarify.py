"""Questions about a report, in the one form that questions have (asking/), and which of them a message asks."""

from __future__ import annotations

from typing import Literal

import msgspec
import re2

from pointsman.asking.choices import LONGEST, choices_of, head_of, question_text
from pointsman.domain.wording import Tongue

Slot = Literal["report", "period", "value", "format"]

_QUESTIONS: dict[Slot, dict[Tongue, str]] = {
    "report": {"zh": "要哪一份报表？", "en": "Which report do you mean?"},
    "period": {"zh": "要哪段时间的“{report}”？", "en": "Which period should “{report}” cover?"},
    "format": {"zh": "“{report}”要哪一种格式？", "en": "Which format should “{report}” have?"},
    "value": {"zh": "“{report}”里没有“{word}”。是下面哪一个？", "en": "“{report}” knows no “{word}”. Which one is it?"},
}
_NO_DATE: dict[Tongue, str] = {"zh": "没有“{word}”这个日期。", "en": "There is no such date as “{word}”."}
_MARKS: tuple[tuple[Slot, str], ...] = (
    ("report", r"要哪一份报表？|Which report do you mean\?"),
    ("period", r"要哪段时间的“[^”]*”？|Which period should “[^”]*” cover\?"),
    ("format", r"“[^”]*”要哪一种格式？|Which format should “[^”]*” have\?"),
    ("value", r"里没有“[^”]*”。是下面哪一个？|knows no “[^”]*”\. Which one is it\?"),
)
_COMPILED = tuple((slot, re2.compile(pattern)) for slot, pattern in _MARKS)


class Clarification(msgspec.Struct, frozen=True):
    """A question for one slot. `lead` says first what happened, where something did (no rows)."""

    slot: Slot
    tongue: Tongue
    report: str
    choices: tuple[str, ...]
    word: str = ""
    lead: str = ""

    @property
    def text(self) -> str:
        question = _QUESTIONS[self.slot][self.tongue].format(report=self.report, word=self.word)
        lead = f"{self.lead}\n" if self.lead else ""
        return question_text(lead + question, self.choices, self.tongue)


def no_such_date(word: str, tongue: Tongue) -> str:
    return _NO_DATE[tongue].format(word=word)


class Asked(msgspec.Struct, frozen=True):
    """A clarification read back from the conversation."""

    slot: Slot
    choices: tuple[str, ...]
    tongue: Tongue


def read_back(assistant: str) -> Asked | None:
    """The question that this message of the assistant asks, if it is one of ours."""
    if len(assistant) > LONGEST:
        return None
    head = head_of(assistant)
    for slot, mark in _COMPILED:
        found = mark.search(head)
        if found:
            tongue: Tongue = "en" if found.group().isascii() or "hich" in found.group() else "zh"
            return Asked(slot, choices_of(assistant), tongue)
    return None
