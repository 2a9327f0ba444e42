"""The task of a routed request: what was declared goes first, then evidence, then the model; made again, it is the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, fleet, policy_of
from pointsman.domain.decision import Decision
from pointsman.domain.features import Features
from pointsman.domain.policy import ClassifierRule, Weights
from pointsman.domain.request import Request, Turn
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.routing.classifier.difficulty import shipped_difficulty_version
from pointsman.routing.classifier.tasks import shipped_least, shipped_version

FLEET = fleet(small=None, middle=None, big=None, spare=None)
_MADE: list[Policy] = []


@pytest.fixture(autouse=True)
def made(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One policy as a config gives it, whose document the tests change."""
    if not _MADE:
        _MADE.append(policy_of(Path(tmp_path_factory.mktemp("classified")), CONFIG, FILES))


def ask(*texts: str, **changes: object) -> Request:
    turns = tuple(Turn("assistant" if number % 2 else "user", text) for number, text in enumerate(texts))
    return Request("r", "chat", "auto", turns, **changes)  # type: ignore[arg-type]


def policy(least: float | None = None, version: str | None = None) -> Policy:
    rule = ClassifierRule(version or shipped_version(), shipped_least() if least is None else least)
    return Policy(msgspec.structs.replace(_MADE[0].document, classifier=rule))


def features_of(decision: Decision) -> Features:
    assert decision.features is not None
    return decision.features


def told(*texts: str, by: Policy | None = None, **changes: object) -> tuple[str | None, str]:
    found = features_of(decide(ask(*texts, **changes), by or policy(), FLEET))
    return found.task_type, found.task_source


@pytest.mark.parametrize(
    ("texts", "task"),
    [
        (("Review this function for bugs:\ndef f(x):\n  return x +",), "code_review"),
        (("写一个 python 函数判断素数", "好的", "提交它"), "code_completion"),
        (("把这段话翻译成英文：今天下雨",), "translation"),
    ],
)
def test_by_the_model(texts: tuple[str, ...], task: str) -> None:
    assert told(*texts) == (task, "classified")


def test_what_goes_before_the_model() -> None:
    assert told("写一首关于秋天的诗", task="math") == ("math", "declared")
    assert told("hello") == ("greeting", "inferred")
    request = Request("r", "chat", "auto", (Turn("user", "write a poem about this", images=1),))
    assert features_of(decide(request, policy(), FLEET)).task_type == "vision"


def test_below_the_least_confidence_there_is_none() -> None:
    found = features_of(decide(ask("写一首关于秋天的诗"), policy(least=1.0), FLEET))
    sure = found.task_confidence
    assert sure is not None and ((found.task_type, found.task_source) == (None, "none") or sure == 1.0)
    unknown = features_of(decide(ask("qwertz"), policy(), FLEET))
    assert (unknown.task_type, unknown.task_source, unknown.task_confidence) == (None, "none", 0.0)


def test_without_a_model_no_task_is_told() -> None:
    found = features_of(
        decide(ask("写一首关于秋天的诗"), Policy(msgspec.structs.replace(_MADE[0].document, classifier=None)), FLEET)
    )
    assert (found.task_type, found.task_source, found.task_confidence) == (None, "none", None)


def test_what_a_rule_answers_is_not_classified() -> None:
    decision = decide(ask("My VPN is broken"), policy(), FLEET)
    assert decision.stage == "l0" and features_of(decision).task_confidence is None


def test_a_decision_is_made_again_though_its_model_is_gone() -> None:
    request = ask("Review this function for bugs:\ndef f(x):\n  return x +")
    first = decide(request, policy(), FLEET)
    assert recomputed(request, first, policy(), FLEET, None) == first
    gone = policy(version="gone")
    assert gone.tasks is None
    again = recomputed(request, first, gone, FLEET, None)
    assert again.features == first.features and again.targets == first.targets


def test_models_are_read_where_they_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any decision, and not by those who never ask."""
    read: list[str] = []
    monkeypatch.setattr("pointsman.pipeline.policy.shipped_tasks", lambda: read.append("tasks"))
    monkeypatch.setattr("pointsman.pipeline.policy.shipped_difficulty", lambda: read.append("difficulty"))
    document = msgspec.structs.replace(policy().document, routes=())
    rule = msgspec.structs.replace(document.classifier, difficulty=shipped_difficulty_version())
    document = msgspec.structs.replace(document, classifier=rule)
    entries = tuple(msgspec.structs.replace(entry, policy=None) for entry in document.entries)
    plain = Policy(msgspec.structs.replace(document, entries=entries))
    plain.read_models()
    assert read == [] and not plain.asks_task(ask("write a poem")) and not plain.asks_difficulty(ask("write a poem"))
    Policy(msgspec.structs.replace(document, entries=entries, routes=policy().document.routes)).read_models()
    assert read == ["tasks"]
    scored = tuple(msgspec.structs.replace(entry, policy="interactive") for entry in document.entries)
    Policy(
        msgspec.structs.replace(document, entries=scored, weights={"interactive": Weights(1.0, 0.3, 0.1)})
    ).read_models()
    assert read == ["tasks", "tasks", "difficulty"]
