"""GPU seconds, KV memory and money: what was taken, and what everything on the heavy model would have taken."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pipeline.policies import ask, features, policy_of, up
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, Stage
from pointsman.domain.feedback import Feedback
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import ModelFacts, Snapshot
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.prices import prices_of
from pointsman.telemetry.metrics import Metrics, judgement_of

FACTS = ModelFacts(layers=32, kv_heads=8, head_size=128)
PER_TOKEN = 2 * 32 * 8 * 128 * 2


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    def backend(name: str, **more: Any) -> dict[str, Any]:
        return {"engine": "vllm", "base_url": "http://127.0.0.1:1/v1", "model": name, "name": name, **more}

    config = {
        "models": {
            "light": {"backends": [backend("small")]},
            "heavy": {"backends": [backend("big", cost={"money_per_hour": 3.6, "watts": 300})]},
        },
        "fallback": {"target": "light"},
    }
    return policy_of(tmp_path_factory.mktemp("policy"), config)


FLEET = Snapshot.of(
    [
        replace(up("small@small"), prefill_rate=1000.0, decode_rate=100.0),
        replace(up("big@big"), prefill_rate=100.0, decode_rate=10.0, facts=FACTS),
    ]
)


def served(stage: Stage, target: str | None = None, task: str | None = None, **more: Any) -> Record:
    decision = Decision(stage, "x", features=features(input_tokens=100, task_type=task))
    tries = () if target is None else (Attempt(target, 1, 2, 200),)
    return Record(ask("x"), 1e9, "ok", decision, attempts=tries, target=target, timings=Timings(1, 2, 30), **more)


def figures(policy: Policy, *records: Record) -> dict[str, Any]:
    metrics = Metrics(prices_of)
    for record in records:
        metrics.put(record, policy.document, FLEET)
    counts = metrics.counts(FLEET, 0)
    counts.derive()
    found: dict[str, Any] = {name: {k: t.value for k, t in tallies.items()} for name, tallies in counts.tallies.items()}
    return {**found, **counts.levels}


def test_a_reply_of_the_small_model_saves_the_difference(policy: Policy) -> None:
    found = figures(policy, served("model", "small@small", input_tokens=1000, output_tokens=50))
    assert found["gpu_seconds"] == {("small@small",): pytest.approx(1.5)}
    assert found["gpu_baseline_seconds"] == {("model",): pytest.approx(15.0)}
    assert found["gpu_saved_seconds"] == {(): pytest.approx(13.5)}
    assert found["kv_baseline_bytes"] == {("model",): 1050 * PER_TOKEN}
    assert found["cost"] == {} and found["energy_joules"] == {}


def test_the_heavy_model_saves_nothing_and_costs_what_its_backend_says(policy: Policy) -> None:
    found = figures(policy, served("model", "big@big", input_tokens=1000, output_tokens=50))
    assert found["gpu_saved_seconds"] == {(): 0.0} and found["kv_kept_free_bytes"] == {(): 0.0}
    assert found["cost"] == {("big@big",): pytest.approx(15.0 * 3.6 / 3600)}
    assert found["energy_joules"] == {("big@big",): pytest.approx(15.0 * 300)}


def test_a_rule_saves_a_usual_reply_of_that_kind(policy: Policy) -> None:
    found = figures(policy, served("l0", task="faq"), served("l0", task="faq"), served("l1", task="greeting"))
    assert found["baseline_tokens"] == {
        ("l0", "input"): 200, ("l0", "output"): 240, ("l1", "input"): 100, ("l1", "output"): 30,
    }  # fmt: skip
    assert found["gpu_baseline_seconds"][("l0",)] == pytest.approx(200 / 100 + 240 / 10)
    assert found["gpu_seconds"] == {}
    assert found["gpu_saved_seconds"] == {(): pytest.approx(26 + 1 + 3)}
    assert found["kv_kept_free_bytes"] == {(): (440 + 130) * PER_TOKEN}


def test_a_kept_reply_saves_all_of_it_and_one_that_failed_before_any_model_nothing(policy: Policy) -> None:
    hit = figures(policy, served("model", task="faq", cache="hit"))
    assert hit["gpu_baseline_seconds"] == {("model",): pytest.approx(1 + 12)}
    assert figures(policy, served("model", task="faq"))["gpu_baseline_seconds"] == {}


def test_where_the_engine_gives_no_figures_the_estimate_of_the_prompt_counts(policy: Policy) -> None:
    found = figures(policy, served("model", "small@small"))
    assert found["gpu_seconds"] == {("small@small",): pytest.approx(0.1)}
    assert found["tokens"] == {}


def test_embeddings_would_have_gone_where_they_went(policy: Policy) -> None:
    record = served("model", "small@small", input_tokens=1000)
    found = figures(policy, replace(record, request=replace(record.request, endpoint="embeddings")))
    assert found["gpu_baseline_seconds"] == {("model",): pytest.approx(1.0)}
    assert found["gpu_saved_seconds"] == {(): 0.0} and found["baseline_tokens"] == {}


def test_a_target_that_is_gone_costs_what_it_last_did(policy: Policy) -> None:
    metrics = Metrics(prices_of)
    record = served("model", "small@small", input_tokens=1000, output_tokens=50)
    metrics.put(record, policy.document, FLEET)
    metrics.counts(FLEET, 0)
    rest = replace(policy.document, targets=tuple(t for t in policy.document.targets if t.name != "small@small"))
    metrics.put(record, rest, FLEET)
    counts = metrics.counts(FLEET, 0)
    assert counts.tallies["gpu_seconds"]["small@small",].value == pytest.approx(3.0)


def test_heavy_is_the_highest_tier_that_there_is_else_the_slowest(policy: Policy) -> None:
    document = policy.document
    assert prices_of(document, FLEET).heavy == "big@big"
    without = replace(document, names={"light": ("small@small",)})
    assert prices_of(without, FLEET).heavy == "small@small"
    assert prices_of(replace(document, names={}), FLEET).heavy == "big@big"
    assert prices_of(replace(document, names={}, targets=()), FLEET).heavy is None


@pytest.mark.parametrize(
    ("said", "judgement"),
    [
        ({"adopted": True}, "right"),
        ({"adopted": False, "rating": 5}, "wrong"),
        ({"rating": 4}, "right"),
        ({"rating": 3}, None),
        ({"rating": 2}, "wrong"),
        ({"retried": True}, "wrong"),
        ({"rating": 5, "retried": True}, "right"),
        ({"edited": True}, None),
        ({}, None),
    ],
)
def test_what_a_caller_holds_of_a_reply(said: dict[str, Any], judgement: str | None) -> None:
    assert judgement_of(Feedback(request_id="r", received=0.0, caller="c", **said)) == judgement
