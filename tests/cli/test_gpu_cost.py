"""What actions take on the GPU: measured around a request, or said why not."""

from __future__ import annotations

import time
from typing import Any

import pytest

from cli.invoke import Shell
from pointsman.cli import gpu_cost
from pointsman.cli.gateway_client import ChatReply, Unreachable
from pointsman.cli.gpu_cost import GpuCost, gpu_costs
from pointsman.domain.rule import Rule
from pointsman.rules import parse_rules

MB = 1 << 20


class Card:
    """Bytes in use, as if a model took some while it is asked."""

    def __init__(self) -> None:
        self.used = 6000 * MB


def rule(name: str, **more: Any) -> Rule:
    data = {"id": name, "when": {"any": [name]}, "route": {"tier": "heavy"}, "examples": [name], **more}
    return parse_rules([data], pack="p")[0]


def asked(card: Card, takes: dict[str, int]) -> Any:
    def ask(text: str) -> ChatReply:
        if text == "gone":
            raise Unreachable("http://127.0.0.1:1", "refused")
        card.used += takes.get(text, 0) * MB
        time.sleep(0.1)
        card.used -= takes.get(text, 0) * MB
        status = 503 if text == "down" else 200
        return ChatReply(status, "no target", "model", "other" if text == "stolen" else text, "", "", "r", 0.1)

    return ask


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_cost, "REST", 0.05)
    monkeypatch.setattr(gpu_cost, "EVERY", 0.005)


def test_the_worst_moment_counts() -> None:
    card = Card()
    rules = [rule("small", gpu_memory=0), rule("large", gpu_memory=200), rule("wide", gpu_memory=241), rule("open")]
    found = list(gpu_costs(rules, card, asked(card, {"large": 240, "wide": 240, "open": 7})))  # type: ignore[arg-type]
    assert [(cost.rule, cost.declared, cost.megabytes, cost.holds) for cost in found] == [
        ("small", 0, 0, True),
        ("large", 200, 240, False),
        ("wide", 241, 240, True),
        ("open", None, 7, True),
    ]


def test_what_cannot_be_measured_says_why() -> None:
    card = Card()
    rules = [
        rule("stolen"),
        rule("gone"),
        rule("down"),
        rule("bare", examples=[{"text": "bare", "turn": 2}]),
        rule("trial", mode="shadow"),
        parse_rules([{"id": "m", "when": {"any": ["m"]}, "mark": {"label": "x"}, "examples": ["m"]}], pack="p")[0],
    ]
    found = list(gpu_costs(rules, card, asked(card, {})))  # type: ignore[arg-type]
    assert [(cost.rule, cost.megabytes) for cost in found] == [
        ("stolen", None), ("gone", None), ("down", None), ("bare", None),
    ]  # fmt: skip
    for cost, part in zip(found, ("to other", "refused", "no target", "without circumstances"), strict=True):
        assert cost.why is not None and part in cost.why


def test_the_verb_without_a_gpu(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from pointsman.cli import test as verb
    from pointsman.domain.said import said
    from pointsman.fleet.gpu import NoGpu

    def none() -> Any:
        raise NoGpu(said("NVML says: not found", "NVML 报告：找不到"))

    monkeypatch.setattr(verb, "gpus", none)
    done = shell.run("test", "--measure", "--language", "en")
    assert done.code == 1 and "nothing can be measured: NVML says: not found" in done.err
    assert "无法测量：NVML 报告：找不到" in shell.run("test", "--measure", "--language", "zh").err


def test_the_verb_shows_what_it_measured(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from pointsman.cli import test as verb

    monkeypatch.setattr(verb, "_measured", lambda rules, url: [GpuCost("a", 10, 12), GpuCost("b", None, 3)])
    done = shell.run("test", "--measure", "--language", "en")
    assert done.code == 1 and "more than the rule says" in done.out
    assert '"gpu_memory":[{"rule":"a","declared":10,"megabytes":12' in shell.run("test", "--measure", "--json").out
