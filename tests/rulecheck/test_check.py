"""Each kind of finding: where it is said, where it is not, and that its witness shows it."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from pointsman.domain.features import Features
from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Case, Conditions, Group, Rule, Term
from pointsman.rulecheck import Finding, Names, check_rules
from pointsman.rulecheck.inspector import Inspector
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rules import compile_rules
from pointsman.rules.cases import plain_features
from rulecheck.making import regexes, rule, wholes, words

AUTO = (EntryRule("auto"),)


def found(rules: list[Rule], *kinds: str, **about: Any) -> list[tuple[str, str, str | None]]:
    """(kind, rule, other) of all findings but of cases that are missing, of these kinds alone where some are given."""
    report = check_rules(rules, **about)
    assert report.unknown == ()
    return [
        (finding.kind, finding.rule, finding.other)
        for finding in report.findings
        if finding.kind != "no_cases" and (not kinds or finding.kind in kinds)
    ]


def one(rules: list[Rule], kind: str, **about: Any) -> Finding:
    [finding] = [finding for finding in check_rules(rules, **about).findings if finding.kind == kind]
    return finding


def state(rules: list[Rule], name: str, entries: tuple[EntryRule, ...] = AUTO) -> str:
    inspector = Inspector(rules, entries, (), (), plain_features)
    return inspector.reach(next(each for each in rules if each.id == name)).state


def winner(rules: list[Rule], text: str, **given: Any) -> str | None:
    features = plain_features(text)
    features = Features(**{name: given.get(name, getattr(features, name)) for name in features.__struct_fields__})
    hit = compile_rules(rules).match(text, features, entry="auto", role=given.get("role"))
    return hit.rule.id if hit else None


class TestUnreachable:
    @pytest.mark.parametrize(
        "made",
        [
            rule("r", words("报表"), none=("报表",)),
            rule("r", words("报表"), none=("表",)),
            rule("r", words("PDF"), none=("ｐｄｆ",)),
            rule("r", words("a b"), none=("b",)),
            rule("r", words("导出", "报表", "图", least=2), none=("导出", "图")),
            rule("r", wholes("你好"), words("再见")),
            rule("r", wholes("你好"), wholes("再见")),
            rule("r", wholes("你好"), none=("好",)),
            rule("r", words("导出报表"), when=Conditions(max_characters=3)),
            rule("r", wholes("导出报表"), when=Conditions(max_characters=3)),
            rule("r", words("a"), when=Conditions(endpoints=frozenset(["embeddings"]))),
            rule("r", words("a"), when=Conditions(entries=frozenset(["nobody"]))),
            rule("r", words("a"), pack="unused"),
        ],
    )
    def test_is_said(self, made: Rule) -> None:
        assert found([made], "unreachable", entries=(EntryRule("auto", ("p",)),)) == [("unreachable", "r", None)]

    @pytest.mark.parametrize(
        "made",
        [
            rule("r", words("报表"), none=("报", "x")[1:]),
            rule("r", words("ab"), none=("a",)),  # a is no word in ab
            rule("r", words("导出", "报表", "图", least=2), none=("图",)),
            rule("r", wholes("hi"), none=("hi",)),  # takes hi_
            rule("r", wholes("hi"), words("hi!")),  # takes hi!
            rule("r", wholes("hi?"), words("?")),
            rule("r", wholes("你好", "再见"), words("再见")),
            rule("r", words("导出报表"), when=Conditions(max_characters=4)),
            rule("r", words("导出报表", "图"), when=Conditions(max_characters=3)),
            rule("r", words("导出"), when=Conditions(min_characters=50)),
            rule("r", words("导出"), when=Conditions(min_tokens=300)),
            rule("r", words("chart"), when=Conditions(languages=frozenset(["zh"]))),
            rule("r", when=Conditions(min_turn=9)),
            rule("r", none=("a",)),
        ],
    )
    def test_is_not_said_of_a_rule_that_takes_something(self, made: Rule) -> None:
        assert state([made], "r") == "open"
        assert found([made], "unreachable") == []

    def test_a_regex_is_never_said_to_be_contradicted(self) -> None:
        assert state([rule("r", regexes(r"报表\d+"), none=("报表",))], "r") == "unknown"

    def test_what_a_regex_finds_behind_the_whole_is_not_known(self) -> None:
        made = rule("r", wholes("hi"), regexes("!!"))
        assert winner([made], "hi!!") == "r"
        assert state([made], "r") in ("open", "unknown")

    def test_why(self) -> None:
        assert one([rule("r", words("a"), none=("a",))], "unreachable").detail == ("none",)
        assert one([rule("r", wholes("a"), words("b"))], "unreachable").message.zh.startswith("接不到任何请求")


class TestDuplicate:
    def test_in_another_order_and_spelling(self) -> None:
        high = rule("a", words("PDF", "报表", name="x"), words("导出", name="y"), none=("x", "y"), priority=5)
        low = rule("b", words("导出", name="z"), words("报表", "ｐｄｆ", "pdf", name="g"), none=("y", "x"))
        assert found([low, high], "duplicate", "shadowed") == [("duplicate", "b", "a")]
        witness = one([low, high], "duplicate").witness
        assert witness is not None
        assert winner([low, high], witness.text) == "a"
        assert winner([low], witness.text) == "b"

    @pytest.mark.parametrize(
        "other",
        [
            rule("b", words("导出", "图")),
            rule("b", words("导出"), none=("x",)),
            rule("b", words("导出"), when=Conditions(tools=True)),
            rule("b", words("导出"), negatable=False),
            rule("b", words("导出"), mode="shadow"),
            rule("b", words("导出"), mode="off"),
        ],
    )
    def test_a_difference_is_one(self, other: Rule) -> None:
        assert found([rule("a", words("导出"), priority=1), other], "duplicate") == []

    def test_what_is_looked_at_is_one_too(self) -> None:
        rules = [rule("a", words("导出")), rule("b", words("导出"), looks_at="message")]
        assert all(finding.kind == "no_cases" for finding in check_rules(rules).findings)

    def test_negation_that_can_not_be_is_no_difference(self) -> None:
        assert found([rule("a", wholes("hi")), rule("b", wholes("hi!"), negatable=False)], "duplicate")

    def test_rules_that_never_meet(self) -> None:
        rules = [rule("a", words("导出"), pack="a"), rule("b", words("导出"), pack="b")]
        assert found(rules, entries=(EntryRule("x", ("a",)), EntryRule("y", ("b",)))) == []
        assert found(rules, "duplicate", entries=(EntryRule("x", ("b",)), EntryRule("y"))) == []
        assert found(rules, "duplicate", entries=(EntryRule("x", ("a", "b")),)) == [("duplicate", "b", "a")]

    def test_two_marks_note_two_things(self) -> None:
        marks = [rule(name, words("密码"), action="mark", parameters={"label": name, "risk": "low"}) for name in "ab"]
        assert found(marks, "duplicate") == []
        assert found([marks[0], rule("c", words("密码"), action="mark", parameters=marks[0].parameters)], "duplicate")


class TestShadowed:
    @pytest.mark.parametrize(
        ("high", "low"),
        [
            (rule("h", words("导出")), rule("l", words("导出"), words("报表"))),
            (rule("h", words("导出", "图")), rule("l", words("导出"), words("图"))),
            (rule("h", words("表"), negatable=False), rule("l", words("报表"))),
            (rule("h", words("a", "b", "c", least=2)), rule("l", words("a"), words("b"), words("c"))),
            (rule("h", words("你好"), negatable=False), rule("l", wholes("你好"))),
            (rule("h", wholes("hi?")), rule("l", wholes("hi"))),
            (rule("h"), rule("l", words("x"))),
            (rule("h", words("x"), when=Conditions(min_turn=2)), rule("l", words("x"), when=Conditions(min_turn=3))),
            (rule("h", regexes(r"报表\d")), rule("l", regexes(r"报表\d"), words("导出"))),
        ],
    )
    def test_is_said_with_a_text(self, high: Rule, low: Rule) -> None:
        assert found([high, low], "shadowed", "nearly_shadowed") == [("shadowed", "l", "h")]
        finding = one([high, low], "shadowed")
        assert finding.witness is not None
        given = {"turns": finding.witness.given.get("turn", 1)}
        assert winner([high, low], finding.witness.text, **given) == "h"
        assert winner([low], finding.witness.text, **given) == "l"
        assert finding.witness.text in finding.message
        assert finding.witness.text in finding.message.zh

    @pytest.mark.parametrize(
        ("high", "low"),
        [
            (rule("h", words("导出"), none=("报表",)), rule("l", words("导出"), words("图"))),
            (rule("h", words("导出"), when=Conditions(tools=False)), rule("l", words("导出"), words("图"))),
            (rule("h", words("导出"), when=Conditions(roles=frozenset("x"))), rule("l", words("导出"), words("图"))),
            (rule("h", words("ab")), rule("l", words("b"))),
            (rule("h", words("导出"), mode="shadow"), rule("l", words("导出"), words("图"))),
            (rule("h", words("导出"), mode="off"), rule("l", words("导出"), words("图"))),
            (
                rule("h", words("导出"), action="mark", parameters={"label": "x", "risk": "low"}),
                rule("l", words("导出")),
            ),
            (rule("h", wholes("hi")), rule("l", words("hi"))),
            (rule("h", wholes("hi")), rule("l", wholes("hi?"))),
            (rule("h", words("hi")), rule("l", wholes("hi"))),  # hi_
            (rule("h", words("导出"), when=Conditions(max_characters=9)), rule("l", words("导出"), words("图"))),
        ],
    )
    def test_is_not_said_where_something_is_left(self, high: Rule, low: Rule) -> None:
        assert state([high, low], "l") == "open"

    def test_several_rules_together(self) -> None:
        sides = [rule(f"h{tools}", words("x"), when=Conditions(tools=tools)) for tools in (False, True)]
        low = rule("l", words("x"), words("y"))
        assert set(one([*sides, low], "shadowed").detail) == {"hFalse", "hTrue"}
        assert state([sides[0], low], "l") == "open"

    def test_only_requests_in_which_the_higher_one_is_negated_are_left(self) -> None:
        rules = [rule("h", words("导出", "报表")), rule("l", words("导出"))]
        finding = one(rules, "nearly_shadowed")
        assert finding.witness is not None
        assert winner(rules, finding.witness.text) == "l"
        assert finding.severity == "note"

    def test_a_rule_that_no_negation_stops(self) -> None:
        rules = [rule("h", words("导出")), rule("l", words("导出"), words("报表"), negatable=False)]
        assert state(rules, "l") == "negated"

    def test_a_negator_in_a_term_of_its_own(self) -> None:
        rules = [rule("h", words("导出")), rule("l", words("不要导出"))]
        assert state(rules, "l") == "open"
        assert winner(rules, "不要导出") == "l"

    def test_a_regex_may_miss_behind_the_whole(self) -> None:
        high = rule("h", wholes("hi"))
        high = msgspec.structs.replace(high, none=(Term("regex", "!!"),))
        rules = [high, rule("l", wholes("hi"), parameters={"text": "x"})]
        assert winner(rules, "hi!!") == "l"
        assert state(rules, "l") in ("open", "unknown")

    def test_in_one_entry_only(self) -> None:
        rules = [rule("h", words("x"), pack="a"), rule("l", words("x"), words("y"), pack="b")]
        both = EntryRule("both", ("a", "b"))
        assert state(rules, "l", (both,)) == "shadowed"
        assert state(rules, "l", (both, EntryRule("alone", ("b",)))) == "open"
        only = [rules[0], rule("l", words("x"), words("y"), pack="b", when=Conditions(entries=frozenset(["both"])))]
        assert state(only, "l", (both, EntryRule("alone", ("b",)))) == "shadowed"

    def test_guards_stand_before_models_too(self) -> None:
        rules = [rule("h", words("x"), pack="a"), rule("l", words("x"), words("y"), pack="guard")]
        about = {"entries": AUTO, "names": Names(frozenset(["auto"]), frozenset(["light"]))}
        assert found(rules, "shadowed", guard_packs=(), **about) == [("shadowed", "l", "h")]
        assert found(rules, "shadowed", guard_packs=("guard",), **about) == []

    def test_a_rule_of_the_message_does_not_surely_hide_one_of_the_question(self) -> None:
        rules = [rule("h", words("x"), looks_at="message"), rule("l", words("x"), words("y"))]
        assert state(rules, "l") == "unknown"

    def test_the_first_turn_is_no_condition_where_a_word_must_occur(self) -> None:
        every = rule("h", words("x"), when=Conditions(min_turn=1))
        assert found([every, rule("l", words("x"), words("y"))], "shadowed") == [("shadowed", "l", "h")]
        later = rule("h", words("x"), when=Conditions(min_turn=2))
        assert state([later, rule("l", words("x"), words("y"))], "l") == "open"
        first = rule("h", when=Conditions(min_turn=1))
        assert state([first, rule("l")], "l") == "open"  # where no user has said anything, nothing needs a word
        assert winner([first, rule("l")], "", turns=0) == "l"


class TestOverlap:
    def test_is_said_with_a_text(self) -> None:
        rules = [rule("h", words("导出"), words("报表"), priority=9), rule("l", words("报表"), words("昨天"))]
        finding = one(rules, "overlap")
        assert (finding.rule, finding.other, finding.detail) == ("l", "h", ("priority",))
        assert finding.witness is not None
        assert winner(rules, finding.witness.text) == "h"
        assert winner(rules[1:], finding.witness.text) == "l"

    def test_circumstances_satisfy_both(self) -> None:
        rules = [
            rule("h", words("报表"), words("导出"), when=Conditions(roles=frozenset("xy"))),
            rule("l", words("报表"), words("图"), when=Conditions(tools=True, min_turn=2)),
        ]
        witness = one(rules, "overlap").witness
        assert witness is not None
        assert witness.given == {"turn": 2, "tools": True, "role": "x"}

    @pytest.mark.parametrize(
        ("high", "low"),
        [
            (rule("h", words("导出"), words("报表")), rule("l", words("报表"))),  # the one is the other, narrower
            (rule("h", words("报表")), rule("l", words("报表"), words("导出"))),  # shadowed
            (rule("h", words("报表"), words("a")), rule("l", words("报表"), none=("a",))),
            (
                rule("h", words("报表"), when=Conditions(tools=True)),
                rule("l", words("报表"), when=Conditions(tools=False)),
            ),
            (rule("h", words("甲")), rule("l", words("乙"))),  # nothing in common: any two rules can meet
            (
                rule("h", words("导出"), words("报表"), parameters={"text": "x"}),
                rule("l", words("报表"), words("昨天"), parameters={"text": "x"}),
            ),
            (rule("h", words("导出"), words("报表"), mode="shadow"), rule("l", words("报表"), words("昨天"))),
        ],
    )
    def test_is_not_said(self, high: Rule, low: Rule) -> None:
        assert found([high, low], "overlap") == []

    def test_pairs_are_limited_and_counted(self) -> None:
        rules = [rule(f"r{number}", words("报表"), words(f"词{number}")) for number in range(6)]
        report = check_rules(rules, most_pairs=4)
        assert (report.pairs, report.pairs_left) == (4, 11)
        many = [rule(f"r{number}", words("报表"), words(f"词{number}"), words(f"字{number}")) for number in range(40)]
        report = check_rules(many)
        assert (report.pairs, report.pairs_left) == (0, 40 * 39 // 2)


class TestDeadKeywords:
    @pytest.mark.parametrize(
        ("made", "detail"),
        [
            (rule("r", words("PDF", "pdf")), ("same", "pdf", "PDF", "g")),
            (rule("r", words("导出", "图", "导出", least=2)), ("same", "导出", "导出", "g")),
            (rule("r", words("报表", "报表下载")), ("longer", "报表下载", "报表", "g")),
            (rule("r", words("报表", "销售报表")), ("longer_unless_negated", "销售报表", "报表", "g")),
            (rule("r", words("报表", "销售报表"), negatable=False), ("longer", "销售报表", "报表", "g")),
            (rule("r", words("报表", "导出表"), none=("导出",)), ("excluded", "导出表", "导出", "g")),
            (rule("r", wholes("hi?", "hi")), ("longer", "hi", "hi?", "whole")),
            (rule("r", words("x"), none=("a b", "b")), ("longer", "a b", "b", "none")),
            (rule("r", words("x"), none=("b", "B")), ("same", "B", "b", "none")),
        ],
    )
    def test_is_said(self, made: Rule, detail: tuple[str, ...]) -> None:
        assert one([made], "dead_keyword").detail == detail

    @pytest.mark.parametrize(
        "made",
        [
            rule("r", words("报表", "销售报表", least=2)),
            rule("r", words("b", "ab")),
            rule("r", words("报表"), words("销售报表")),
            rule("r", words("导出", "不要导出")),  # the negator in it counts
            rule(
                "r", words("报表", "销售报表", name="what"), parameters={"text": "{what}: …"}
            ),  # a longer text for the slot
            rule("r", wholes("hi", "hello")),
            rule("r", Group("g", (Term("word", "报表"), Term("regex", "报表")))),
        ],
    )
    def test_is_not_said(self, made: Rule) -> None:
        assert found([made], "dead_keyword") == []

    def test_without_it_the_rule_takes_the_same(self) -> None:
        """What is said of 销售报表 beside 报表: only a negator right before the longer word makes a difference."""
        long, short = rule("r", words("报表", "销售报表")), rule("r", words("报表"))
        assert [winner([each], "销售报表") for each in (long, short)] == ["r", "r"]
        assert [winner([each], "不销售报表") for each in (long, short)] == [None, "r"]

    def test_of_each_word_the_first_that_makes_it_dead_is_named(self) -> None:
        """As comparing each with each finds it, in a slow and obvious way."""
        texts = ["".join(some) for size in (1, 2, 3) for some in itertools.product("甲乙丙", repeat=size)]
        for seed in range(40):
            chosen = random.Random(seed).sample(texts, 9)
            wanted = {}
            for text in chosen:
                other = next((each for each in chosen if each != text and each in text), None)
                if other is not None:
                    wanted[text] = other
            for made in (rule("r", words(*chosen), negatable=False), rule("r", words("x"), none=tuple(chosen))):
                findings = [each for each in check_rules([made]).findings if each.kind == "dead_keyword"]
                assert {each.detail[1]: each.detail[2] for each in findings} == wanted

    def test_of_each_whole_the_first_that_makes_it_dead_is_named(self) -> None:
        chosen = ["hi", "yo?", "hi?", "yo", "hey", "ho?"]
        for made in (rule("r", wholes(*chosen)), rule("r", wholes(*reversed(chosen)))):
            findings = [each for each in check_rules([made]).findings if each.kind == "dead_keyword"]
            assert {each.detail[1]: each.detail[2] for each in findings} == {"hi": "hi?", "yo": "yo?"}

    def test_thousands_of_words_are_not_compared_with_each_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = Counter[str]()
        inside = Lexicon.inside

        def counted(lexicon: Lexicon, number: int) -> frozenset[int]:
            asked["inside"] += 1
            return inside(lexicon, number)

        monkeypatch.setattr(Lexicon, "inside", counted)
        many = tuple(f"k{number}" for number in range(3_000))
        check_rules([rule("r", words(*many)), rule("s", words("x"), none=many)])
        assert 6_000 <= asked["inside"] <= 20 * len(many)


class TestTheRest:
    def test_a_search_that_would_go_too_deep_ends_undecided(self) -> None:
        many = [f"词{number}号" for number in range(400)]
        rules = [rule("h", words(*many)), rule("l", words(*many, least=2))]
        assert state(rules, "l") == "unknown"
        few = [rule("h", words(*many[:4])), rule("l", words(*many[:4], least=2))]
        assert state(few, "l") == "shadowed"
        longer = [rule("h", words(*many[:200])), rule("l", words(*many[:201]))]
        assert state(longer, "l") == "open"

    def test_names_that_nothing_has(self) -> None:
        when = Conditions(
            entries=frozenset(["auto", "atuo"]),
            roles=frozenset(["admin"]),
            keys=frozenset(["k"]),
            groups=frozenset(["team", "x"]),
            sources=frozenset(["anything"]),
        )
        names = Names(frozenset(["auto"]), frozenset(["light"]), frozenset(["admin"]), frozenset(), frozenset(["team"]))
        report = check_rules([rule("r", words("a"), when=when)], names=names)
        details = [finding.detail for finding in report.findings if finding.kind == "dangling"]
        assert details == [("entry", "atuo"), ("key", "k"), ("group", "x")]

    def test_a_model_is_no_entry_except_for_guards(self) -> None:
        made = rule("r", words("a"), when=Conditions(entries=frozenset(["light", "auto"])))
        names = Names(frozenset(["auto"]), frozenset(["light"]))
        assert found([made], "dangling", names=names) == [("dangling", "r", None)]
        assert found([made], "dangling", names=names, guard_packs=("p",)) == []

    def test_a_slot_of_no_template(self) -> None:
        term = Term("template", "打开{what}", slots={"what": ("灯",), "where": ("卧室",)})
        made = rule("r", Group("t", (term,)), cases=(Case("打开灯", True, "example"),))
        assert one([made], "dangling", names=Names()).detail == ("slot", "where")

    def test_rules_tried_on_every_text(self) -> None:
        assert one([rule("r", regexes(r"\d+"))], "expensive").detail == (r"\d+",)
        assert found([rule("r", regexes(r"\d+"), words("a"))], "expensive") == []
        assert found([rule("r", regexes(r"报表\d+"))], "expensive") == []
        mixed = rule("r", Group("g", (Term("regex", r"\d+"), Term("word", "报表")), 2))
        assert found([mixed], "expensive") == []
        assert found([rule("r")], "expensive") == []

    def test_cases_that_are_missing(self) -> None:
        assert one([rule("r", words("a"))], "no_cases").severity == "note"
        kinds = ("example", "counter_example", "boundary")
        cases = tuple(Case("a", kind != "counter_example", kind) for kind in kinds)  # type: ignore[arg-type]
        assert check_rules([rule("r", words("a"), cases=cases)]).findings == ()

    def test_rules_that_are_off_have_no_findings(self) -> None:
        report = check_rules([rule("r", words("a"), none=("a",), mode="off")])
        assert report.findings == ()
        assert report.size.rules == 0

    def test_size(self) -> None:
        size = check_rules([rule("r", words("报表", "PDF"), regexes(r"\d+"), wholes("hi"))]).size
        assert size.terms == {"regex": 1, "whole": 1, "word": 2}
        assert (size.literals, size.bytes) == (1, len("报表".encode()))

    def test_an_example_is_the_witness_of_first_choice(self) -> None:
        high = rule("h", words("报表"), words("甲"))
        low = rule("l", words("报表"), words("乙"), cases=(Case("请看乙的报表", True, "example"),))
        inspector = Inspector([high, low], AUTO, (), (), plain_features)
        reach = inspector.reach(low)
        assert reach.found is not None
        assert reach.found.text == "请看乙的报表"
