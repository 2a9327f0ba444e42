"""The check against brute force: small random policies, every text up to a length over a small alphabet, every setting of
the scalars. The oracle of the rules says which terms occur where; nothing of the engine is asked."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import NamedTuple

import pytest

from pointsman.domain.features import Features
from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Conditions, Group, Rule, Term
from pointsman.rulecheck import Report, Witness, check_rules
from pointsman.rulecheck.inspector import Inspector
from pointsman.rules.cases import plain_features
from pointsman.rules.fold import fold
from pointsman.rules.negation import Scope, scopes
from rules import oracle

ALPHABET = "ab报表不!?_"  # folded already
LONGEST = 4
TEXTS = ["".join(text) for size in range(LONGEST + 1) for text in itertools.product(ALPHABET, repeat=size)]
WORDS = ["a", "b", "ab", "报", "表", "报表", "a报", "表b", "a!", "!", "报!", "A", "Ｂ", "报表a"]
WHOLES = ["a", "b!", "报", "报表", "a?", "ab", "!", "报表？", "a报"]
SETTINGS = [(turn, tools, role) for turn in (1, 2, 3) for tools in (False, True) for role in (None, "x", "y")]
BASE = plain_features("a")


def bits(of: list[bool]) -> int:
    return int("".join("01"[bit] for bit in reversed(of)) or "0", 2)


ALL = (1 << len(TEXTS)) - 1


@cache
def occurs(kind: str, value: str) -> int:
    """The texts in which a term occurs, a bit each."""
    term = Term(kind, value)  # type: ignore[arg-type]
    return bits([bool(oracle.occurrences(term, text)) for text in TEXTS])


@cache
def negators() -> list[tuple[int, str, tuple[Scope, ...]]]:
    """The texts that hold a negator, with what it governs. None of them takes back what it says."""
    return [(place, text, scopes(fold(text))) for place, text in enumerate(TEXTS) if "不" in text]


@cache
def negates(value: str) -> int:
    """The texts in which a word is negated; words without negators are, each for itself."""
    there, word = occurs("word", value), Term("word", value)
    found = [False] * len(TEXTS)
    for place, text, governed in negators():
        if there >> place & 1:
            starts = [start for start, _ in oracle.occurrences(word, text)]
            found[place] = any(scope.start < start < scope.reach for start in starts for scope in governed)
    return bits(found)


def make(name: str, groups: tuple[Group, ...] = (), **other: object) -> Rule:
    given = {"pack": "p", "priority": 0, "none": (), "conditions": Conditions(), "action": name, "negatable": True}
    return Rule(id=name, groups=groups, **{**given, **other})  # type: ignore[arg-type]


def takes(rule: Rule) -> int:
    """The texts that the words of a rule take."""
    texts = ALL
    for group in rule.groups:
        counts = [0] * (group.at_least + 1)
        counts[0] = ALL
        for term in oracle.distinct(group.terms):
            there = occurs(term.kind, term.value)
            for least in range(group.at_least, 0, -1):
                counts[least] |= counts[least - 1] & there
        texts &= counts[group.at_least]
    for term in rule.none:
        texts &= ~occurs(term.kind, term.value)
    if rule.negatable:
        for value in {term.value for group in rule.groups for term in group.terms if term.kind == "word"}:
            texts &= ~negates(value)
    return texts


def features(turn: int, tools: bool) -> Features:
    return Features(1, 1, 1, "zh", turn, False, False, tools, 0, False, False, None, "none")


class Brute(NamedTuple):
    """Of each rule: whether it would take anything alone, whether it takes anything among the others; and the pairs that
    can take one request."""

    alone: set[str]
    wins: set[str]
    meet: set[tuple[str, str]]


def brute(rules: list[Rule]) -> Brute:
    ranked = sorted(rules, key=lambda rule: -rule.priority)
    texts = {rule.id: takes(rule) for rule in rules}
    found = Brute(set(), set(), set())
    for turn, tools, role in SETTINGS:
        seen = features(turn, tools)
        here = [rule for rule in ranked if oracle.conditions_hold(rule, seen, "auto", "chat", role)]
        left = ALL
        for place, rule in enumerate(here):
            if texts[rule.id]:
                found.alone.add(rule.id)
            if texts[rule.id] & left:
                found.wins.add(rule.id)
            if not rule.passes:
                left &= ~texts[rule.id]
            found.meet.update((rule.id, low.id) for low in here[place + 1 :] if texts[rule.id] & texts[low.id])
    return found


def random_policy(rnd: random.Random) -> list[Rule]:
    def term() -> Term:
        return Term("whole", rnd.choice(WHOLES)) if rnd.random() < 0.12 else Term("word", rnd.choice(WORDS))

    def group(number: int) -> Group:
        if rnd.random() < 0.12:
            return Group(f"g{number}", tuple(Term("whole", rnd.choice(WHOLES)) for _ in range(rnd.randint(1, 2))))
        terms = tuple(term() for _ in range(rnd.choice([1, 1, 2, 2, 3])))
        return Group(f"g{number}", terms, rnd.choice([1, 1, min(2, len(oracle.distinct(terms)))]))

    def conditions() -> Conditions:
        if rnd.random() < 0.5:
            return Conditions()
        low = rnd.choice([None, None, 1, 2])
        return Conditions(
            min_turn=low,
            max_turn=rnd.choice([None, None, 2, 3]),
            tools=rnd.choice([None, None, True, False]),
            roles=rnd.choice([None, None, frozenset("x"), frozenset("xy")]),
        )

    rules = []
    for number in range(rnd.randint(2, 5)):
        groups = tuple(group(place) for place in range(rnd.choice([0, 1, 1, 1, 1, 2, 2, 2])))
        rules.append(
            make(
                f"r{number}",
                groups=groups,
                none=tuple(term() for _ in range(rnd.choice([0, 0, 0, 1, 2]))),
                conditions=conditions(),
                priority=rnd.randint(0, 2),
                negatable=rnd.random() < 0.6,
                mode="shadow" if rnd.random() < 0.08 else "enforce",
            )
        )
    return rules


def seen_by_oracle(rules: list[Rule], witness: Witness) -> set[str]:
    """Which rules take the witness, the first that keeps it last in line: by the oracle alone."""
    given = witness.given
    seen = features(given.get("turn", 1), given.get("tools", False))
    taken: set[str] = set()
    for rule in sorted(rules, key=lambda rule: -rule.priority):
        if oracle.decide([rule], witness.text, seen, "auto", "chat", given.get("role")):
            taken.add(rule.id)
            if not rule.passes:
                return taken
    return taken


def check(rules: list[Rule]) -> Report:
    return check_rules(rules, most_pairs=0)


def agree(rules: list[Rule]) -> tuple[int, int]:
    """Every verdict of the check against brute force; how many rules it says to be open, and how many of these brute force
    found so within its bound."""
    expected = brute(rules)
    inspector = Inspector(rules, (EntryRule("auto"),), (), (), plain_features)
    opened = bound = 0
    for rule in rules:
        reach = inspector.reach(rule)
        assert reach.state != "unknown", (rule, rules)
        if reach.state in ("open", "negated"):
            assert reach.found is not None
            assert rule.id in seen_by_oracle(rules, reach.found), (rule, rules, reach)
            opened += 1
            bound += rule.id in expected.wins
        else:
            assert rule.id not in expected.wins, (rule, rules, reach)
            assert (reach.state == "unreachable") == (not alone(inspector, rule)), (rule, reach)
            assert reach.state == "shadowed" or rule.id not in expected.alone, (rule, rules, reach)
        if reach.state == "shadowed":
            if reach.instead is not None:
                alone_takes = seen_by_oracle([rule], reach.instead)
                assert rule.id in alone_takes
                assert rule.id not in seen_by_oracle(rules, reach.instead)
            assert reach.instead is not None, (rule, rules, reach)
    for high, low in itertools.combinations(sorted(rules, key=lambda rule: -rule.priority), 2):
        answer = inspector.both(inspector.scenes[0], high, low)
        meets = (high.id, low.id) in expected.meet
        if answer is None or answer.found is None:
            assert answer is None or answer.proved, (high, low, answer)
            assert not meets, (high, low, answer)
        else:
            assert high.id in seen_by_oracle([high], answer.found)
            assert low.id in seen_by_oracle([low], answer.found)
    return opened, bound


def alone(inspector: Inspector, rule: Rule) -> bool:
    """Whether the check thinks that the rule takes something where there is no other."""
    return Inspector([rule], (EntryRule("auto"),), (), (), plain_features).reach(rule).state == "open"


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_policies(seed: int) -> None:
    rnd = random.Random(seed)
    opened = bound = 0
    for _ in range(100):
        one, other = agree(random_policy(rnd))
        opened, bound = opened + one, bound + other
    assert opened > 200
    assert bound > 0.9 * opened  # the rest have texts longer than brute force goes, which the oracle confirmed
