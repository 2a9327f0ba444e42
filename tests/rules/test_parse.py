from __future__ import annotations

from typing import Any

import pytest

from pointsman.domain.errors import Problems
from pointsman.domain.rule import Conditions, Group, Term
from pointsman.rules import duplicate_ids, parse_rules


def problems(*rules: Any) -> list[str]:
    with pytest.raises(Problems) as caught:
        parse_rules(list(rules), pack="p", source="rules.yaml")
    return [str(problem) for problem in caught.value.problems]


def base(**more: Any) -> dict[str, Any]:
    return {"id": "r", "when": {"any": ["a"]}, "answer": "b", **more}


def flat(**more: Any) -> dict[str, Any]:
    return {"id": "r", "pattern": ["a", "b", "c"], "action": "x", **more}


def test_the_clear_form() -> None:
    [rule] = parse_rules(
        {
            "rules": [
                {
                    "id": "export",
                    "priority": 95,
                    "when": {
                        "all": [
                            {"any": ["导出", "生成"], "as": "verb"},
                            {"at_least": 2, "of": ["PDF", {"extension": "xlsx"}, {"regex": "q[1-4]"}], "as": "what"},
                            "报表",
                        ],
                        "any": [{"whole": "x"}],
                        "none": ["诗"],
                        "tokens": {"max": 100},
                        "turn": {"min": 1},
                        "language": "zh",
                        "asked": False,
                    },
                    "answer": {"zh": "{verb}: {question} {{x}}", "en": "ok"},
                    "negation": "ignore",
                    "gpu_memory": 0,
                }
            ]
        },
        pack="p",
    )
    assert rule.groups == (
        Group("verb", (Term("word", "导出"), Term("word", "生成"))),
        Group("what", (Term("word", "PDF"), Term("extension", ".xlsx"), Term("regex", "q[1-4]")), 2),
        Group("all3", (Term("word", "报表"),)),
        Group("any", (Term("whole", "x"),)),
    )
    assert rule.conditions == Conditions(max_tokens=100, min_turn=1, languages=frozenset(["zh"]), asked=False)
    assert (rule.action, rule.negatable, rule.gpu_memory, rule.priority) == ("answer", False, 0, 95)
    assert rule.parameters == {"text": {"zh": "{verb}: {question} {{x}}", "en": "ok"}}


@pytest.mark.parametrize(
    ("outcome", "action", "parameters"),
    [
        ({"answer": "hi"}, "answer", {"text": "hi"}),
        ({"refuse": {"why": "no", "instead": {"en": "x"}}}, "refuse", {"why": "no", "instead": {"en": "x"}}),
        ({"route": {"tier": "heavy"}}, "route", {"target": "heavy"}),
        (
            {"route": {"task": "math", "body": {"temperature": 0}}},
            "route",
            {"task": "math", "body": {"temperature": 0}},
        ),
        ({"action": "export", "parameters": {"a": 1}}, "export", {"a": 1}),
    ],
)
def test_outcomes(outcome: dict[str, Any], action: str, parameters: dict[str, Any]) -> None:
    [rule] = parse_rules([{"id": "r", "when": {"any": ["a"]}, **outcome}], pack="p")
    assert (rule.action, rule.parameters, rule.priority) == (action, parameters, 50)


def test_the_flat_form_with_its_options() -> None:
    [rule] = parse_rules([flat(min_hits=3, x_keywords=["k"], x_extensions=[".py"], gpu_memory=2400)], pack="p")
    assert [(group.name, group.at_least) for group in rule.groups] == [("pattern", 3), ("x", 1), ("x_extensions", 1)]
    [single] = parse_rules([flat(pattern=["a"])], pack="p")
    assert single.groups[0].at_least == 1


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"when": {"any": ["a"]}, "answer": "b"}, "rules[0]: `id` is missing"),
        (base(prioritty=1), 'rules[0].prioritty: unknown key "prioritty", did you mean "priority"?'),
        (base(priority="high"), "rules[0].priority: must be a whole number, not a text"),
        (base(priority=True), "rules[0].priority: must be a whole number, not the truth value true"),
        (base(when={}), "rules[0].when: is empty"),
        (base(when=[]), "rules[0].when: must be a mapping, not a list"),
        (base(when={"any": []}), "rules[0].when.any: is empty"),
        (base(when={"any": ["a", ""]}), "rules[0].when.any[1]: is empty"),
        (base(when={"any": ["\u200b"]}), "rules[0].when.any[0]: holds nothing that can be seen"),
        (base(when={"any": [404]}), "rules[0].when.any[0]: must be a text, not the number 404: put it in quotes"),
        (base(when={"any": [{"regx": "a"}]}), 'rules[0].when.any[0].regx: unknown key "regx", did you mean "regex"?'),
        (base(when={"all": ["x", {"any": [{"regex": "a("}]}]}), "rules[0].when.all[1].any[0].regex: bad regex 'a('"),
        (base(when={"any": [{"regex": "(?=a)"}]}), "look-around"),
        (base(when={"any": [{"any": ["a"]}]}), "rules[0].when.any[0].any: nested condition; rules are single-level"),
        (base(when={"all": [{"when": {"any": ["a"]}}]}), "rules[0].when.all[0].when: nested condition"),
        (base(when={"all": [{"all": ["a"]}]}), "rules[0].when.all[0].all: nested condition"),
        (base(when={"when": {"any": ["a"]}}), "rules[0].when.when: nested condition"),
        (base(when={"any": ["a"], "tokens": {"min": 9, "max": 3}}), "rules[0].when.tokens: min 9 is above max 3"),
        (base(when={"turn": {"min": 0}}), "rules[0].when.turn.min: is 0"),
        (base(when={"tokens": {"mim": 1}}), 'did you mean "min"?'),
        (base(when={"endpoint": "chats"}), 'rules[0].when.endpoint: unknown value "chats", did you mean "chat"?'),
        (base(when={"asked": "no"}), "rules[0].when.asked: must be true or false, not a text"),
        (base(when={"all": [{"at_least": 3, "of": ["a", "A", "b"]}]}), "rules[0].when.all[0].at_least: is 3"),
        (base(when={"all": [{"of": ["a"]}]}), "`at_least` is missing"),
        (base(when={"all": [{"any": ["a"], "as": "1x"}]}), "rules[0].when.all[0].as: '1x' cannot name a slot"),
        (base(when={"all": [{"any": ["a"], "as": "x"}, {"any": ["b"], "as": "x"}]}), 'two groups are named "x"'),
        (base(answer="{an}"), "rules[0].answer: unknown slot {an}, did you mean \"any\"?"),
        (base(answer="{oops"), "rules[0].answer: unknown slot {}"),
        (base(answer={"de": "x"}), 'rules[0].answer.de: unknown key "de"'),
        (base(answer=" "), "rules[0].answer: is empty"),
        (base(refuse={"why": "x", "instead": "y"}), "rules[0]: says answer and refuse, but does one thing"),
        ({"id": "r", "when": {"any": ["a"]}}, "rules[0]: says nothing of what to do"),
        ({"id": "r", "when": {"any": ["a"]}, "refuse": {"why": "x"}}, "`instead` is missing"),
        ({"id": "r", "when": {"any": ["a"]}, "route": {}}, "rules[0].route: names neither"),
        ({"id": "r", "when": {"any": ["a"]}, "route": {"tier": "a", "target": "b"}}, "both `tier` and `target`"),
        ({"id": "r", "when": {"any": ["a"]}, "action": "answer"}, "`answer` needs its content"),
        ({"id": "r", "answer": "x"}, "rules[0]: says nothing of when it applies"),
        (base(negation="off"), "rules[0].negation: unknown value 'off'"),
        (base(examples="x"), "rules[0].examples: must be a list, not a text"),
        (base(pattern=["a"]), "rules[0]: mixes two forms"),
        (flat(min_hits=4), "rules[0].min_hits: is 4"),
        (flat(min_hit=2), 'unknown key "min_hit", did you mean "min_hits"?'),
        (flat(time_keywords=[]), "rules[0].time_keywords: is empty"),
        (flat(pattern=["a", None]), "rules[0].pattern[1]: must be a text, not nothing"),
        ({"id": "r", "time_keywords": ["a"], "action": "x"}, "rules[0]: `pattern` is missing"),
        ("a", "rules[0]: must be a mapping, not a text"),
    ],
)  # fmt: skip
def test_each_problem_is_named_with_its_place(rule: Any, said: str) -> None:
    found = problems(rule)
    assert any(said in problem for problem in found), found
    assert len(found) == 1, found


def test_all_problems_come_at_once_with_rule_and_file() -> None:
    found = problems(base(priority="x", when={"any": [1, 2]}), base(id="s", answer="{no}"))
    assert len(found) == 4
    assert all(problem.startswith("rules.yaml: rules[") for problem in found)
    assert "(rule s)" in found[3]


@pytest.mark.parametrize(("data", "count"), [(None, 0), ([], 0), ({"rules": []}, 0), ({"rules": [base()]}, 1)])
def test_top_levels(data: Any, count: int) -> None:
    assert len(parse_rules(data, pack="p")) == count


@pytest.mark.parametrize("data", ["x", {"rule": []}, {"rules": 3}])
def test_bad_top_levels(data: Any) -> None:
    with pytest.raises(Problems):
        parse_rules(data, pack="p")


def test_ids_are_unique_over_files_and_packs() -> None:
    one = parse_rules([base()], pack="a", source="a.yaml")
    two = parse_rules([base(), base(id="s")], pack="b", source="b.yaml")
    [problem] = duplicate_ids([*one, *two])
    assert str(problem) == 'b.yaml: rules.r: id "r" is taken already (pack a, a.yaml); ids are unique over all packs'
