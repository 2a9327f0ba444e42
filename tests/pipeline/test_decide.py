"""The decision on a request, kind by kind."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, backend, fleet, policy_of, tiers, up
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.domain.wording import INSTALL
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def targets(decision: Decision) -> list[str]:
    return [choice.target.partition("@")[0] for choice in decision.targets]


class TestAnswersAndRefusals:
    def test_an_answer_in_the_language_of_the_question(self, policy: Policy) -> None:
        decision = decide(ask("My VPN is broken"), policy, FLEET)
        assert (decision.stage, decision.rule, decision.action) == ("l0", "vpn", "answer")
        assert decision.parameters == {"text": "Restart the VPN (broken); you wrote: My VPN is broken"}
        assert decide(ask("公司的VPN坏了"), policy, FLEET).parameters == {"text": "VPN 坏了：请重启。"}
        assert decision.targets == decision.left_out == ()
        assert decision.error is None

    def test_what_matched_is_the_text_that_the_user_wrote(self, policy: Policy) -> None:
        text = "ＶＰＮ 又坏了 vpn"
        decision = decide(ask(text), policy, FLEET)
        assert [(m.group, m.text) for m in decision.matched] == [("what", "ＶＰＮ"), ("how", "坏了")]
        assert all(text[m.start : m.end] == m.text for m in decision.matched)
        assert "ＶＰＮ" in decision.reason
        assert "vpn" in decision.reason

    def test_braces_of_the_user_are_no_slots(self, policy: Policy) -> None:
        decision = decide(ask("{how} vpn broken {question}"), policy, FLEET)
        assert decision.parameters["text"].endswith("you wrote: {how} vpn broken {question}")

    def test_a_refusal_says_why_and_what_to_do(self, policy: Policy) -> None:
        decision = decide(ask("What is my salary"), policy, FLEET)
        assert (decision.stage, decision.action) == ("l0", "refuse")
        assert decision.parameters == {"text": "Salaries are confidential. Ask HR.", "refused": True}
        assert decide(ask("我的工资是多少"), policy, FLEET).parameters["text"] == "工资是保密的。请问人事。"

    def test_an_action_that_is_defined(self, policy: Policy) -> None:
        decision = decide(ask("open a ticket"), policy, FLEET)
        assert (decision.stage, decision.action) == ("l0", "ticket")
        assert decision.parameters["text"] == "Ticket for: open a ticket"

    def test_an_action_that_nothing_provides_is_said_so(self, policy: Policy) -> None:
        decision = decide(ask("导出昨天的报表"), policy, FLEET)
        assert (decision.stage, decision.rule, decision.action) == ("l0", "export_pdf", "export_pdf")
        assert "export_pdf" in decision.parameters["text"]
        assert "没有执行" in decision.parameters["text"]
        assert decision.parameters["refused"] is True
        english = decide(ask("please export 昨天 PDF 报表 for all of us in the sales team"), policy, FLEET)
        assert "nothing was done" in english.parameters["text"]

    def test_a_rule_for_a_role(self, policy: Policy) -> None:
        assert decide(ask("shutdown now", caller_role="admin"), policy, FLEET).rule == "for_admins"
        assert decide(ask("shutdown now", caller_role="guest"), policy, FLEET).rule is None
        assert decide(ask("shutdown now"), policy, FLEET).rule is None


class TestNames:
    def test_an_entry_runs_its_packs_and_only_those(self, policy: Policy) -> None:
        assert decide(ask("bomb", "auto"), policy, FLEET).rule == "bomb"
        assert decide(ask("vpn broken", "auto"), policy, FLEET).rule == "vpn"
        assert decide(ask("bomb", "bare"), policy, FLEET).rule is None
        assert decide(ask("vpn broken", "bare"), policy, FLEET).rule is None
        assert decide(ask("bomb", "open"), policy, FLEET).rule is None

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("heavy", ["big", "spare"]),
            ("model-heavy", ["big", "spare"]),
            ("big", ["big"]),
            ("light", ["small"]),
            ("model-light", ["small"]),
        ],
    )
    def test_a_tier_an_alias_and_a_model_reach_their_targets(
        self, policy: Policy, name: str, expected: list[str]
    ) -> None:
        decision = decide(ask("write a sql query", name), policy, FLEET)
        assert (decision.stage, decision.rule) == ("model", None)
        assert targets(decision) == expected
        assert name in decision.reason

    def test_only_guards_stand_before_them(self, policy: Policy) -> None:
        for name in ("heavy", "model-heavy", "big"):
            assert decide(ask("vpn broken", name), policy, FLEET).stage == "model"
            guarded = decide(ask("a bomb", name), policy, FLEET)
            assert (guarded.stage, guarded.rule) == ("l0", "bomb")
            assert decide(ask(" ", name), policy, FLEET).rule == "guard.empty"

    @pytest.mark.parametrize("name", ["aut", "gpt-4", "", "AUTO", "heavy ", "x" * 5000, "big@big"])
    def test_an_unknown_name_lists_the_valid_ones(self, policy: Policy, name: str) -> None:
        with pytest.raises(PointsmanError) as caught:
            decide(ask("hi", name), policy, FLEET)
        error = caught.value
        assert (error.status, error.code, error.param) == (404, "model_not_found", "model")
        for valid in ("auto", "bare", "open", "light", "medium", "heavy", "model-light", "small", "big"):
            assert valid in error.message
        assert len(error.message) < 1000
        if name == "aut":
            assert 'did you mean "auto"' in error.message


class TestRouting:
    def test_a_route_then_the_fallback(self, policy: Policy) -> None:
        decision = decide(ask("qwertz", task="code_review"), policy, FLEET)
        assert targets(decision) == ["big", "spare", "middle"]
        assert [choice.why for choice in decision.targets] == ["route review", "route review", "fallback"]
        assert (decision.stage, decision.rule, decision.action) == ("model", None, None)
        assert decision.max_retries == 3
        assert "review" in decision.reason

    def test_no_route_goes_to_the_fallback(self, policy: Policy) -> None:
        decision = decide(ask("qwertz"), policy, FLEET)
        assert targets(decision) == ["middle"]
        assert "medium" in decision.reason

    def test_a_target_that_is_down_comes_last(self, policy: Policy) -> None:
        states = [up("big@big", 32_768, "down"), *(state for state in FLEET.states if state.target != "big@big")]
        decision = decide(ask("qwertz", task="code_review"), policy, Snapshot.of(states))
        assert targets(decision) == ["spare", "middle", "big"]
        assert "down" in decision.targets[-1].why

    def test_nothing_external_while_requests_stay_here(self, policy: Policy) -> None:
        decision = decide(ask("hi", "cloud"), policy, FLEET)
        assert (decision.error, decision.targets) == ("keep_local", ())
        assert [choice.target for choice in decision.left_out] == ["far@far"]
        assert "keep_local: false" in decision.reason

    def test_an_embedding_goes_to_an_embedding_model(self, policy: Policy) -> None:
        request = Request("i", "embeddings", "auto", (Turn("input", "bomb"),))
        decision = decide(request, policy, FLEET)
        assert (decision.stage, decision.rule, targets(decision)) == ("model", None, ["embed"])
        named = Request("i", "embeddings", "embed", (Turn("input", "x"),))
        assert targets(decide(named, policy, FLEET)) == ["embed"]

    def test_completions_run_the_rules_too(self, policy: Policy) -> None:
        request = Request("i", "completions", "auto", (Turn("user", "vpn broken"),))
        assert decide(request, policy, FLEET).rule == "vpn"


class TestSteering:
    def test_by_task(self, policy: Policy) -> None:
        decision = decide(ask("my sql"), policy, FLEET)
        assert (decision.stage, decision.rule, decision.action) == ("model", "sql", "route")
        assert decision.parameters == {"task": "code_review"}
        assert targets(decision) == ["big", "spare", "middle"]
        assert "sql" in decision.reason
        assert "review" in decision.reason

    def test_by_tier_with_changes_to_the_body(self, policy: Policy) -> None:
        decision = decide(ask("prove it"), policy, FLEET)
        assert (decision.stage, decision.rule) == ("model", "think")
        assert decision.parameters == {"target": "heavy", "body": {"temperature": 0, "reasoning": {"effort": "high"}}}
        assert targets(decision) == ["big", "spare", "middle"]
        assert decision.targets[0].why == "rule think"

    def test_by_body_alone(self, policy: Policy) -> None:
        decision = decide(ask("exactly this", task="other"), policy, FLEET)
        assert decision.parameters == {"body": {"temperature": 0}}
        assert targets(decision) == ["middle"]

    def test_the_rule_wins_over_the_declared_task(self, policy: Policy) -> None:
        assert targets(decide(ask("my sql", task="faq"), policy, FLEET)) == ["big", "spare", "middle"]

    def test_what_was_matched_is_shown(self, policy: Policy) -> None:
        assert [match.text for match in decide(ask("my SQL"), policy, FLEET).matched] == ["SQL"]


class TestGuards:
    @pytest.mark.parametrize(
        ("header", "words"), [("zh-CN", "您的消息是空的"), ("en", "Your message is empty"), (None, "empty")]
    )
    def test_empty(self, policy: Policy, header: str | None, words: str) -> None:
        decision = decide(ask("  ", accept_language=header), policy, FLEET)
        assert (decision.stage, decision.rule, decision.action) == ("l0", "guard.empty", "refuse")
        assert words in decision.parameters["text"]
        assert decision.parameters["refused"] is True

    def test_too_long_for_all_in_both_languages(self, tmp_path: Path) -> None:
        policy = policy_of(tmp_path, {"models": tiers(light=[backend("small")]), "rules": {"packs": []}})
        for text, words in (("好" * 5000, "内容过长，请分段提交"), ("good " * 5000, "please split it")):
            decision = decide(ask(text), policy, fleet(small=2048))
            assert (decision.stage, decision.rule, decision.action) == ("l0", "guard.length", "refuse")
            assert decision.error is None
            assert words in decision.parameters["text"]
            assert "2032" in decision.parameters["text"]  # what a prompt may have, with room for an answer
            assert decision.features is not None
            assert str(decision.features.input_tokens) in decision.parameters["text"]
            assert [choice.target for choice in decision.left_out] == ["small@small"]
            assert decision.targets == ()

    def test_named_directly_it_is_an_error_with_the_numbers(self, policy: Policy) -> None:
        for name in ("light", "model-light", "small"):
            decision = decide(ask("好" * 5000, name), policy, FLEET)
            assert (decision.stage, decision.error, decision.targets) == ("model", "context_length_exceeded", ())
            assert "2032" in decision.reason
            assert decision.features is not None
            assert str(decision.features.input_tokens) in decision.reason

    def test_another_tier_takes_a_long_prompt(self, policy: Policy) -> None:
        decision = decide(ask("好" * 10_000), policy, FLEET)
        assert (decision.stage, decision.error) == ("model", None)
        assert targets(decision) == ["big", "spare"]
        assert {choice.target for choice in decision.left_out} >= {"middle@middle"}
        assert "4096" in decision.left_out[0].why

    def test_but_never_one_outside_the_network(self, policy: Policy) -> None:
        decision = decide(ask("好" * 100_000), policy, FLEET)
        assert decision.rule == "guard.length"
        assert "32752" in decision.parameters["text"]

    def test_an_open_entry_may_use_a_tier_outside_for_a_long_prompt(self, tmp_path: Path) -> None:
        config = {
            "models": tiers(light=[backend("small")], heavy=[backend("far", base_url="https://api.example.com/v1")]),
            "entries": {"auto": {}, "open": {"keep_local": False}},
            "rules": {"packs": []},
        }
        policy, states = policy_of(tmp_path, config), fleet(small=2048, far=100_000)
        assert targets(decide(ask("好" * 10_000, "open"), policy, states)) == ["far"]
        kept = decide(ask("好" * 10_000), policy, states)
        assert (kept.rule, kept.targets) == ("guard.length", ())
        assert "2032" in kept.parameters["text"]
        assert {choice.target for choice in kept.left_out} == {"small@small", "far@far"}

    def test_a_model_for_vectors_never_takes_a_chat(self, tmp_path: Path) -> None:
        config = {
            "models": tiers(light=[backend("small")], heavy=[backend("embed", embedding=True)]),
            "rules": {"packs": []},
        }
        decision = decide(ask("好" * 5000), policy_of(tmp_path, config), fleet(small=2048, embed=100_000))
        assert targets(decision) == []

    def test_an_unknown_length_is_no_limit(self, policy: Policy) -> None:
        assert targets(decide(ask("好" * 10_000), policy, Snapshot.of([]))) == ["middle"]

    def test_the_exact_count_decides_near_a_limit(self, policy: Policy) -> None:
        request = ask("好" * 3000, "light")  # about 1957 tokens of 2048
        assert decide(request, policy, FLEET).error is None
        assert decide(request, policy, FLEET, exact_tokens=2032).error is None
        over = decide(request, policy, FLEET, exact_tokens=2033)
        assert over.error == "context_length_exceeded"
        assert over.features is not None
        assert (over.features.input_tokens, over.features.exact) == (2033, True)
        long = ask("好" * 3200, "light")
        assert decide(long, policy, FLEET).error == "context_length_exceeded"
        assert decide(long, policy, FLEET, exact_tokens=2000).error is None

    def test_the_exact_count_moves_an_entry_to_another_tier(self, policy: Policy) -> None:
        request = ask("好" * 6100)
        assert targets(decide(request, policy, FLEET, exact_tokens=4080)) == ["middle"]
        assert targets(decide(request, policy, FLEET, exact_tokens=4081)) == ["big", "spare"]


class TestNoModel:
    @pytest.fixture
    def bare(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Policy:
        from pointsman.app import build

        monkeypatch.setattr(build, "with_builtin", lambda config: (config, "not installed"))
        return policy_of(tmp_path, {"rules": {"packs": ["builtin:smalltalk"]}})

    @pytest.mark.parametrize("text", ["What is the capital of France", "法国的首都是哪里"])
    def test_it_says_what_to_install(self, bare: Policy, text: str) -> None:
        decision = decide(ask(text), bare, Snapshot.of([]))
        assert (decision.stage, decision.error, decision.targets) == ("model", "no_target", ())
        assert INSTALL in decision.reason
        assert "\n" not in INSTALL

    def test_rules_still_answer(self, bare: Policy) -> None:
        assert decide(ask("你好"), bare, Snapshot.of([])).stage == "l0"

    def test_no_tier_can_be_named(self, bare: Policy) -> None:
        with pytest.raises(PointsmanError, match="valid: auto"):
            decide(ask("hi", "light"), bare, Snapshot.of([]))


def test_without_a_model_for_vectors_it_is_not_said_that_there_is_no_model(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, {"models": tiers(light=[backend("small")]), "rules": {"packs": []}})
    decision = decide(Request("i", "embeddings", "auto", (Turn("input", "x"),)), policy, fleet(small=2048))
    assert decision.error == "no_target"
    assert "No model is set up" not in decision.reason
    assert "embedding" in decision.reason


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    config = {"models": tiers(light=[backend("small")]), "rules": {"packs": ["builtin:smalltalk"]}}
    return policy_of(tmp_path_factory.mktemp("talk"), config)


class TestSmallTalk:
    @pytest.mark.parametrize(
        ("request_", "stage"),
        [
            (ask("hi"), "l0"),
            (ask("谢谢！"), "l0"),
            (ask("hi", tools=True), "model"),
            (ask("hi", structured=True), "model"),
            (Request("i", "chat", "auto", (Turn("user", "hi", images=1),)), "model"),
            (ask("this debugging guide"), "model"),
            (ask("hi", "light"), "model"),
            (
                Request(
                    "i", "chat", "auto", (Turn("user", "x"), Turn("assistant", "Shall I go on?"), Turn("user", "ok"))
                ),
                "model",
            ),
            (
                Request("i", "chat", "auto", (Turn("user", "x"), Turn("assistant", "Done."), Turn("user", "thanks"))),
                "l0",
            ),
            (
                Request(
                    "i", "chat", "auto", (Turn("user", "thanks"), Turn("assistant", "", 0, True), Turn("tool", "x"))
                ),
                "model",
            ),
        ],
    )
    def test_only_where_the_conversation_makes_it_so(self, talk: Policy, request_: Request, stage: str) -> None:
        assert decide(request_, talk, fleet(small=2048)).stage == stage


def test_the_decision_has_the_fields_of_the_contract(policy: Policy) -> None:
    shown = msgspec.to_builtins(decide(ask("prove it"), policy, FLEET, seed=7))
    assert set(shown) >= {
        *("stage", "rule", "action", "parameters", "reason", "matched", "features", "risk", "intent"),
        *("execution_path", "confidence", "fallback_reason", "clarification", "targets", "seed", "policy", "snapshot"),
    }
    assert set(shown["matched"][0]) == {"group", "text", "start", "end"}
    assert set(shown["targets"][0]) >= {"target", "score", "quality", "latency", "cost", "in_flight", "why"}
    assert (shown["seed"], shown["policy"], shown["snapshot"]) == (7, policy.hash, FLEET.hash)
    assert (shown["risk"], shown["confidence"]) == ("low", None)
