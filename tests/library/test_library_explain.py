"""`explain`: the outcome, and why the rules that came near did not take the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library.office import WORDS, office
from pointsman import Rules

RULES = office()


def near(text: str, rules: Rules = RULES, **about: Any) -> dict[str, list[str]]:
    return {each["rule"]: each["why"] for each in rules.explain(text, **about).data("en")["near"]}


def test_a_group_that_is_missing() -> None:
    assert near("my vpn") == {"vpn": ["group how needs one of: broken, 坏了"]}
    [missed] = RULES.explain("my vpn").near
    assert missed.held == {"what": ("vpn",)}


def test_an_excluded_word_and_a_condition() -> None:
    assert near("my router and vpn are broken") == {"vpn": ["`none` excludes router"]}
    assert near("the menu") == {"staff": ["`role: staff` does not hold"]}
    assert near("der Menu menu für die Küche, bitte auf Deutsch") == {
        "staff": ["`role: staff` does not hold", "`language: en, zh` does not hold"]
    }


def test_a_negation() -> None:
    assert near("don't open a ticket") == {"ticket": ["what it asks for is negated"]}


def test_a_rule_that_goes_before() -> None:
    assert near("salary, vpn broken") == {"vpn": ["rule salary goes before it"]}


def test_at_least() -> None:
    flat = {"id": "a", "pattern": ["x", "y", "z"], "time_keywords": ["w"], "min_hits": 2, "action": "go"}
    rules = Rules.parse([flat], cases="skip")
    assert near("w x", rules) == {"a": ["group pattern needs 2 of: x, y, z"]}


def test_more_than_a_few_words_are_cut() -> None:
    words = [f"word{number}" for number in range(9)]
    rules = Rules.parse([{"id": "a", "when": {"all": [{"any": words}, {"any": ["w"]}]}, "answer": "A"}], cases="skip")
    assert near("w", rules)["a"][0].endswith("word5 …")


def test_a_report_is_the_gateways_matter() -> None:
    rules = Rules.parse([{"id": "a", "when": {"any": ["export"]}, "action": "export_report"}], cases="skip")
    assert not rules.decide("export").taken and near("export", rules)["a"][0].startswith("its action makes reports")


def test_the_nearest_come_first_and_no_more_than_asked_for() -> None:
    text = "the menu and my vpn, python, but no ticket"
    assert list(near(text)) == ["staff", "vpn", "ticket"], "one group of one, then of two; in the order of rank"
    assert len(RULES.explain(text, near=1).near) == 1 and RULES.explain(text, near=0).near == ()


def test_marks_and_shadows_that_fired_are_not_near() -> None:
    assert near("my password in the canteen") == {}


def test_as_text_in_both_languages() -> None:
    found = RULES.explain("my password, salary and vpn")
    assert str(found) == found.text("en") and found.text("en").splitlines() == [
        "rule salary took it: salary",
        "salary → refuse",
        "  any: salary (13–19)",
        "  Salaries are private. Ask HR.",
        "marked by secret: secret (high)",
        "near: vpn (what: vpn)",
        "  - group how needs one of: broken, 坏了",
    ]
    zh = found.text("zh").splitlines()
    assert zh[-2:] == ["接近：vpn（what: vpn）", "  - 词组 how 需要其中之一：broken, 坏了"]
    assert RULES.explain("我的 vpn").text().splitlines()[0] == "没有规则命中"


def test_as_data_it_is_json() -> None:
    data = json.loads(json.dumps(RULES.explain("my password, salary and vpn").data()))
    assert data["rule"] == "salary" and data["marks"][0]["label"] == "secret" and data["near"][0]["rule"] == "vpn"


@given(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), st.sampled_from([None, "staff"]))
def test_the_outcome_is_that_of_decide_and_every_near_rule_has_a_reason(text: str, role: str | None) -> None:
    found = RULES.explain(text, near=99, role=role)
    assert found.outcome == RULES.decide(text, role=role)
    for missed in found.near:
        assert missed.why and missed.held and missed.rule != found.outcome.rule
        alone = Rules.parse([_RULE_OF[missed.rule]], cases="skip").decide(text, role=role)
        took = alone.rule is not None
        assert took == any(str(why).endswith("goes before it") for why in missed.why)


def _rules_by_id() -> dict[str, Any]:
    import yaml

    from library.office import OFFICE

    return {rule["id"]: rule for rule in yaml.safe_load(OFFICE)}


_RULE_OF = _rules_by_id()


def test_after_a_reload_it_explains_the_new_rules(tmp_path: Any) -> None:
    path = tmp_path / "r.yaml"
    for word in ("apple", "berry"):
        path.write_text(f"[{{id: a, when: {{any: [{word}], role: [x]}}, answer: A}}]", encoding="utf-8")
        rules = rules if word == "berry" else Rules.load(path, cases="skip")  # noqa: F821
        rules.reload()
        assert list(near(word, rules)) == ["a"]


@pytest.mark.parametrize("text", ["", "\ud800 vpn", "x" * 100_000])
def test_any_text(text: str) -> None:
    RULES.explain(text).text()
