"""A rule's own cases: it must take each example and no counter example; a boundary case says itself which it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.features import Features, Language
from pointsman.domain.rule import Asking, Case, Rule
from pointsman.domain.said import Said, said
from pointsman.rules.match import RuleSet

KEYS = {"example": "examples", "counter_example": "counter_examples", "boundary": "boundary"}
"""Where the cases of each kind stand in a rule."""
_FEATURES = ("asked", "brief", "tools", "images", "structured")
_ASKING = ("entry", "endpoint", "role", "key", "group", "source")


class RanCase(msgspec.Struct, frozen=True):
    """A case and what came of it: the `index`-th of its kind. `won` is the rule that took the text, None when none did;
    `taken` whether the case's own rule did, or would have if it were not in shadow."""

    rule: Rule
    case: Case
    index: int
    won: str | None
    taken: bool

    @property
    def holds(self) -> bool:
        return self.taken == self.case.takes

    @property
    def path(self) -> str:
        return f"{KEYS[self.case.kind]}[{self.index}]"

    @property
    def problem(self) -> Problem:
        """What is wrong with a case that does not hold."""
        if not self.case.takes:
            message = said(
                "{text!r} is taken by this rule and should not be",
                "{text!r} 不应命中这条规则，却命中了",
                text=self.case.text,
            )
        elif self.won is None:
            message = said(
                "{text!r} is taken by no rule and should be by this one",
                "{text!r} 应命中这条规则，却没有命中任何规则",
                text=self.case.text,
            )
        else:
            message = said(
                "{text!r} is taken by rule {won} and should be by this one",
                "{text!r} 应命中这条规则，却命中了规则 {won}",
                text=self.case.text,
                won=self.won,
            )
        return Problem(f"rules.{self.rule.id}.{KEYS[self.case.kind]}", message, where=self.rule.source or None)


def run_cases(
    ruleset: RuleSet, rules: Iterable[Rule], features: Callable[[str], Features] | None = None
) -> tuple[RanCase, ...]:
    """Run the cases of `rules` against `ruleset`. The circumstances (role, entry, endpoint, turn, tools, …) are made to
    fit the rule under test, apart from those that the case gives itself; language and length are the text's own, as
    `features` tells them (default: `plain_features`). A rule that is off has no say, and its cases are not run."""
    ran = []
    for rule in rules:
        if rule.mode == "off":
            continue
        counts = dict.fromkeys(KEYS, 0)
        for case in rule.cases:
            won, taken = _taken(ruleset, rule, case, (features or plain_features)(case.text))
            ran.append(RanCase(rule, case, counts[case.kind], won, taken))
            counts[case.kind] += 1
    return tuple(ran)


def failed_cases(
    ruleset: RuleSet, rules: Iterable[Rule], features: Callable[[str], Features] | None = None
) -> tuple[RanCase, ...]:
    """Those of `run_cases` that do not hold."""
    return tuple(case for case in run_cases(ruleset, rules, features) if not case.holds)


def missing_cases(rule: Rule) -> Said | None:
    """What a rule lacks of the cases that every rule must have: an example, a counter example and a boundary case."""
    there = {case.kind for case in rule.cases}
    lacking = [name for kind, name in KEYS.items() if kind not in there]
    if not lacking:
        return None
    return said(
        "has no {lacking}: a rule needs `examples` (texts that it must take), `counter_examples` (texts that it must not) "
        "and `boundary` (a text just inside or outside, with `takes: true` or `false`)",
        "缺少 {lacking}：每条规则都要有 `examples`（必须命中的文本）、`counter_examples`（不得命中的文本）"
        "和 `boundary`（刚好在界内或界外的文本，写明 `takes: true` 或 `false`）",
        lacking=", ".join(f"`{name}`" for name in lacking),
    )


def _taken(ruleset: RuleSet, rule: Rule, case: Case, features: Features) -> tuple[str | None, bool]:
    conditions, given = rule.conditions, case.given
    fitting = {
        "asked": bool(conditions.asked),
        "brief": features.brief if conditions.brief is None else conditions.brief,
        "tools": bool(conditions.tools),
        "images": int(bool(conditions.images)),
        "structured": bool(conditions.structured),
    }
    fitting.update((name, given[name]) for name in _FEATURES if name in given)
    turns = given.get("turn", max(conditions.min_turn or 1, min(features.turns, conditions.max_turn or features.turns)))
    about = {
        "entry": min(conditions.entries or {"auto"}),
        "endpoint": min(conditions.endpoints or {"chat"}),
        "role": _least(conditions.roles),
        "key": _least(conditions.keys),
        "group": _least(conditions.groups),
        "source": _least(conditions.sources),
    }
    about.update((name, given[name]) for name in _ASKING if name in given)
    seen = msgspec.structs.replace(features, turns=turns, **fitting)
    looked = ruleset.look(case.text, seen, Asking(**about))  # type: ignore[arg-type]
    won = looked.hit.rule.id if looked.hit else None
    return won, won == rule.id or any(hit.rule.id == rule.id for hit in looked.passed)


def _least(names: frozenset[str] | None) -> str | None:
    return min(names) if names else None


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
