"""Difficulty in decisions: where it is asked for, of what text, by which model, and again from the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline.policies import ask, backend, fleet, policy_of, tiers
from pointsman.app.packing import packed, unpacked
from pointsman.domain.errors import Problems
from pointsman.domain.request import Request, Turn
from pointsman.learning.lanes import packed as in_lanes
from pointsman.learning.linear import Linear
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.routing.classifier.difficulty import (
    HEADS,
    DifficultyFile,
    Layout,
    difficulty_bytes,
    shipped_difficulty_version,
)

FLEET = fleet(**{"m-3b": 8192, "m-32b": 8192})
EASY = "What is the capital of France?"
HARD = (
    "Prove by induction that the sum of the first n odd numbers is a square, then generalise the argument to cubes and "
    "explain in detail which step of the proof fails for arbitrary arithmetic progressions, with a counterexample."
)


def made(folder: Path, **config: Any) -> Policy:
    models = tiers(light=[backend("m-3b")], heavy=[backend("m-32b")])
    entries = {"auto": {"policy": "interactive"}, "plain": {}}
    return policy_of(folder, {"models": models, "entries": entries, "rules": {"packs": []}, **config})


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return made(tmp_path_factory.mktemp("difficulty"))


def difficulty(request: Request, policy: Policy) -> float | None:
    features = decide(request, policy, FLEET).features
    assert features is not None
    return features.difficulty


def test_it_is_told_where_targets_are_scored(policy: Policy) -> None:
    easy, hard = difficulty(ask(EASY), policy), difficulty(ask(HARD), policy)
    assert easy is not None and hard is not None and easy + 0.05 < hard
    assert difficulty(ask(EASY, "plain"), policy) is None
    assert policy.document.classifier is not None
    assert policy.document.classifier.difficulty == shipped_difficulty_version()


def test_a_declared_task_has_a_difficulty_too(policy: Policy) -> None:
    declared = msgspec.structs.replace(ask(HARD), task="math")
    features = decide(declared, policy, FLEET).features
    assert features is not None and (features.task_type, features.task_source) == ("math", "declared")
    assert features.difficulty == difficulty(ask(HARD), policy)


def test_it_is_of_the_conversation(policy: Policy) -> None:
    """ "Go on" is no easier than what it goes on with."""
    turns = (Turn("user", HARD), Turn("assistant", "First, the base case."), Turn("user", "go on"))
    later = difficulty(msgspec.structs.replace(ask("go on"), turns=turns), policy)
    alone = difficulty(ask("go on with it, will you"), policy)
    assert later is not None and alone is not None and later > alone


def test_a_route_takes_what_is_difficult(tmp_path: Path) -> None:
    """Also where nothing is scored."""
    route = {"name": "hard", "match": {"min_difficulty": 0.15}, "target": "heavy", "priority": 1}
    policy = made(tmp_path, routes=[route], fallback={"target": "light"})
    for text, target in ((EASY, "m-3b@m-3b"), (HARD, "m-32b@m-32b")):
        decision = decide(ask(text, "plain"), policy, FLEET)
        assert decision.targets[0].target == target


def test_computed_again_it_is_the_same(policy: Policy) -> None:
    request = ask(HARD)
    decision = decide(request, policy, FLEET)
    assert recomputed(request, decision, policy, FLEET, None) == decision


def test_a_model_that_is_gone_is_taken_at_its_word(policy: Policy) -> None:
    request = ask(HARD)
    rule = policy.document.classifier
    assert rule is not None
    other = msgspec.structs.replace(policy.document, classifier=msgspec.structs.replace(rule, difficulty="0" * 16))
    gone = Policy(other)
    assert gone.difficulty is None and difficulty(request, gone) is None
    decision = decide(request, policy, FLEET)
    again = decide(request, gone, FLEET, before=decision.features)
    assert again.features == decision.features


def own() -> bytes:
    linear = Linear(HEADS, {"france": in_lanes((0, 9000))})
    return difficulty_bytes(DifficultyFile(1, linear.stored(), (Layout(0, 0, 0),) * 2, ((0, 100), (1000, 8000))))


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.bin").write_bytes(own())
    policy = made(tmp_path, classifier={"difficulty": "own.bin"})
    assert (difficulty(ask(EASY), policy), difficulty(ask(HARD), policy)) == (0.8, 0.01)
    assert policy.own_difficulty is not None
    assert policy.document.classifier is not None
    assert policy.document.classifier.difficulty == policy.own_difficulty.version != shipped_difficulty_version()


@pytest.mark.parametrize(
    ("content", "en", "zh"),
    [
        (None, "cannot be read (No such file or directory)", "无法读取"),
        (b"x", "is no model of difficulties of this version (`pointsman train --scores` writes one)", "难度模型"),
    ],
)
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes | None, en: str, zh: str) -> None:
    if content is not None:
        (tmp_path / "own.bin").write_bytes(content)
    with pytest.raises(Problems) as caught:
        made(tmp_path, classifier={"difficulty": "own.bin"})
    [problem] = caught.value.problems
    assert problem.path == "classifier.difficulty"
    assert en in problem.text("en") and zh in problem.text("zh")


def test_it_goes_along_to_other_processes(tmp_path: Path) -> None:
    from pointsman.app.build import build
    from pointsman.config.load import load

    (tmp_path / "own.bin").write_bytes(own())
    made(tmp_path, classifier={"difficulty": "own.bin"})
    setup = build(load(tmp_path / "pointsman.yaml", None, {}))
    there = unpacked(packed(setup)).policy
    assert difficulty(ask(EASY), there) == 0.8
