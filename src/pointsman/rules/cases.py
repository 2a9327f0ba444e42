"""A rule's own examples: each must be taken by that rule, each counter example must not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.features import Features, Language
from pointsman.domain.rule import Conditions, Rule
from pointsman.domain.said import said
from pointsman.rules.match import RuleSet


class FailedCase(msgspec.Struct, frozen=True):
    """A case that came out otherwise than its rule says: the `index`-th of its kind. `won` is the rule that took the
    text, None when none did."""

    rule: Rule
    kind: Literal["example", "counter_example"]
    index: int
    text: str
    won: str | None

    @property
    def problem(self) -> Problem:
        if self.kind == "counter_example":
            message = said(
                "{text!r} is taken by this rule and should not be",
                "{text!r} 不应命中这条规则，却命中了",
                text=self.text,
            )
        elif self.won is None:
            message = said(
                "{text!r} is taken by no rule and should be by this one",
                "{text!r} 应命中这条规则，却没有命中任何规则",
                text=self.text,
            )
        else:
            message = said(
                "{text!r} is taken by rule {won} and should be by this one",
                "{text!r} 应命中这条规则，却命中了规则 {won}",
                text=self.text,
                won=self.won,
            )
        return Problem(f"rules.{self.rule.id}.{self.kind}s", message, where=self.rule.source or None)


def failed_cases(
    ruleset: RuleSet, rules: Iterable[Rule], features: Callable[[str], Features] | None = None
) -> tuple[FailedCase, ...]:
    """Run the cases of `rules` against `ruleset`. The circumstances (role, entry, endpoint, turn, tools, …) are made to
    fit the rule under test, so that only the text decides; language and length are the text's own, as `features`
    tells them (default: `plain_features`)."""
    failed = []
    for rule in rules:
        cases: tuple[tuple[Literal["example", "counter_example"], tuple[str, ...]], ...] = (
            ("example", rule.examples),
            ("counter_example", rule.counter_examples),
        )
        for kind, texts in cases:
            for index, text in enumerate(texts):
                won = _winner(ruleset, rule.conditions, text, (features or plain_features)(text))
                if (won == rule.id) != (kind == "example"):
                    failed.append(FailedCase(rule, kind, index, text, won))
    return tuple(failed)


def _winner(ruleset: RuleSet, conditions: Conditions, text: str, features: Features) -> str | None:
    fitting = msgspec.structs.replace(
        features,
        turns=max(conditions.min_turn or 1, min(features.turns, conditions.max_turn or features.turns)),
        asked=bool(conditions.asked),
        tools=bool(conditions.tools),
        images=int(bool(conditions.images)),
        structured=bool(conditions.structured),
    )
    hit = ruleset.match(
        text,
        fitting,
        entry=min(conditions.entries or {"auto"}),
        endpoint=min(conditions.endpoints or {"chat"}),
        role=min(conditions.roles) if conditions.roles else None,
    )
    return hit.rule.id if hit else None


def plain_features(text: str) -> Features:
    """Features of a text alone, on a first turn."""
    cjk = sum("\u2e80" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af" for character in text)
    digits = sum("0" <= character <= "9" for character in text)
    spaces = sum(character.isspace() for character in text)
    tokens = 0.649 * cjk + 0.251 * (len(text) - cjk - digits) + 1.739 * digits - 0.123 * spaces
    count = max(1, round(tokens)) if text else 0
    latin = any("a" <= character <= "z" for character in text.lower())
    language: Language = "zh" if cjk else "en" if latin else "other"
    return Features(
        input_tokens=count,
        question_tokens=count,
        characters=len(text),
        language=language,
        turns=1,
        asked=False,
        code=False,
        tools=False,
        images=0,
        structured=False,
        brief=False,
        task_type=None,
        task_source="none",
    )
