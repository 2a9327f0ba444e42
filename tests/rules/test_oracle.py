"""The engine against the oracle, over random policies and texts from small alphabets that make nesting, boundaries,
folding and negation collide."""

from __future__ import annotations

import random

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.domain.features import Features
from pointsman.domain.rule import Conditions, Group, Rule, Term
from pointsman.rules import compile_rules, index
from thorough import tries

PIECES = [
    *("a", "b", "ab", "aab", "A", "Ｂ", "_", "1", "é", "я", "報", "导", "导出", "出报", "报表", "销售报表"),
    *(" ", " ", ",", "，", ".", "?", "！", "\n", "\u200b", "\ufeff", "😀", "\ud800"),
    *("不", "不要", "别", "don't ", "not ", "no ", "特别", "忘了", "算了", ".py", ".pyc", "hi", "c++"),
    *(
        "導",
        "銷",
        "導 出 報 表",
        "导  出",
        "报 ",
        " 表",
        "导.出.报.表",
        "导*出*",
        "·",
        "不 要 ",
        "別",
        "\u3000",
        "\u00a0",
    ),
    *("а", "Вa", "Η", "𝐛", "Ⓐ", "②", "\u0336", "\u0301", "a b ", " b", "a a b 1", "b c + +", "n o t "),
]
WORDS = [
    *("a", "b", "ab", "aab", "AAB", "aa", "ba", "b1", "ａ", "é", "я", "_", "a_", "aaaaaa", "a b", "b,a", "c++", "+"),
    *("导", "导出", "出", "出报", "出报表", "报表", "售报表", "销售报表", "表", "b导", "导a"),
    *("不要", "别导", "特别", "hi", "😀", "no a", ".p", "要导"),
]
REGEXES = [
    r"a+b",
    r"导.报",
    r"\bab\b",
    r"(?:导出|报表)\d",
    r"[ab]1",
    r"报|b",
    r"a{2}",
    r"\d",
    r"x?导出?表?",
    r"不.导",
    r"ab$",
    r"^导",
]
WHOLES = ["a", "hi", "hi!", "a?", "导出", "ab b", "😀", "报表？", "?", "不要"]

words = st.builds(Term, st.just("word"), st.sampled_from(WORDS))
terms = st.one_of(
    words,
    words,
    words,
    st.builds(Term, st.just("regex"), st.sampled_from(REGEXES)),
    st.builds(Term, st.just("extension"), st.sampled_from([".py", ".p", ".PY"])),
    st.builds(Term, st.just("whole"), st.sampled_from(WHOLES)),
)
maybe = st.sampled_from([None, None, None, True, False])
sets = st.sampled_from([None, None, None, frozenset(["x"]), frozenset(["x", "y"])])


@st.composite
def groups(draw: st.DrawFn) -> Group:
    chosen = tuple(draw(st.lists(terms, min_size=1, max_size=5)))
    return Group(draw(st.sampled_from("gh")), chosen, draw(st.integers(1, len(oracle.distinct(chosen)))))


conditions = st.one_of(
    st.just(Conditions()),
    st.builds(
        Conditions,
        min_tokens=st.sampled_from([None, 2, 5]),
        max_tokens=st.sampled_from([None, 4, 9]),
        min_turn=st.sampled_from([None, 1, 2]),
        max_turn=st.sampled_from([None, 1, 2]),
        roles=sets,
        entries=sets,
        endpoints=sets,
        languages=st.sampled_from([None, frozenset(["zh"])]),
        asked=maybe,
        tools=maybe,
        images=maybe,
        structured=maybe,
    ),
)


@st.composite
def policies(draw: st.DrawFn) -> list[Rule]:
    size = draw(st.integers(1, 6))
    return [
        Rule(
            id=f"r{number}",
            pack="p",
            priority=draw(st.integers(0, 3)),
            groups=tuple(draw(st.lists(groups(), max_size=3))),
            none=tuple(draw(st.lists(terms, max_size=2))),
            conditions=draw(conditions),
            action="x",
            negatable=draw(st.booleans()),
        )
        for number in range(size)
    ]


features = st.builds(
    Features,
    input_tokens=st.just(1),
    question_tokens=st.integers(1, 10),
    characters=st.just(1),
    language=st.sampled_from(["zh", "en"]),
    turns=st.integers(1, 3),
    asked=st.booleans(),
    code=st.booleans(),
    tools=st.booleans(),
    images=st.integers(0, 2),
    structured=st.booleans(),
    brief=st.booleans(),
    task_type=st.none(),
    task_source=st.just("none"),
)
closed = st.builds(str.__add__, st.sampled_from(WHOLES), st.sampled_from(["", "?", "!", "?!", " 😀", "~"]))
texts = st.one_of(st.none(), closed, st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
names = st.sampled_from(["x", "y"])


def agree(rules: list[Rule], text: str | None, seen: Features, entry: str, endpoint: str, role: str | None) -> None:
    hit = compile_rules(rules).match(text, seen, entry=entry, endpoint=endpoint, role=role)
    expected = oracle.decide(rules, text, seen, entry, endpoint, role)
    assert (hit and (hit.rule.id, hit.spans)) == expected


@settings(max_examples=tries(180, 600), deadline=None)
@given(policies(), st.lists(texts, min_size=1, max_size=4), features, names, names, st.sampled_from([None, "x", "y"]))
def test_engine_agrees_with_the_oracle(
    rules: list[Rule], some: list[str | None], seen: Features, entry: str, endpoint: str, role: str | None
) -> None:
    for text in some:
        agree(rules, text, seen, entry, endpoint, role)


PLAIN = Features(5, 5, 5, "zh", 1, False, False, False, 0, False, False, None, "none")


def random_policy(rnd: random.Random) -> list[Rule]:
    def term() -> Term:
        draw = rnd.random()
        if draw < 0.75:
            return Term(
                "word", rnd.choice(WORDS) if draw < 0.6 else "".join(rnd.choices("ab导报表 ", k=3)).strip() or "a"
            )
        if draw < 0.87:
            return Term("regex", rnd.choice(REGEXES))
        return Term("whole", rnd.choice(WHOLES)) if draw < 0.94 else Term("extension", rnd.choice([".py", ".p"]))

    def group() -> Group:
        chosen = tuple(term() for _ in range(rnd.randint(1, 5)))
        return Group("g", chosen, rnd.randint(1, len(oracle.distinct(chosen))))

    return [
        Rule(
            id=f"r{number}",
            pack="p",
            priority=rnd.randint(0, 5),
            groups=tuple(group() for _ in range(rnd.randint(1, 3))),
            none=tuple(term() for _ in range(rnd.choice([0, 0, 1]))),
            conditions=Conditions(),
            action="x",
            negatable=rnd.random() < 0.5,
        )
        for number in range(rnd.randint(1, 8))
    ]


def run_random(seed: int, policies: int, each: int) -> None:
    rnd = random.Random(seed)
    for _ in range(policies):
        rules = random_policy(rnd)
        ruleset = compile_rules(rules)
        for _ in range(each):
            text = "".join(rnd.choices(PIECES, k=rnd.randint(0, 20)))
            if rnd.random() < 0.1:
                text = rnd.choice(WHOLES) + rnd.choice(["", "?", "!"])
            hit = ruleset.match(text, PLAIN, entry="x", endpoint="chat", role=None)
            expected = oracle.decide(rules, text, PLAIN, "x", "chat", None)
            assert (hit and (hit.rule.id, hit.spans)) == expected, (rules, text)


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs(seed: int) -> None:
    run_random(seed, 50, 20)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(10, 20))
def test_a_hundred_thousand_random_pairs(seed: int) -> None:
    run_random(seed, 500, 20)


@pytest.mark.parametrize("seed", range(3))
def test_long_texts_and_deep_nesting_stay_exact(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the bounds of the index drawn tight, so that every path of it runs on small texts."""
    tight = {"_DEPTH": 2, "_LONG": 6, "_HEAD": 3, "_WINDOW": 7, "_SPLIT": 5, "_HITS": 9, "_HIT_COST": 50}
    for name, value in tight.items():
        monkeypatch.setattr(index, name, value)
    run_random(100 + seed, 60, 20)
