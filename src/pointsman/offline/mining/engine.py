"""Patterns as the rule engine understands them: a proposal is only ever counted by what that really takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pointsman.domain.rule import Asking, Rule
from pointsman.offline.mining.corpus import bits_of, places_of
from pointsman.offline.mining.parsed import SLOT
from pointsman.offline.mining.pattern import Pattern, is_regex
from pointsman.pipeline.book_cases import features_of
from pointsman.rules import compile_rules, parse_rules

PACK = "mined"
_ASKING = Asking("auto", "chat")


def written(term: str) -> Any:
    """A term as a rule file has it."""
    if is_regex(term):
        return {"regex": term[1:-1]}
    return {"extract": term.removeprefix(SLOT)} if term[0] == SLOT else term


def condition(pattern: Pattern) -> dict[str, Any]:
    """The `when` of a rule."""
    when: dict[str, Any] = {"all": [{"any": [written(term) for term in group]} for group in pattern.groups]}
    if pattern.none:
        when["none"] = [written(term) for term in pattern.none]
    return when


def parsed_rule(data: dict[str, Any]) -> Rule:
    """Raises Problems."""
    return parse_rules([data], pack=PACK)[0]


class Engine:
    """Runs rules over the questions of a corpus, each alone and as a first message."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def taken(self, rule: Rule, among: int) -> int:
        """Which of the questions `among` (bits) the rule takes when it stands alone."""
        ruleset = compile_rules([rule])
        found = []
        for place in places_of(among):
            text = self._texts[place]
            looked = ruleset.look(text, features_of(text), _ASKING)
            if looked.hit is not None or looked.passed:
                found.append(place)
        return bits_of(found)

    def taken_by(self, pattern: Pattern, among: int) -> int:
        """The same of a bare pattern."""
        return self.taken(parsed_rule({"id": "pattern", "when": condition(pattern), "action": "pattern"}), among)
