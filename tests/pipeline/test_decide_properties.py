"""`decide` is a pure function: whatever comes in, the same comes out, and nothing that came in is changed."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.policies import CONFIG, FILES, backend, policy_of, tiers, up
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.domain.task_types import TASK_TYPES
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from thorough import tries

NAMES = ["auto", "bare", "open", "light", "model-heavy", "big", "far", "cloud", "embed"]
TARGETS = ["small@small", "middle@middle", "big@big", "spare@spare", "far@far", "embed@embed"]
WORDS = [
    *(
        "vpn broken",
        "VPN 坏了",
        "salary",
        "my sql",
        "prove",
        "exactly",
        "导出昨天的报表",
        "ticket",
        "shutdown",
        "bomb",
        "hi",
    ),
    *("", "  ", "好" * 3000, "word " * 9000, "不要", "写一首诗", "What is 2+2?", "{question}", "\x00", "👍"),
]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


texts = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join) | st.text(max_size=40)
turns = st.builds(
    Turn,
    st.sampled_from(["user", "user", "assistant", "system", "developer", "tool", "input"]),
    texts,
    st.sampled_from([0, 0, 0, 1]),
    st.booleans(),
)
requests = st.builds(
    Request,
    st.just("r1"),
    st.sampled_from(["chat", "chat", "chat", "completions", "embeddings", "rerank"]),
    st.sampled_from(NAMES),
    st.lists(turns, max_size=4).map(tuple),
    stream=st.booleans(),
    tools=st.booleans(),
    tool_characters=st.sampled_from([0, 100, 20_000]),
    structured=st.booleans(),
    task=st.none() | st.sampled_from(TASK_TYPES),
    caller_role=st.sampled_from([None, "admin"]),
    accept_language=st.sampled_from([None, "zh-CN", "en"]),
)
states = st.builds(
    up,
    st.sampled_from([*TARGETS, "stranger@nowhere"]),
    st.sampled_from([None, 17, 512, 4096, 32_768]),
    st.sampled_from(["up", "unknown", "loading", "down"]),
)
snapshots = st.lists(states, unique_by=lambda state: state.target, max_size=6).map(Snapshot.of)


@settings(max_examples=tries(45, 150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests, snapshots, st.integers(0, 9), st.none() | st.integers(0, 40_000))
def test_the_same_arguments_give_the_same_decision(
    policy: Policy, request_: Request, snapshot: Snapshot, seed: int, exact: int | None
) -> None:
    before = (copy.deepcopy(request_), policy.document.encode(), copy.deepcopy(snapshot))
    first = decide(request_, policy, snapshot, seed=seed, exact_tokens=exact)
    frozen = msgspec.json.encode(first)
    decide(Request("other", "chat", "auto", (Turn("user", "vpn broken prove"),)), policy, snapshot)
    again = decide(
        copy.deepcopy(request_), policy, Snapshot.of(reversed(snapshot.states)), seed=seed, exact_tokens=exact
    )
    assert again == first
    assert msgspec.json.encode(again) == frozen == msgspec.json.encode(first)
    assert (request_, policy.document.encode(), snapshot) == before
    _is_sound(first, request_, policy, snapshot, exact)


def _is_sound(decision: Decision, request: Request, policy: Policy, snapshot: Snapshot, exact: int | None) -> None:
    assert decision.reason
    assert decision.features is not None
    assert (decision.policy, decision.snapshot) == (policy.hash, snapshot.hash)
    names = [choice.target for choice in decision.targets]
    left = [choice.target for choice in decision.left_out]
    assert len({*names, *left}) == len(names) + len(left)
    assert {*names, *left} <= set(policy.targets)
    for match in decision.matched:
        assert (request.question or "")[match.start : match.end] == match.text
    if decision.stage == "l0":
        assert (names, decision.error) == ([], None)
        assert decision.rule
        assert decision.action not in (None, "route")
        assert decision.parameters["text"]
    else:
        assert decision.action in (None, "route")
        assert (decision.action is None) == (decision.rule is None)
        assert bool(names) != bool(decision.error)
    tokens = decision.features.input_tokens
    entry = policy.entries.get(request.model)
    for name in names:
        context = snapshot.state(name).facts.context_length
        assert context is None or tokens + 16 <= context
        assert not policy.targets[name].external or (entry is not None and not entry.keep_local)
    assert decision.features.exact is (exact is not None)


@settings(max_examples=tries(9, 30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests, snapshots, st.integers(0, 99))
def test_the_seed_is_only_noted(policy: Policy, request_: Request, snapshot: Snapshot, seed: int) -> None:
    plain, seeded = decide(request_, policy, snapshot), decide(request_, policy, snapshot, seed=seed)
    assert msgspec.structs.replace(seeded, seed=0) == plain


@settings(max_examples=tries(9, 30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests, snapshots)
def test_what_decides_not_is_not_looked_at(policy: Policy, request_: Request, snapshot: Snapshot) -> None:
    other = msgspec.structs.replace(
        request_, id="r2", stream=not request_.stream, caller="bob", session="s", max_output=1
    )
    assert decide(request_, policy, snapshot) == decide(other, policy, snapshot)


def test_a_name_that_is_nothing_is_an_error_and_no_decision(policy: Policy) -> None:
    with pytest.raises(PointsmanError):
        decide(Request("i", "chat", "nobody", (Turn("user", "hi"),)), policy, Snapshot.of([]))


@pytest.mark.parametrize("change", ["fallback", "routes", "entries", "models"])
def test_another_policy_has_another_hash(tmp_path_factory: pytest.TempPathFactory, change: str) -> None:
    base: dict[str, Any] = {"models": tiers(light=[backend("small")], heavy=[backend("big")]), "rules": {"packs": []}}
    changes: dict[str, Any] = {
        "fallback": {"target": "heavy"},
        "routes": [{"name": "r", "target": "heavy"}],
        "entries": {"auto": {"keep_local": False}},
        "models": tiers(light=[backend("small")], heavy=[backend("bigger")]),
    }
    first, same, other = (
        policy_of(tmp_path_factory.mktemp("policy"), config)
        for config in (base, base, {**base, change: changes[change]})
    )
    assert first.hash == same.hash != other.hash


def test_a_secret_or_an_address_is_no_part_of_the_policy(tmp_path_factory: pytest.TempPathFactory) -> None:
    config = {"models": tiers(light=[backend("small", api_key="sk-123456", base_url="http://10.9.8.7:1/v1")])}
    document = policy_of(tmp_path_factory.mktemp("policy"), config).document.encode()
    assert b"sk-123456" not in document
    assert b"10.9.8.7" not in document
