"""The one way to ask: a short question with numbered choices, as a normal message of the assistant. Everything that is
needed to understand the answer stands in the message itself, so a client that sends its history needs no session."""

from __future__ import annotations

from typing import Literal

import msgspec
import re2

from pointsman.domain.wording import Tongue

Slot = Literal["report", "period", "value", "format"]

_QUESTIONS: dict[Slot, dict[Tongue, str]] = {
    "report": {"zh": "要哪一份报表？", "en": "Which report do you mean?"},
    "period": {"zh": "要哪段时间的“{report}”？", "en": "Which period should “{report}” cover?"},
    "format": {"zh": "“{report}”要哪一种格式？", "en": "Which format should “{report}” have?"},
    "value": {"zh": "“{report}”里没有“{word}”。是下面哪一个？", "en": "“{report}” knows no “{word}”. Which one is it?"},
}
_NO_DATE: dict[Tongue, str] = {"zh": "没有“{word}”这个日期。", "en": "There is no such date as “{word}”."}
_HINTS: dict[Tongue, str] = {
    "zh": "请回复序号或内容。",
    "en": "Please answer with a number or in words.",
}
_MARKS: tuple[tuple[Slot, str], ...] = (
    ("report", r"要哪一份报表？|Which report do you mean\?"),
    ("period", r"要哪段时间的“[^”]*”？|Which period should “[^”]*” cover\?"),
    ("format", r"“[^”]*”要哪一种格式？|Which format should “[^”]*” have\?"),
    ("value", r"里没有“[^”]*”。是下面哪一个？|knows no “[^”]*”\. Which one is it\?"),
)
_COMPILED = tuple((slot, re2.compile(pattern)) for slot, pattern in _MARKS)
_CHOICE = re2.compile(r"(?m)^([0-9]{1,2})\. (.+)$")
MOST_CHOICES = 9


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
        listed = [f"{number}. {choice}" for number, choice in enumerate(self.choices[:MOST_CHOICES], 1)]
        lead = f"{self.lead}\n" if self.lead else ""
        return "\n".join([lead + question, *listed, _HINTS[self.tongue]])


def no_such_date(word: str, tongue: Tongue) -> str:
    return _NO_DATE[tongue].format(word=word)


class Asked(msgspec.Struct, frozen=True):
    """A clarification read back from the conversation."""

    slot: Slot
    choices: tuple[str, ...]
    tongue: Tongue


def read_back(assistant: str) -> Asked | None:
    """The question that this message of the assistant asks, if it is one of ours. Choices may come from a database, so
    the question is looked for before them."""
    if len(assistant) > 4000:
        return None
    first = _CHOICE.search(assistant)
    for slot, mark in _COMPILED:
        found = mark.search(assistant[: first.start()] if first else assistant)
        if found:
            tongue: Tongue = "en" if found.group().isascii() or "hich" in found.group() else "zh"
            return Asked(slot, tuple(m[2].strip() for m in _CHOICE.finditer(assistant)), tongue)
    return None
