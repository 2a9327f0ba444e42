"""What rules note on their way to a decision, which part of a message they look at, and time that runs out."""

from __future__ import annotations

import msgspec
import pytest

from pipeline.policies import ask, backend, fleet, policy_of, tiers
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request, Turn
from pointsman.pipeline.decide import decide, only
from pointsman.pipeline.policy import Policy

RULES = """
- id: destroys
  priority: 900
  negation: ignore
  when: {all: [{extract: sql, of: destructive}], in: message}
  mark: {label: sql.destructive, risk: high}
  examples: ["DROP TABLE users;"]
  counter_examples: [drop me a line]
  boundary: [{text: "DELETE FROM users WHERE id = 3", takes: false}]
- id: mails
  priority: 890
  when: {all: [{extract: email}]}
  mark: {label: pii.email, risk: medium}
  examples: [a@example.com]
  counter_examples: [a at example]
  boundary: [{text: a@example, takes: false}]
- id: trial
  priority: 80
  mode: shadow
  when: {any: [hours, orders]}
  answer: From nine to five.
  examples: [hours]
  counter_examples: [days]
  boundary: [{text: hour, takes: false}]
- id: hours
  when: {any: [hours]}
  answer: {zh: 九点到五点。, en: From nine to six.}
  examples: [hours]
  counter_examples: [days]
  boundary: [{text: hour, takes: false}]
- id: small
  when: {any: [orders], tokens: {max: 5}, source: shop}
  route: {tier: tiny, optional: true}
  examples: [orders]
  counter_examples: [days]
  boundary: [{text: order, takes: false}]
"""
WRAPPED = "Use the following pieces of context to answer\n\n{context}\n\nQuestion: {question}\nHelpful Answer:"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    config = {
        "models": tiers(medium=[backend("middle")]),
        "rules": {"packs": [], "files": ["rules.yaml"]},
        "questions": {"frames": [{"name": "desk", "template": "[facts]\n{context}\n[asks]\n{question}"}]},
    }
    return policy_of(tmp_path_factory.mktemp("noted"), config, {"rules.yaml": RULES})


def decided(policy: Policy, text: str, **about: object) -> Decision:
    return decide(ask(text, **about), policy, fleet(middle=8000))


def test_marks_are_told_with_their_place_and_the_highest_risk(policy: Policy) -> None:
    text = "DROP TABLE users; then tell a@example.com the hours"
    decision = decided(policy, text)
    assert (decision.rule, decision.risk) == ("hours", "high")
    assert [(mark.rule, mark.label, mark.risk) for mark in decision.marks] == [
        ("destroys", "sql.destructive", "high"),
        ("mails", "pii.email", "medium"),
    ]
    assert [text[match.start : match.end] for match in decision.marks[1].matched] == ["a@example.com"]
    assert decided(policy, "tell a@example.com").risk == "medium"
    assert decided(policy, "hello").risk == "low"


def test_a_request_that_goes_to_a_model_is_marked_too(policy: Policy) -> None:
    decision = decided(policy, "run DROP TABLE users;")
    assert (decision.stage, decision.risk, decision.targets[0].target) == ("model", "high", "middle@middle")


def test_what_a_shadow_would_have_taken(policy: Policy) -> None:
    assert (decided(policy, "hours").shadow, decided(policy, "hours").rule) == (("trial",), "hours")
    assert decided(policy, "orders").stage == "model" and decided(policy, "orders").shadow == ("trial",)


@pytest.mark.parametrize("frame", [WRAPPED, "[facts]\n{context}\n[asks]\n{question}"])
def test_only_the_question_in_a_frame_is_looked_at(policy: Policy, frame: str) -> None:
    plain = frame.format(context="Our hours: see a@example.com.", question="What is the capital of France?")
    decision = decided(policy, plain)
    assert decision.stage == "model" and not decision.marks and decision.framed is not None
    text = frame.format(context="DROP TABLE x", question="what are your hours")
    decision = decided(policy, text)
    assert decision.rule == "hours" and decision.framed is not None
    assert text[decision.framed.start : decision.framed.end] == "what are your hours"
    assert [text[match.start : match.end] for match in decision.matched] == ["hours"]
    assert [mark.label for mark in decision.marks] == ["sql.destructive"], "this one looks at the whole message"
    assert text[decision.marks[0].matched[0].start :].startswith("DROP TABLE x")
    assert decision.features is not None and decision.features.question_tokens < 10 < decision.features.input_tokens


def test_an_optional_tier_that_is_not_there_is_not_said(policy: Policy) -> None:
    decision = decided(policy, "orders", source="shop")
    assert decision.rule == "small" and decision.targets[0].target == "middle@middle"
    assert decided(policy, "orders", source="web").rule is None


def test_time_that_runs_out_is_told_and_computed_again(policy: Policy) -> None:
    request = ask("DROP TABLE users; hours")
    whole = decide(request, policy, fleet(middle=8000), spent=lambda looked: False)
    assert whole.rule == "hours" and whole.rules_cut is None
    cut = decide(request, policy, fleet(middle=8000), spent=lambda looked: looked >= 1)
    assert (cut.stage, cut.rule, cut.rules_cut, cut.risk) == ("model", None, 1, "high")
    assert "after 1 of them" in cut.reason
    assert decide(request, policy, fleet(middle=8000), spent=only(cut.rules_cut)) == cut


def test_the_document_of_such_a_policy_is_the_same_after_a_journey(policy: Policy) -> None:
    again = msgspec.msgpack.decode(policy.document.encode(), type=PolicyDocument)
    assert again == policy.document and Policy(again).hash == policy.hash
    assert decide(ask("hours"), Policy(again), fleet(middle=8000)) == decided(policy, "hours")


def test_no_question_no_frame(policy: Policy) -> None:
    turns = (Turn("user", "hours"), Turn("assistant", "x"), Turn("tool", "[facts]\nx\n[asks]\nhours"))
    decision = decide(Request("r", "chat", "auto", turns), policy, fleet(middle=8000))
    assert decision.framed is None and decision.rule is None
