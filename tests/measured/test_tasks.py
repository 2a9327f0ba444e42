"""The model of task types that ships, on texts written blind (docs/routing/tasks-card.md), and made of its lessons again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pointsman.learning.pieces import plain
from pointsman.offline.training.groups import groups_of
from pointsman.offline.training.shipped_tasks import made, shipped_lessons
from pointsman.routing.classifier.tasks import shipped_bytes, shipped_tasks

SETS = Path(__file__).parents[1] / "sets" / "tasks"
FLOORS = {"zh": (0.86, 0.905, 0.92), "en": (0.86, 0.91, 0.9)}
"""Of a language: right in all texts, in the surest nine of ten, share that is told; a little below what was reached."""


def rows(language: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SETS / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_task_types(language: str) -> None:
    tasks = shipped_tasks()
    found = []
    for row in rows(language):
        told = tasks.of(plain(row["text"]))
        assert told is not None
        found.append((told.confidence, told.task == row["task"]))
    found.sort(reverse=True)
    right = sum(each for _, each in found) / len(found)
    surest = found[: -(-9 * len(found) // 10)]
    share = sum(each for _, each in surest) / len(surest)
    told_share = sum(sure >= tasks.least for sure, _ in found) / len(found)
    print(f"{language}: all {right:.4f}, surest nine of ten {share:.4f}, told {told_share:.4f}")
    for value, floor in zip((right, share, told_share), FLOORS[language], strict=True):
        assert value >= floor


def test_no_lesson_is_nearly_a_text_of_the_sets() -> None:
    """Beyond a share that two short texts on one thing have anyway ("thanks a lot", "tell me a joke")."""
    asked = [row["text"] for language in ("zh", "en") for row in rows(language)]
    texts = [*asked, *(lesson.text for lesson in shipped_lessons())]
    groups = groups_of(texts)
    tested = set(groups[: len(asked)])
    near = Counter(group in tested for group in groups[len(asked) :])
    assert near[True] <= 60


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_model_that_ships_is_what_its_lessons_give() -> None:
    assert made() == shipped_bytes()
