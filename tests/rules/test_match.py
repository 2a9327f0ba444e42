from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pointsman.domain.rule import RuleHit
from pointsman.rules import compile_rules, fill, parse_rules, slot_values
from pointsman.rules.cases import plain_features


def match(rules: Any, text: str | None, **changes: Any) -> RuleHit | None:
    about = {"entry": "auto", "endpoint": "chat", "role": None}
    about |= {key: changes.pop(key) for key in list(changes) if key in about}
    features = msgspec.structs.replace(plain_features(text or ""), **changes)
    return compile_rules(parse_rules(rules, pack="p")).match(text, features, **about)


def winner(rules: Any, text: str | None, **changes: Any) -> str | None:
    hit = match(rules, text, **changes)
    return hit and hit.rule.id


def rule(name: str, when: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "when": when, "action": "x", **more}


def test_the_highest_priority_wins_and_among_equals_the_first() -> None:
    rules = [rule("low", {"any": ["a"]}, priority=1), rule("one", {"any": ["a"]}), rule("two", {"any": ["a"]})]
    assert winner(rules, "a") == "one"
    assert winner([rule("top", {"any": ["b"]}, priority=99), *rules], "a") == "one"
    assert winner([*rules, rule("top", {"any": ["a"]}, priority=99)], "a") == "top"


def test_spans_are_the_original_text_grouped_and_sorted() -> None:
    rules = [rule("r", {"all": [{"at_least": 2, "of": ["报表", "销售报表", "PDF"], "as": "what"}, "导出"]})]
    text = "导\u200b出 ＰＤＦ 销售报表"
    hit = match(rules, text)
    assert hit is not None
    assert [(name, text[start:end]) for name, start, end in hit.spans] == [
        ("what", "ＰＤＦ"),
        ("what", "销售报表"),
        ("what", "报表"),
        ("all2", "导\u200b出"),
    ]
    assert slot_values(hit, text) == {"question": text, "what": "ＰＤＦ", "all2": "导\u200b出"}
    assert fill("{what}: {question} {{what}}", slot_values(hit, text)) == f"ＰＤＦ: {text} {{what}}"


def test_distinct_terms_count_not_occurrences() -> None:
    rules = [rule("r", {"all": [{"at_least": 2, "of": ["pdf", "excel"]}]})]
    assert winner(rules, "pdf pdf PDF") is None
    assert winner(rules, "pdf excel") == "r"


def test_a_text_that_comes_again_is_decided_as_before() -> None:
    """What was learned of a short text is kept, whoever asks and whatever came in between."""
    written = parse_rules(
        [
            rule("first", {"all": [{"any": ["导出", "export"]}, {"any": [{"regex": "报表[0-9]+"}]}], "none": ["不"]}),
            rule("then", {"any": ["导出"]}, priority=1),
            rule("waiting", {"any": ["好的"], "asked": False}),
        ],
        pack="p",
    )
    rules = compile_rules(written)
    texts = [f"{verb}报表{number}" for number in range(120) for verb in ("导出", "不要导出", "export ")] + ["好的"] * 2
    for text in texts * 2:
        assert rules.match(text, plain_features(text), entry="auto") == compile_rules(written).match(
            text, plain_features(text), entry="auto"
        )
    asked = msgspec.structs.replace(plain_features("好的"), asked=True)
    assert rules.match("好的", plain_features("好的"), entry="auto") is not None
    assert rules.match("好的", asked, entry="auto") is None
    assert rules.match("好的", plain_features("好的"), entry="auto") is not None


def test_none_excludes() -> None:
    rules = [rule("r", {"any": ["苹果"], "none": ["手机", {"regex": "iphone ?\\d+"}]})]
    assert winner(rules, "苹果财报") == "r"
    assert winner(rules, "苹果手机") is None
    assert winner(rules, "苹果 iPhone 15") is None


@pytest.mark.parametrize(
    ("when", "good", "bad"),
    [
        ({"tokens": {"min": 5, "max": 6}}, {"question_tokens": 5}, {"question_tokens": 7}),
        ({"turn": {"max": 1}}, {"turns": 1}, {"turns": 2}),
        ({"role": ["admin"]}, {"role": "admin"}, {"role": None}),
        ({"entry": "auto"}, {}, {"entry": "other"}),
        ({"endpoint": ["chat", "completions"]}, {"endpoint": "completions"}, {"endpoint": "rerank"}),
        ({"language": "zh"}, {"language": "zh"}, {"language": "en"}),
        ({"asked": False}, {}, {"asked": True}),
        ({"tools": True}, {"tools": True}, {}),
        ({"images": True}, {"images": 2}, {}),
        ({"structured": False}, {}, {"structured": True}),
    ],
)
def test_conditions_alone_make_a_rule(when: Any, good: dict[str, Any], bad: dict[str, Any]) -> None:
    rules = [rule("r", when)]
    assert winner(rules, "x", **good) == "r"
    assert winner(rules, None, **good) == "r"
    assert winner(rules, "x", **bad) is None


def test_no_question_takes_no_rule_with_groups() -> None:
    assert winner([rule("r", {"any": ["a"]}), rule("w", {"whole": ["hi"]})], None) is None
    assert compile_rules([]).match("a", plain_features("a"), entry="x", endpoint="chat", role=None) is None


def test_a_rule_set_lists_its_rules_by_rank() -> None:
    parsed = parse_rules([rule("a", {"any": ["a"]}), rule("b", {"any": ["a"]}, priority=60)], pack="p")
    assert [known.id for known in compile_rules(parsed).rules] == ["b", "a"]
