"""One rule less, and near misses: against policies compiled anew."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offline.small_log import FLEET, policy
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request, Turn
from pointsman.offline.audit.near import Probes, near_misses
from pointsman.offline.audit.sample import Asked, QuestionSample
from pointsman.offline.audit.without import Instead, Policies
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

WORDS = [
    "vpn",
    "broken",
    "坏了",
    "holiday",
    "salary",
    "prove",
    "printer",
    "password",
    "lunch",
    "xylophone",
    "the",
    "今天",
]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> PolicyDocument:
    return policy(tmp_path_factory.mktemp("policy")).document


def request_of(text: str, model: str = "auto", user: str | None = None) -> Request:
    return Request("r", "chat", model, (Turn("user", text),), user=user)


@pytest.fixture(scope="module")
def plain(document: PolicyDocument) -> dict[str, Policy]:
    return {
        rule.id: Policy(msgspec.structs.replace(document, rules=tuple(r for r in document.rules if r is not rule)))
        for rule in document.rules
    }


@pytest.fixture(scope="module")
def policies(document: PolicyDocument) -> Policies:
    return Policies(document, document.hash)


class TestWithout:
    @given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), user=st.sampled_from(["a", "b", "c", "d"]))
    def test_it_decides_as_the_policy_compiled_without_it(
        self, policies: Policies, plain: dict[str, Policy], words: list[str], user: str
    ) -> None:
        request = request_of(" ".join(words), user=user)
        for rule, without in plain.items():
            decision = decide(request, without, FLEET)
            taker = policies.without(rule, request, FLEET, None)
            if decision.stage == "l0":
                assert taker == Instead("rule", decision.rule or "")
            else:
                assert taker == Instead("target", decision.targets[0].target)

    def test_nowhere_to_go(self, policies: Policies) -> None:
        assert policies.without("vpn_broken", request_of("x", model="none"), FLEET, None).kind == "none"


class TestNear:
    @pytest.mark.parametrize(
        ("text", "lacking"),
        [
            ("my vpn is slow", [("vpn_broken", "how")]),
            ("it is slow", []),
            ("the vpn is broken", []),
            ("broken", [("vpn_broken", "what")]),
        ],
    )
    def test_exactly_one_group_is_missing(
        self, document: PolicyDocument, text: str, lacking: list[tuple[str, str]]
    ) -> None:
        assert Probes(document).lacking(request_of(text)) == lacking

    def test_excludes_conditions_and_negation_are_heeded(self, tmp_path: Path) -> None:
        rules = """
- id: move
  when: {all: [{any: [export]}, {any: [report]}, {any: [pdf]}], none: [how], tokens: {max: 8}}
  answer: done
  examples: [export report pdf]
  counter_examples: [report]
  boundary: [{text: export report, takes: false}]
"""
        probes = Probes(policy(tmp_path, rules).document)
        assert probes.lacking(request_of("export the report")) == [("move", "all3")]
        assert probes.lacking(request_of("report as pdf")) == [("move", "all1")]
        for text in ("how to export the report", "don't export the report", "report", "export the report " + "x " * 20):
            assert probes.lacking(request_of(text)) == []

    def test_the_most_frequent_first(self, document: PolicyDocument) -> None:
        several = []
        for text, count in (("vpn a", 2), ("vpn b", 5), ("broken", 1), ("else", 9)):
            asked = Asked(request_of(text))
            asked.count, asked.ids = count, [text]
            several.append(asked)
        first, second = near_misses(document, several)
        assert (first.rule, first.group, first.requests, first.questions) == ("vpn_broken", "how", 7, 2)
        assert first.texts == ("vpn b", "vpn a") and first.ids == ("vpn b", "vpn a")
        assert (second.group, second.requests) == ("what", 1)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=300), st.integers(1, 40))
def test_a_sample_counts_all_requests_of_those_it_keeps(essences: list[int], most: int) -> None:
    sample = QuestionSample(most, all_ids=True)
    essences = essences + essences[::2]
    for number, essence in enumerate(essences):
        if sample.wants(essence):
            asked = sample.known(essence) or sample.begin(essence, request_of(str(essence)))
            sample.note(asked, str(number))
    assert len(sample) <= most
    bound = sample.share * 2**64
    kept = {essence for essence in essences if essence < bound}
    assert len(sample) == len(kept)
    for asked in sample:
        essence = int(asked.request.question or "")
        assert asked.count == essences.count(essence) == len(asked.ids)
