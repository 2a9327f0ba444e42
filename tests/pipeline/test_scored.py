"""Scores in decisions: who is asked, what is said of it, and what becomes of requests that no target can serve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.policies import ask, backend, fleet, policy_of, tiers
from pointsman.domain.decision import Decision
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, Load, ModelFacts, Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.pipeline.scored import loads_of

SMALL, LARGE, FAR = "m-3b@m-3b", "m-32b@m-32b", "m-70b@m-70b"
FLEET = fleet(**{"m-3b": 2048, "m-32b": 8192, "m-70b": 100_000})


def made(folder: Path, **config: Any) -> Policy:
    models = tiers(
        light=[backend("m-3b")],
        heavy=[backend("m-32b"), backend("e", embedding=True, engine="embedded", base_url=None)],
    )
    models["far"] = {"backends": [backend("m-70b", external=True)]}
    entries = {"auto": {"policy": "interactive"}, "open": {"policy": "interactive", "keep_local": False}, "plain": {}}
    return policy_of(folder, {"models": models, "entries": entries, "rules": {"packs": []}, **config})


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return made(tmp_path_factory.mktemp("scored"))


def names(decision: Decision) -> list[str]:
    return [choice.target for choice in decision.targets]


def test_all_models_that_chat_and_may_serve_it_are_scored(policy: Policy) -> None:
    decision = decide(ask("How do trains brake?"), policy, FLEET)
    assert sorted(names(decision)) == [LARGE, SMALL]
    assert decision.scored == "interactive"
    assert [choice.target for choice in decision.left_out] == [FAR]
    assert sorted(names(decide(ask("How do trains brake?", "open"), policy, FLEET))) == [LARGE, SMALL, FAR]
    assert decide(ask("How do trains brake?", "plain"), policy, FLEET).scored is None
    assert decide(ask("How do trains brake?", "heavy"), policy, FLEET).scored is None


def test_a_prompt_that_only_one_holds(policy: Policy) -> None:
    decision = decide(ask("train " * 4000), policy, FLEET)
    assert names(decision) == [LARGE]
    assert {choice.target for choice in decision.left_out} == {SMALL, FAR}


def test_nobody_can_serve_it(policy: Policy, tmp_path: Path) -> None:
    too_long = decide(ask("train " * 12_000), policy, FLEET)
    assert (too_long.rule, too_long.scored) == ("guard.length", None)
    far = tiers(far=[backend("m-70b", external=True)])
    closed = policy_of(tmp_path, {"models": far, "entries": {"auto": {"policy": "batch"}}, "rules": {"packs": []}})
    assert decide(ask("hello there, what is up?"), closed, FLEET).error == "keep_local"


def test_what_is_down_comes_last_whatever_it_scores(policy: Policy) -> None:
    states = [
        BackendState(SMALL, "down", ModelFacts(context_length=2048), "gone"),
        BackendState(LARGE, "up", ModelFacts(context_length=8192)),
    ]
    decision = decide(ask("How do trains brake?"), policy, Snapshot.of(states))
    assert names(decision) == [LARGE, SMALL]
    assert (decision.targets[1].score or 0.0) > (decision.targets[0].score or 0.0)
    left = decide(ask("How do trains brake?"), policy, Snapshot.of(states), last=SMALL)
    assert left.reason.endswith(f"the session leaves {SMALL}, which is not available now")


def test_a_route_pins_and_scores_order_what_it_names(tmp_path: Path) -> None:
    models = tiers(light=[backend("m-3b")], heavy=[backend("m-32b"), backend("m-30b")])
    route = {"name": "r", "match": {"keywords": "trains"}, "target": "heavy"}
    entries = {"auto": {"policy": "interactive"}}
    config = {"models": models, "routes": [route], "entries": entries, "rules": {"packs": []}}
    policy = policy_of(tmp_path, {**config, "fallback": {"target": "light"}})
    decision = decide(ask("How do trains brake?"), policy, Snapshot.of(()))
    assert names(decision) == ["m-30b@m-30b", "m-32b@m-32b", SMALL]
    assert [choice.why for choice in decision.targets] == ["route r", "route r", "fallback"]
    assert names(decide(ask("How do ships brake?"), policy, Snapshot.of(())))[0] == SMALL


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_reason_names_the_terms(policy: Policy, tongue: Any) -> None:
    decision = decide(ask("How do trains brake?"), policy, FLEET, tongue=tongue)
    first, second = decision.targets
    for choice in (first, second):
        assert choice.target in decision.reason and f"{choice.score:.3f}" in decision.reason
    assert ("usual for its size" if tongue == "en" else "按模型规模估计") in decision.reason
    assert ("policy interactive" if tongue == "en" else "策略 interactive") in decision.reason


def test_loads_are_kept_and_decide_again_the_same(policy: Policy) -> None:
    request = Request(
        "r", "chat", "auto", (Turn("user", "a"), Turn("assistant", "b"), Turn("user", "How do trains brake?"))
    )
    loads = {SMALL: Load(4, 12.5), LARGE: Load(1, 0.0)}
    decision = decide(request, policy, FLEET, loads=loads, last=LARGE, seed=3)
    assert loads_of(decision) == loads
    assert decision.last == LARGE
    assert names(decision)[0] == LARGE
    assert recomputed(request, decision, policy, FLEET, None) == decision
    assert names(decide(request, policy, FLEET, last=SMALL))[0] == SMALL
