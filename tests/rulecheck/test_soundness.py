"""Whatever the rules hold (regexes, negators, accents, marks, opposite looks), nothing is said that is not so: no random
text refutes a proof, and every witness shows what it is said to."""

from __future__ import annotations

import random

import msgspec
import pytest

from pointsman.domain.features import Features
from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Asking, Conditions, Group, Rule, Term
from pointsman.rulecheck import Witness, check_rules
from pointsman.rulecheck.inspector import Inspector
from pointsman.rules import RuleSet, compile_rules
from pointsman.rules.cases import plain_features
from rulecheck.making import rule

PIECES = [
    *("a", "b", "ab", "A", "Ｂ", "_", "1", "é", "导", "导出", "出报", "报表", "销售报表", "x", "呃"),
    *(" ", " ", ",", "，", ".", "?", "！", "\n", "\u200b", "😀", "。"),
    *("不", "不要", "别", "don't ", "not ", "no ", "特别", "忘了", "算了", "能不能", "hi", "要不要"),
]
WORDS = [
    *(
        "a",
        "b",
        "ab",
        "aab",
        "é",
        "_",
        "a_",
        "a b",
        "b,a",
        "c++",
        "导",
        "导出",
        "出报",
        "报表",
        "销售报表",
        "b导",
        "hi!",
    ),
    *("不要", "别导", "不要导出", "特别", "!", "?", "no a", "要导", "忘了", "算了"),
]
REGEXES = [r"a+b", r"导.报", r"\bab\b", r"(?:导出|报表)\d", r"[ab]1", r"报|b", r"\d", r"不.导", r"ab$", r"^导"]
WHOLES = ["a", "hi", "hi!", "a?", "导出", "ab b", "😀", "报表？", "?", "不要", "算了"]


def random_rules(rnd: random.Random) -> list[Rule]:
    def term() -> Term:
        draw = rnd.random()
        if draw < 0.75:
            return Term("word", rnd.choice(WORDS))
        return Term("regex", rnd.choice(REGEXES)) if draw < 0.88 else Term("whole", rnd.choice(WHOLES))

    def group() -> Group:
        chosen = {(each.kind, each.value): each for each in (term() for _ in range(rnd.randint(1, 3)))}
        distinct = len({value.lower() for _, value in chosen})
        return Group("g", tuple(chosen.values()), rnd.choice([1, 1, 1, min(2, distinct)]))

    rules = [
        rule(
            f"r{number}",
            *(group() for _ in range(rnd.choice([0, 1, 1, 1, 2, 2]))),
            when=Conditions(tools=rnd.choice([None, None, True]), max_turn=rnd.choice([None, None, 2])),
            priority=rnd.randint(0, 3),
            negatable=rnd.random() < 0.6,
            looks_at=rnd.choice(["question"] * 9 + ["message"]),
            mode=rnd.choice(["enforce"] * 9 + ["shadow"]),
        )
        for number in range(rnd.randint(2, 4))
    ]
    for number, broad in enumerate(rules[:2]):  # the same and more, after it
        narrow = rule(f"n{number}", *broad.groups, group(), when=broad.conditions, priority=broad.priority - 1)
        rules.append(msgspec.structs.replace(narrow, negatable=rnd.random() < 0.7))
    return rules


def with_excludes(rnd: random.Random, rules: list[Rule]) -> list[Rule]:
    return [
        msgspec.structs.replace(each, none=(Term("word", rnd.choice(WORDS)),)) if rnd.random() < 0.3 else each
        for each in rules
    ]


def takers(ruleset: RuleSet, text: str, *, turn: int = 1, tools: bool = False, message: str | None = None) -> set[str]:
    base = plain_features(text)
    seen = Features(**{**{name: getattr(base, name) for name in base.__struct_fields__}, "turns": turn, "tools": tools})
    looked = ruleset.look(text, seen, Asking("auto", "chat"), message=message)
    return {hit.rule.id for hit in (*looked.passed, *([looked.hit] if looked.hit else []))}


def shows(ruleset: RuleSet, witness: Witness) -> set[str]:
    assert set(witness.given) <= {"turn", "tools"}
    return takers(ruleset, witness.text, **witness.given)


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_said_that_is_not_so(seed: int) -> None:
    rnd = random.Random(seed)
    told = 0
    for _ in range(40):
        rules = with_excludes(rnd, random_rules(rnd))
        whole = compile_rules(rules)
        alone = {each.id: compile_rules([each]) for each in rules}
        inspector = Inspector(rules, (EntryRule("auto"),), (), (), plain_features)
        states = {each.id: inspector.reach(each) for each in rules}
        for name, reach in states.items():
            if reach.found is not None:
                assert name in shows(whole, reach.found)
            if reach.instead is not None:
                assert name in shows(alone[name], reach.instead)
                assert name not in shows(whole, reach.instead)
        for finding in check_rules(rules).findings:
            if finding.kind in ("overlap", "duplicate") and finding.witness is not None:
                assert finding.other is not None
                assert finding.rule in shows(alone[finding.rule], finding.witness)
                assert finding.other in shows(alone[finding.other], finding.witness)
        nothing = {name for name, reach in states.items() if reach.state in ("shadowed", "unreachable")}
        dead = {name for name, reach in states.items() if reach.state == "unreachable"}
        told += len(nothing)
        for _ in range(150):
            text = "".join(rnd.choices(PIECES, k=rnd.randint(0, 9)))
            if rnd.random() < 0.2:
                text = rnd.choice(WHOLES) + rnd.choice(["", "?", "!", "_", " 😀"])
            message = rnd.choice([None, None, f"请看：{text}。导出a 报表"])
            circumstances = {"turn": rnd.randint(1, 3), "tools": rnd.random() < 0.5}
            taken = takers(whole, text, message=message, **circumstances)
            assert taken.isdisjoint(nothing), (text, message, circumstances, rules)
            for name in dead:
                assert not takers(alone[name], text, message=message, **circumstances), (text, name, rules)
    assert told > 20
