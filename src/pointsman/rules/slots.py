"""Slots in texts: `{name}` stands for what the group of that name matched, `{question}` for the whole question;
`{{` and `}}` are braces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pointsman.domain.rule import RuleHit

QUESTION = "question"
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|\{")


def slots_of(template: str) -> list[str]:
    """Names of the slots, in order. A brace that opens and never closes is a slot without a name ("")."""
    return [(piece.group(1) or "").strip() for piece in _PIECE.finditer(template) if piece.group() not in ("{{", "}}")]


def fill(template: str, values: Mapping[str, str]) -> str:
    """The text with its slots filled; a slot without a value stays as it is written."""
    if "{" not in template and "}" not in template:
        return template

    def value(piece: re.Match[str]) -> str:
        whole = piece.group()
        if whole in ("{{", "}}"):
            return whole[0]
        return values.get((piece.group(1) or "").strip(), whole)

    return _PIECE.sub(value, template)


def slot_values(hit: RuleHit, question: str) -> dict[str, str]:
    """What the slots stand for: the first (leftmost, longest) match of each group, as the user wrote it."""
    values = {QUESTION: question}
    for name, start, end in hit.spans:
        values.setdefault(name, question[start:end])
    return values


def valid_slots(groups: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(groups), QUESTION]
