"""Which requests go to the second best target, and when none does."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from pipeline.policies import ask, backend, fleet, policy_of, tiers, up
from pointsman.domain.decision import TargetChoice
from pointsman.domain.target import BackendState, Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.routing.explore import explored, uniform

FIRST, SECOND, THIRD = (TargetChoice(name, "policy x", score) for name, score in (("a", 0.3), ("b", 0.2), ("c", 0.1)))
UP = Snapshot.of([up("a"), up("b"), up("c")])


def test_the_share_of_seeds_is_the_share() -> None:
    found = Counter(explored((FIRST, SECOND, THIRD), UP, 0.1, seed) for seed in range(20_000))
    assert set(found) == {None, (SECOND, FIRST, THIRD)} and 1850 < found[SECOND, FIRST, THIRD] < 2150
    assert all(0.0 <= uniform(seed) < 1.0 for seed in (0, 1, 2**32 - 1, 2**64 - 1))


@pytest.mark.parametrize(
    "targets",
    [(), (FIRST,), (FIRST, TargetChoice("b", "policy x")), (FIRST, TargetChoice("b", "fallback", 0.2))],
)
def test_there_must_be_two_that_were_scored_for_the_same_reason(targets: tuple[TargetChoice, ...]) -> None:
    assert all(explored(targets, UP, 0.5, seed) is None for seed in range(50))


@pytest.mark.parametrize(
    "state", [up("b", health="down"), up("b", health="loading"), BackendState("b", "up", breaker="open")]
)
def test_the_second_must_be_up(state: BackendState) -> None:
    snapshot = Snapshot.of([up("a"), state])
    assert all(explored((FIRST, SECOND), snapshot, 0.5, seed) is None for seed in range(50))


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    config = {
        "models": tiers(light=[backend("small")], heavy=[backend("large")]),
        "entries": {"auto": {"policy": "interactive"}},
        "quality": {"explore": 0.2},
    }
    return policy_of(tmp_path_factory.mktemp("explore"), config)


def test_a_decision_says_so_and_is_computed_again_alike(policy: Policy) -> None:
    snapshot = fleet(small=4096, large=4096)
    first: Counter[str] = Counter()
    for number in range(100):
        request = msgspec.structs.replace(ask("how do tides work"), id=f"r{number}")
        decision = decide(request, policy, snapshot, seed=policy.seed_of(request))
        assert recomputed(request, decision, policy, snapshot, None) == decision
        explores = "goes first this time" in decision.reason
        assert explores == ((decision.targets[0].score or 0) < (decision.targets[1].score or 0))
        first[decision.targets[0].target] += 1
    assert len(first) == 2 and 5 <= min(first.values()) <= 40
    chinese = [decide(ask("how do tides work"), policy, snapshot, seed=seed, tongue="zh").reason for seed in range(30)]
    assert any("这次先用它" in reason for reason in chinese)
    again = msgspec.structs.replace(ask("and then"), id="x")
    stays = [decide(again, policy, snapshot, seed=seed, last="small@small") for seed in range(30)]
    assert len({decision.targets[0].target for decision in stays}) == 1, "a session is not moved for it"


def test_a_model_that_is_named_is_the_one(policy: Policy) -> None:
    request = ask("hi", "heavy")
    assert policy.seed_of(request) == 0
    assert decide(request, policy, fleet(small=4096, large=4096)).targets[0].target == "large@large"
