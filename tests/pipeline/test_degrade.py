"""What becomes of requests that no rule took: an action for pictures, one for calculations, else a model; never an error."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.policies import ask, backend, fleet, policy_of, tiers
from pointsman.domain.decision import Decision
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

CONFIG: dict[str, Any] = {
    "models": tiers(medium=[backend("middle")], heavy=[backend("big")]),
    "rules": {"packs": ["builtin:smalltalk"], "files": []},
    "entries": {"auto": {"hint": True}, "quiet": {}},
    "fallback": {"target": "medium"},
    "actions": {
        "image": {"answer": {"zh": "图片请用 <地址>。", "en": "Pictures: <address>."}},
        "maths": {"route": {"tier": "heavy", "body": {"temperature": 0}}},
    },
}


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("degrade"), CONFIG)


def decided(policy: Policy, text: str, model: str = "auto", **about: Any) -> Decision:
    return decide(ask(text, model, **about), policy, fleet(middle=8000, big=8000))


@pytest.mark.parametrize(
    "text",
    [
        "帮我画一只猫",
        "生成一张产品海报",
        "设计一个公司logo",
        "画一幅星空下的城市插画",
        "draw a red fox",
        "Please create a logo for my shop",
    ],
)
def test_words_for_a_picture(policy: Policy, text: str) -> None:
    decision = decided(policy, text)
    assert (decision.stage, decision.rule, decision.action) == ("l0", "degrade.image", "image")


@pytest.mark.parametrize(
    "text",
    [
        "画一个流程图",
        "怎么画一只猫",
        "这张图片里有什么",
        "写一个生成图片的函数",
        "不要画图片",
        "画重点",
        "how do I draw a cat",
        "the picture was made in 1920",
    ],
)
def test_no_picture_is_wanted(policy: Policy, text: str) -> None:
    assert decided(policy, text).rule is None


@pytest.mark.parametrize("text", ["3*(4+5)", "2^10等于多少", "计算 sin(0.5)+1", "what is 17*23?", "解方程 x^2-4=0"])
def test_calculations(policy: Policy, text: str) -> None:
    decision = decided(policy, text)
    assert (decision.stage, decision.rule, decision.targets[0].target) == ("model", "degrade.maths", "big@big")


@pytest.mark.parametrize(
    "text", ["2024-05-03 的会议纪要", "版本 3.10 有什么新特性", "今天的比分 3:2", "C++ 和 C# 哪个好"]
)
def test_no_calculation_is_wanted(policy: Policy, text: str) -> None:
    assert decided(policy, text).rule is None


def test_all_else_goes_on_with_a_hint_where_the_entry_has_one(policy: Policy) -> None:
    decision = decided(policy, "为什么天空是蓝色的")
    assert (decision.stage, decision.hint) == ("model", "已转交AI模型深度理解")
    assert decided(policy, "why is the sky blue").hint == "passed on to an AI model for a closer look"
    assert decided(policy, "为什么天空是蓝色的", "quiet").hint is None
    assert decided(policy, "为什么天空是蓝色的", "medium").hint is None
    assert decided(policy, "你好").hint is None and decided(policy, "3*(4+5)").hint is None


@pytest.mark.parametrize("about", [{"tools": True}, {"structured": True}])
def test_what_a_canned_action_cannot_be(policy: Policy, about: dict[str, Any]) -> None:
    assert decided(policy, "帮我画一只猫", **about).rule is None


def test_without_such_actions_nothing_degrades(tmp_path) -> None:
    plain = policy_of(tmp_path, {key: value for key, value in CONFIG.items() if key != "actions"})
    assert plain.degrades == {}
    for text in ("帮我画一只猫", "3*(4+5)"):
        decision = decided(plain, text)
        assert (decision.stage, decision.rule, decision.error) == ("model", None, None)


def test_a_model_named_directly_is_left_alone(policy: Policy) -> None:
    assert decided(policy, "帮我画一只猫", "medium").rule is None
