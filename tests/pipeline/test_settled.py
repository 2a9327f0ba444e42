"""An answer that is kept is the one that would be decided anew."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.deciding import Deciding
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.settled import Settled, key_of
from pointsman.ports.clock import SystemClock

FLEETS = [
    fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512),
    fleet(small=32, middle=32, big=32, spare=32, far=32, embed=512),
]
TEXTS = [
    "My VPN is broken",
    "公司的VPN坏了",
    "What is my salary",
    "open a ticket",
    "shutdown now",
    "bomb",
    "",
    " ",
    "导出昨天的报表",
]
DECIDES_NOTHING = {"id", "now", "stream", "traceparent"}
"""Fields of a request that no rule's answer looks at."""
LOOKED_AT = {"turns", "files"}
"""Those whose form `key_of` asks for."""


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def decided(request: Request, policy: Policy, snapshot: Snapshot, settled: Settled | None) -> Any:
    return Deciding(request, policy, snapshot, SystemClock(), settled=settled).now()


requests = st.builds(
    lambda text, model, more: msgspec.structs.replace(ask(text, model), **more),
    st.sampled_from(TEXTS),
    st.sampled_from(["auto", "big"]),
    st.fixed_dictionaries(
        {},
        optional={
            "caller_role": st.sampled_from(["admin", "guest"]),
            "accept_language": st.sampled_from(["zh", "en"]),
            "tools": st.booleans(),
            "structured": st.booleans(),
            "task": st.sampled_from(["greeting", "math"]),
            "turns": st.just((Turn("assistant", "Which one?"), Turn("user", "bomb"))),
            "user": st.sampled_from(["a", "b"]),
        },
    ),
)


@given(st.lists(st.tuples(requests, st.sampled_from(FLEETS)), max_size=12))
def test_what_is_kept_is_what_would_be_decided(policy: Policy, asked: list[tuple[Request, Snapshot]]):
    settled = Settled(policy)
    for request, snapshot in asked:
        for _ in range(2):
            assert decided(request, policy, snapshot, settled) == decide(request, policy, snapshot)


def test_an_answer_is_kept_and_a_report_or_a_route_is_not(policy: Policy):
    settled, fresh = Settled(policy), FLEETS[0]
    for text, kept in (
        ("My VPN is broken", True),
        ("What is my salary", True),
        ("导出昨天的报表", False),
        ("hm", False),
    ):
        key = key_of(ask(text))
        assert key is not None
        first = decided(ask(text), policy, fresh, settled)
        assert settled.get(key, fresh) is (first if kept else None)
        assert settled.get(key, FLEETS[1]) is None


@pytest.mark.parametrize("field", sorted(set(Request.__struct_fields__) - DECIDES_NOTHING - LOOKED_AT))
def test_every_field_tells_requests_apart(field: str):
    request = ask("bomb")
    other = msgspec.structs.replace(request, **{field: object()})
    assert key_of(request) != key_of(other)


@pytest.mark.parametrize(
    "turns",
    [
        (Turn("user", "x" * 33),),
        (Turn("user", "x", 1),),
        (Turn("assistant", "x"),),
        (Turn("system", "x"), Turn("user", "x")),
        (),
    ],
)
def test_what_is_not_short_and_alone_is_not_kept(turns: tuple[Turn, ...]):
    assert key_of(msgspec.structs.replace(ask("x"), turns=turns)) is None
