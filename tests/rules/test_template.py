"""Sentence templates: whole texts of one form, with slots."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.rules import compile_rules, parse_rules, slot_values
from pointsman.rules.cases import plain_features
from pointsman.rules.fold import fold
from pointsman.rules.template import BadTemplate, Template

EXPORT = "(导出|生成)[一份]{area}[的]{kind}报表"
SLOTS = {"area": ("华东", "华东区", "华北"), "kind": ("销售", "库存")}


def takes(template: str, text: str, **slots: tuple[str, ...]) -> bool:
    return Template(template, slots).occurs(fold(text))


def held(template: str, text: str, **slots: tuple[str, ...]) -> dict[str, str]:
    folded = fold(text)
    return {name: text[slice(*folded.original(*place))] for name, place in Template(template, slots).slots(folded)}


@pytest.mark.parametrize(
    "text",
    [
        "导出华东销售报表",
        "生成一份华东区的库存报表",
        "导出华北的销售报表。",
        " 导出 华东 销售 报表 !",
        "導出華東銷售報表",
    ],
)
def test_the_whole_text_has_the_form(text: str) -> None:
    assert takes(EXPORT, text, **SLOTS)


@pytest.mark.parametrize(
    "text",
    [
        "不要导出华东销售报表",
        "导出华东销售报表给我",
        "导出销售报表",
        "导出华南销售报表",
        "导出一份一份华东销售报表",
        "",
    ],
)
def test_anything_more_or_less_is_no_match(text: str) -> None:
    assert not takes(EXPORT, text, **SLOTS)


def test_slots_hold_what_the_user_wrote() -> None:
    assert held(EXPORT, "生成一份华东区的库存报表", **SLOTS) == {"area": "华东区", "kind": "库存"}
    assert held("turn {state} the {what}", "Turn ON the\u200b Lamp!", state=("on", "off"), what=("lamp",)) == {
        "state": "ON",
        "what": "Lamp",
    }
    assert held("请导出{period}的{kind}报表", "请导出 上周五 的 销售 报表", **SLOTS) == {
        "period": "上周五",
        "kind": "销售",
    }
    assert held("remind me to {what:task}", "Remind me to call Bob", what=("*",)) == {"task": "call Bob"}


def test_words_of_spaced_scripts_keep_their_edges() -> None:
    turn = "turn [on] the lamp[s]"
    assert takes(turn, "turn on the lamps") and takes(turn, "turn the lamp") and takes(turn, "Turn  on the\tlamp?")
    assert not takes(turn, "turnthe lamp") and not takes(turn, "turn onthe lamp")


def test_parts_in_either_order() -> None:
    both = "(把{what};导出)"
    assert takes(both, "把报表导出", what=("报表",)) and takes(both, "导出把报表", what=("报表",))
    assert held(both, "导出把报表", what=("报表",)) == {"what": "报表"}
    assert not takes(both, "把报表", what=("报表",))


@pytest.mark.parametrize(
    ("template", "part"),
    [
        ("导出{nothing}", "{nothing}"),
        ("(导出", "cannot be read"),
        ("[导出]", "empty"),
        ("<verb>报表", "<verb>"),
        ("(a;b;c;d;e)", "more than 4"),
    ],
)
def test_mistakes_are_told(template: str, part: str) -> None:
    with pytest.raises(BadTemplate) as caught:
        Template(template, {})
    assert part in str(caught.value.args[0])


def test_a_rule_with_templates_answers_with_its_slots() -> None:
    rules = parse_rules(
        [
            {
                "id": "lamp",
                "when": {
                    "template": ["turn {state} the lamp", "把灯{state}"],
                    "slots": {"state": ["on", "off", "打开"]},
                },
                "answer": "lamp: {state}",
            }
        ],
        pack="p",
    )
    hit = compile_rules(rules).match("Turn OFF the lamp", plain_features("x"), entry="auto")
    assert hit is not None
    assert slot_values(hit, "Turn OFF the lamp")["state"] == "OFF"
    assert compile_rules(rules).match("please turn off the lamp", plain_features("x"), entry="auto") is None


# --- against an oracle that writes every sentence out -------------------------------------------------------------

PIECES = ["a", "b ", "导", "出", " c", "[d]", "(a|b)", "[e|f]", "{s}", "(g;h)", "[{s}]"]
VALUES = ("x", "xy", "表")


def sentences(pieces: list[str]) -> set[str]:
    options = []
    for piece in pieces:
        if piece in ("{s}", "[{s}]"):
            options.append([*VALUES, *([""] if piece[0] == "[" else [])])
        elif piece == "(g;h)":
            options.append(["gh", "hg"])
        elif piece[0] == "(":
            options.append(piece[1:-1].split("|"))
        elif piece[0] == "[":
            options.append([*piece[1:-1].split("|"), ""])
        else:
            options.append([piece])
    return {"".join(each).replace(" ", "") for each in itertools.product(*options)}


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_every_sentence_of_a_template_and_no_other(pieces: list[str], rnd: random.Random) -> None:
    """Compared without white space, which the oracle does not know."""
    written = "".join(pieces)
    said = sentences(pieces)
    try:
        template = Template(written, {"s": VALUES})
    except BadTemplate:
        assert "" in said
        return
    spaced = "导" in written or " " not in written
    for sentence in sorted(said)[:20]:
        if spaced and " " not in written:
            assert template.occurs(fold(sentence)), (written, sentence)
        broken = sentence + rnd.choice("zq") if rnd.random() < 0.5 else rnd.choice("zq") + sentence
        assert not template.occurs(fold(broken)), (written, broken)


def test_a_long_text_costs_little() -> None:
    template = Template("{what}报表{what:again}", {"what": ("*",)})
    began = time.process_time()
    for _ in range(20):
        template.occurs(fold("报表" * 200))
    assert not template.occurs(fold("报表" * 5000))
    assert time.process_time() - began < 5
