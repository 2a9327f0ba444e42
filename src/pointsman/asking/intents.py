"""Questions about what a person wants: which of several things, whether this one, and what is still needed for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import re2

from pointsman.asking.choices import LONGEST, choices_of, head_of, question_text
from pointsman.domain.wording import Tongue

Slot = Literal["which", "whether", "needs"]

_QUESTIONS: dict[Slot, dict[Tongue, str]] = {
    "which": {"zh": "您想做的是下面哪一件事？", "en": "Which of these would you like?"},
    "whether": {"zh": "您想做的是“{about}”吗？", "en": "Would you like this: “{about}”?"},
    "needs": {"zh": "办理“{about}”还需要知道：{missing}。", "en": "For “{about}” one more thing is needed: {missing}."},
}
_MARKS: tuple[tuple[Slot, Tongue, str], ...] = (
    ("which", "zh", r"您想做的是下面哪一件事？"),
    ("which", "en", r"Which of these would you like\?"),
    ("whether", "zh", r"您想做的是“(?P<about>[^”]*)”吗？(?:（.*）)?"),
    ("whether", "en", r"Would you like this: “(?P<about>[^”]*)”\?(?: \(.*\))?"),
    ("needs", "zh", r"办理“(?P<about>[^”]*)”还需要知道：(?P<missing>[^\n]*)。"),
    ("needs", "en", r"For “(?P<about>[^”]*)” one more thing is needed: (?P<missing>[^\n]*)\."),
)
_COMPILED = tuple((slot, tongue, re2.compile(rf"^{pattern}\s*$")) for slot, tongue, pattern in _MARKS)
NONE: dict[Tongue, str] = {"zh": "都不是", "en": "None of these"}
YES: dict[Tongue, str] = {"zh": "是的", "en": "Yes"}
NO: dict[Tongue, str] = {"zh": "不是", "en": "No"}


class Asked(msgspec.Struct, frozen=True):
    """A question of ours, read back: about which thing (None: which of `choices`), and what it still needs."""

    slot: Slot
    tongue: Tongue
    choices: tuple[str, ...]
    about: str | None = None
    missing: str | None = None


def ask_which(abouts: Sequence[str], tongue: Tongue) -> str:
    """Which of these, or none."""
    return question_text(_QUESTIONS["which"][tongue], [*abouts, NONE[tongue]], tongue)


def ask_whether(about: str, tongue: Tongue, details: Sequence[str] = ()) -> str:
    """Whether this one, with these details (account: a@b.example)."""
    question = _QUESTIONS["whether"][tongue].format(about=about)
    if details:
        told = ("，" if tongue == "zh" else ", ").join(details)
        question += f"（{told}）" if tongue == "zh" else f" ({told})"
    return question_text(question, [YES[tongue], NO[tongue]], tongue)


def ask_for(about: str, missing: str, choices: Sequence[str], tongue: Tongue) -> str:
    """What is still needed; `choices` are all that it can be, where that is known."""
    question = _QUESTIONS["needs"][tongue].format(about=about, missing=missing)
    return question_text(question, choices, tongue) if choices else question


def read_back(assistant: str) -> Asked | None:
    """The question that this message of the assistant asks, if it is one of these."""
    if len(assistant) > LONGEST:
        return None
    lines = head_of(assistant).strip().splitlines()
    first = lines[0].strip() if lines else ""
    for slot, tongue, mark in _COMPILED:
        found = mark.search(first)
        if found:
            told = found.groupdict()
            return Asked(slot, tongue, choices_of(assistant), told.get("about"), told.get("missing"))
    return None
