"""How task types are learnt: near doubles stay on one side, word classes, what is learnt of the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from offline.small_log import CONFIG, RULES, Log
from pipeline.policies import policy_of
from pointsman.domain.task_types import TASK_TYPES
from pointsman.offline.training.figures import Guess, figures_of
from pointsman.offline.training.groups import groups_of
from pointsman.offline.training.labelled import labelled_log
from pointsman.offline.training.lessons import lessons
from pointsman.offline.training.word_classes import word_classes


def test_near_doubles_are_one_group() -> None:
    texts = ["translate this letter into French", "Translate this letter into French!", "a poem about snow"]
    one, two, three = groups_of(texts)
    assert one == two != three
    assert groups_of([]) == []


def test_word_classes_are_of_pieces() -> None:
    found = word_classes()
    assert "translate" in found["翻译"] and found["summary"] == ("summarize",)
    assert all(len(piece) <= 2 or piece.isascii() for piece in found)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_lessons(language: str) -> None:
    found = lessons(language)  # type: ignore[arg-type]
    assert len(found) > 1500
    assert {lesson.task for lesson in found} == {*TASK_TYPES} - {"vision", "long_context", "other"}
    assert len({" ".join(lesson.text.split()) for lesson in found}) == len(found)


def test_figures() -> None:
    found = figures_of(
        [
            Guess("a", "a", True),
            Guess("a", "b", True),
            Guess("b", "b", False),
            Guess("b", "a", True),
            Guess("b", "a", True),
        ]
    )
    assert (found.texts, found.accuracy, found.coverage, found.right) == (5, 0.4, 0.8, 0.25)
    assert found.confused == (("b", "a", 2), ("a", "b", 1))
    assert figures_of([]).right == 0.0


def test_what_the_log_says(tmp_path: Path) -> None:
    """What was declared, and what a model told where the reply was adopted; nothing else."""
    routes = [{"name": "new", "target": "light", "match": {"task_type": "creative"}}]
    (tmp_path / "config").mkdir()
    log = Log(policy_of(tmp_path / "config", {**CONFIG, "routes": routes}, {"rules.yaml": RULES}))
    log.ask("declared", 0, "seven bells", task="math")
    log.ask("adopted", 1, "写一首关于秋天的诗")
    log.ask("plain", 2, "写一首关于冬天的诗")
    log.ask("rejected", 3, "写一首关于春天的诗")
    log.said("adopted", adopted=True)
    log.said("rejected", adopted=False)
    log.write(tmp_path / "data")
    found = labelled_log(tmp_path / "data", None)
    assert {(each.text, each.task) for each in found} == {("seven bells", "math"), ("写一首关于秋天的诗", "creative")}
