"""Rules that take nothing: marks, rules in shadow, rules that are off; which text a rule looks at; who asks; time."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pointsman.domain.errors import Problems
from pointsman.domain.rule import Asking, Looked, Rule
from pointsman.rules import RuleSet, compile_rules, failed_cases, missing_cases, parse_rules
from pointsman.rules.cases import plain_features

ASKING = Asking("auto", "chat")


def rule(name: str, word: str, **more: Any) -> dict[str, Any]:
    outcome = {} if {"answer", "mark"} & set(more) else {"answer": name}
    return {"id": name, "when": {"any": [word], **more.pop("when", {})}, **outcome, **more}


def rules(*data: dict[str, Any]) -> tuple[Rule, ...]:
    return parse_rules(list(data), pack="p")


def compiled(*data: dict[str, Any]) -> RuleSet:
    return compile_rules(rules(*data))


def ids(looked: Looked) -> tuple[str | None, list[str]]:
    return looked.hit and looked.hit.rule.id, [hit.rule.id for hit in looked.passed]


def look(ruleset: RuleSet, text: str, asking: Asking = ASKING, **more: Any) -> tuple[str | None, list[str]]:
    return ids(ruleset.look(text, plain_features(text), asking, **more))


def test_marks_and_shadows_pass_and_what_is_off_is_not_there() -> None:
    ruleset = compiled(
        rule("mark", "a", mark={"label": "sql", "risk": "high"}, priority=90),
        rule("shadow", "a", mode="shadow", priority=80),
        rule("off", "a", mode="off", priority=70),
        rule("takes", "a", priority=60),
        rule("later", "a", mode="shadow", priority=50),
    )
    assert look(ruleset, "a") == ("takes", ["mark", "shadow"])
    assert [each.id for each in ruleset.rules] == ["mark", "shadow", "takes", "later"]
    assert look(ruleset, "b") == (None, [])
    assert look(compiled(rule("later", "a", mode="shadow")), "a") == (None, ["later"])


def test_a_mark_in_shadow_is_a_shadow() -> None:
    [mark] = rules(rule("mark", "a", mark={"label": "x"}, mode="shadow"))
    [hit] = compile_rules([mark]).look("a", plain_features("a"), ASKING).passed
    assert hit.shadow and mark.parameters == {"label": "x", "risk": "low"}


def test_a_rule_looks_at_the_question_or_at_the_message() -> None:
    ruleset = compiled(
        rule("of_question", "报表", priority=60),
        rule("of_message", "secret", when={"in": "message"}, priority=50),
        rule("either", "x", when={"in": "message"}, priority=40),
    )
    message = "<context>报表 secret</context> x"
    assert look(ruleset, "你好", message=message) == ("of_message", [])
    assert look(ruleset, "导出报表", message=message) == ("of_question", [])
    assert look(ruleset, "x secret 报表") == ("of_question", [])
    assert look(ruleset, "x") == ("either", [])
    looked = ruleset.look("你好", plain_features("你好"), ASKING, message=message)
    assert looked.hit is not None and [message[start:end] for _, start, end in looked.hit.spans] == ["secret"]


@pytest.mark.parametrize(
    ("condition", "right", "wrong"),
    [
        ({"key": "dify"}, {"key": "dify"}, {"key": "other"}),
        ({"group": ["sales", "hr"]}, {"group": "hr"}, {}),
        ({"source": "open-webui"}, {"source": "open-webui"}, {"source": "curl"}),
        ({"role": "admin"}, {"role": "admin"}, {}),
    ],
)
def test_who_asks(condition: dict[str, Any], right: dict[str, str], wrong: dict[str, str]) -> None:
    ruleset = compiled(rule("r", "a", when=condition))
    assert look(ruleset, "a", msgspec.structs.replace(ASKING, **right)) == ("r", [])
    assert look(ruleset, "a", msgspec.structs.replace(ASKING, **wrong)) == (None, [])


def test_characters_and_brevity() -> None:
    ruleset = compiled(rule("short", "a", when={"characters": {"max": 3}}), rule("brief", "a", when={"brief": True}))
    assert look(ruleset, "a b") == ("short", [])
    assert look(ruleset, "a b c") == (None, [])
    seen = msgspec.structs.replace(plain_features("a b c"), brief=True)
    assert ids(ruleset.look("a b c", seen, ASKING)) == ("brief", [])


def test_time_runs_out_after_so_many_rules_and_says_so() -> None:
    data = [rule(f"r{number}", "a", mode="shadow") for number in range(5)] + [rule("last", "a", priority=1)]
    ruleset = compiled(*data)
    features = plain_features("a")
    assert ruleset.look("a", features, ASKING, spent=lambda looked: False).cut is None
    for most in range(6):
        cut = ruleset.look("a", features, ASKING, spent=lambda looked, most=most: looked >= most)  # type: ignore[misc]
        assert (cut.hit, len(cut.passed), cut.cut) == (None, most, most)


def test_rules_need_cases_of_each_kind() -> None:
    whole = {
        "examples": ["a"],
        "counter_examples": ["b"],
        "boundary": [{"text": "aa", "takes": False, "why": "a longer word"}],
    }
    [full] = rules(rule("r", "a", **whole))
    assert missing_cases(full) is None and failed_cases(compile_rules([full]), [full]) == ()
    for kind in whole:
        [lacking] = rules(rule("r", "a", **{key: value for key, value in whole.items() if key != kind}))
        told = missing_cases(lacking)
        assert told is not None and f"has no `{kind}`:" in told and f"缺少 `{kind}`：" in told.zh


def test_cases_come_with_circumstances() -> None:
    [checked] = rules(
        rule(
            "r",
            "a",
            when={"asked": False, "turn": {"max": 2}, "key": "dify", "tokens": {"max": 30}},
            examples=["a", {"text": "a", "turn": 2}],
            counter_examples=[{"text": "a", "asked": True}, {"text": "a", "turn": 3}, {"text": "a", "key": "web"}],
            boundary=[
                {"text": "a ", "repeat": 60, "takes": True},
                {"text": "a ", "repeat": 120, "takes": False, "why": "too long"},
            ],
        )
    )
    assert failed_cases(compile_rules([checked]), [checked]) == ()
    assert len(checked.cases[-1].text) == 240
    wrong = rules(rule("r", "a", when={"turn": {"max": 2}}, boundary={"text": "a", "turn": 3, "takes": True}))
    [failed] = failed_cases(compile_rules(wrong), wrong)
    assert failed.path == "boundary[0]" and failed.won is None


def test_a_rule_in_shadow_holds_its_cases_too_and_one_that_is_off_has_none_run() -> None:
    shadow = rules(rule("r", "a", mode="shadow", examples=["a"], counter_examples=["b"]))
    assert failed_cases(compile_rules(shadow), shadow) == ()
    wrong = rules(rule("r", "a", mode="shadow", examples=["b"]))
    assert len(failed_cases(compile_rules(wrong), wrong)) == 1
    off = rules(rule("r", "a", mode="off", examples=["b"]))
    assert failed_cases(compile_rules(off), off) == ()


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ({"mode": "enforced"}, 'did you mean "enforce"'),
        ({"since": "yesterday"}, "is no date"),
        ({"owner": ["a"]}, "must be a text"),
        ({"mark": {"risk": "high"}}, "`label` is missing"),
        ({"mark": {"label": "x", "risk": "huge"}}, '"huge"'),
        ({"boundary": ["a"]}, "must be a case"),
        ({"boundary": [{"text": "a"}]}, "`takes` is missing"),
        ({"examples": [{"text": "a", "takes": True}]}, 'unknown key "takes"'),
        ({"examples": [{"text": "a", "turns": 2}]}, 'did you mean "turn"'),
        ({"when": {"in": "answer"}}, "unknown value 'answer'"),
        ({"when": {"all": [{"extract": "colour"}]}}, '"colour"'),
        ({"when": {"all": [{"extract": "email", "of": ["gmail"]}]}}, "email has no kinds"),
        ({"when": {"all": [{"extract": "amount", "of": ["RMB"]}]}}, '"RMB"'),
        ({"when": {"template": "导出{x}"}}, "unknown slot {x}"),
        ({"when": {"slots": {"x": []}}}, "is empty"),
    ],
)
def test_mistakes_are_told(data: dict[str, Any], part: str) -> None:
    with pytest.raises(Problems) as caught:
        rules(rule("r", "a", **data))
    assert any(part in str(problem) for problem in caught.value.problems), caught.value.problems


def test_a_share_of_those_who_ask_always_the_same_ones() -> None:
    ruleset = compiled(
        rule("some", "a", share=30), rule("other", "a", share=30, priority=40), rule("all", "a", priority=1)
    )
    people = [msgspec.structs.replace(ASKING, key="web", person=f"u{number}") for number in range(3000)]
    found = [ruleset.look("a", plain_features("a"), asking) for asking in people]
    taken = [looked.hit.rule.id for looked in found if looked.hit]
    assert 0.27 < taken.count("some") / 3000 < 0.33
    assert 0.18 < taken.count("other") / 3000 < 0.24, "of those whom the first did not take, another 30 %"
    for looked in found:
        assert looked.hit is not None and all(hit.shadow for hit in looked.passed)
        assert ("some" in [hit.rule.id for hit in looked.passed]) is (looked.hit.rule.id != "some")
    again = [ruleset.look("a", plain_features("a"), asking) for asking in people]
    assert again == found


def test_a_case_of_a_rule_with_a_share_is_taken_for_whomever() -> None:
    data = rules(rule("some", "a", share=1, examples=["a"], counter_examples=["b"]))
    assert failed_cases(compile_rules(data), data) == ()
