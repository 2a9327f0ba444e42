"""Chunks that come with a request reach the action that takes them, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from framing.product_messages import LEARNED, MESSAGES
from pipeline.policies import ask, backend, fleet, policy_of, tiers
from pointsman.domain.decision import Decision
from pointsman.domain.intent import Heard, Hearing
from pointsman.domain.request import Request, Turn
from pointsman.pipeline.acting import HIDDEN, shown
from pointsman.pipeline.came_with import chunks_in
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

RULES = """
- id: unlock
  when: {any: [锁, locked]}
  action: unlock
  examples: [账号被锁了]
  counter_examples: [你好]
  boundary: [{text: 时钟, takes: false}]
- id: fixed
  when: {any: [固定]}
  action: unlock
  parameters: {chunks: [SLA 3 hours]}
  examples: [固定]
  counter_examples: [你好]
  boundary: [{text: 不定, takes: false}]
- id: other
  when: {any: [打印机]}
  action: other
  examples: [打印机]
  counter_examples: [你好]
  boundary: [{text: 打字, takes: false}]
"""
CONFIG: dict[str, Any] = {
    "models": tiers(medium=[backend("m")]),
    "fallback": {"target": "medium"},
    "rules": {"packs": [], "files": ["rules.yaml"]},
    "actions": {
        "unlock": {"extract": {"schema": {"sla": {"x-kind": "duration"}}}},
        "other": {"generate": {"prompt": "{question}"}},
    },
}


def policy(folder: Path) -> Policy:
    return policy_of(folder, CONFIG, {"rules.yaml": RULES})


def framed(
    question: str, context: str = '<source id="7" name="a.pdf">SLA: 2 hours</source>\n<source id="9">x</source>'
) -> str:
    return MESSAGES["open-webui"].replace("{context}", context).replace("{question}", question)


def decided(request: Request, folder: Path) -> Decision:
    return decide(request, policy(folder), fleet(m=8192))


def test_a_rule_of_the_question_gives_the_chunks_beside_it(tmp_path: Path) -> None:
    decision = decided(ask(framed("my account is locked")), tmp_path)
    assert decision.action == "unlock" and decision.parameters == {
        "question": "my account is locked",
        "chunks": [{"id": "7", "text": "SLA: 2 hours"}, {"id": "9", "text": "x"}],
    }
    seen = shown(decision, policy(tmp_path).document.actions)
    assert seen.parameters == {"question": "my account is locked", "chunks": HIDDEN}


def test_what_a_rule_gives_goes_before_them(tmp_path: Path) -> None:
    decision = decided(ask(framed("固定")), tmp_path)
    assert decision.parameters["chunks"] == ["SLA 3 hours"]


def test_other_actions_get_none(tmp_path: Path) -> None:
    assert decided(ask(framed("打印机")), tmp_path).parameters == {"question": "打印机"}
    assert "chunks" not in decided(ask("账号被锁了"), tmp_path).parameters
    assert decided(ask(framed("something else")), tmp_path).parameters == {}


def test_system_messages_hold_some_too(tmp_path: Path) -> None:
    turns = (
        Turn("system", LEARNED.replace("{context}", "SLA: 2 hours\n\nSecond")),
        Turn("user", framed("old", "stale")),
        Turn("assistant", "yes"),
        Turn("user", "my account is locked"),
    )
    request = Request("r", "chat", "auto", turns)
    decision = decided(request, tmp_path)
    assert [chunk["text"] for chunk in decision.parameters["chunks"]] == ["SLA: 2 hours", "Second"]
    both = msgspec.structs.replace(request, turns=(turns[0], Turn("user", framed("账号被锁了", "Third"))))
    assert [(chunk["id"], chunk["text"]) for chunk in decided(both, tmp_path).parameters["chunks"]] == [
        ("1", "SLA: 2 hours"),
        ("2", "Second"),
        ("3", "Third"),
    ]


def test_an_answer_to_a_question_of_ours_is_about_the_chunks_before_it(tmp_path: Path) -> None:
    turns = (Turn("user", framed("old", "first")), Turn("assistant", "which?"), Turn("user", "the second one"))
    request = Request("r", "chat", "auto", turns)
    assert chunks_in(request, policy(tmp_path)) == []
    assert chunks_in(request, policy(tmp_path), asked=1) == [{"id": "1", "text": "first"}]
    assert chunks_in(request, policy(tmp_path), asked=5) == []


def test_what_is_cut_says_so(tmp_path: Path) -> None:
    chunks = chunks_in(ask(framed("locked", "x y " * 30_000)), policy(tmp_path))
    assert len(chunks) == 1 and chunks[0]["cut"] is True and len(chunks[0]["text"]) <= 100_000


def test_an_intent_of_the_arbiter_gives_them_too_also_after_a_question_of_ours(tmp_path: Path) -> None:
    intents = {
        "account_unlock": {"about": {"en": "Unlock an account", "zh": "账号解锁"}, "action": "unlock"},
        "other": {"about": {"en": "Something else", "zh": "别的"}, "action": "other"},
    }
    more = {"entries": {"auto": {"arbiter": "embedded"}}, "arbiter": {"intents": intents, "shipped": False}}
    made = policy_of(tmp_path, CONFIG | more, {"rules.yaml": RULES})

    def heard(sure: float) -> Hearing:
        scores = (("account_unlock", 0.6), ("other", 0.3))
        return Hearing(
            first=Heard(arbiter="embedded", model="m", scores=scores, intent="account_unlock", confidence=sure)
        )

    first = framed("I cannot get in any more")
    decision = decide(ask(first), made, fleet(m=8192), hearing=heard(0.95))
    assert (decision.stage, decision.action) == ("l1", "unlock")
    assert [chunk["id"] for chunk in decision.parameters["chunks"]] == ["7", "9"]
    question = decide(ask(first), made, fleet(m=8192), hearing=heard(0.4)).clarification
    assert question is not None
    turns = (Turn("user", first), Turn("assistant", question), Turn("user", "1"))
    answered = decide(Request("r", "chat", "auto", turns), made, fleet(m=8192))
    assert (answered.stage, answered.action, answered.asked) == ("l1", "unlock", 1)
    assert answered.parameters["chunks"] == decision.parameters["chunks"]
    assert answered.parameters["question"] == "I cannot get in any more"
