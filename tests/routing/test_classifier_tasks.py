"""Which task a text has: bounded confidence, nothing of unknown texts, refusals of what is no model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.task_types import TASK_TYPES
from pointsman.learning.lanes import packed
from pointsman.learning.linear import Linear
from pointsman.learning.pieces import plain
from pointsman.routing.classifier.instruction import instruction
from pointsman.routing.classifier.layout import layout
from pointsman.routing.classifier.tasks import (
    FORMAT,
    WISH,
    TasksFile,
    Told,
    calibrated,
    encoded_tasks,
    shipped_bytes,
    shipped_least,
    shipped_tasks,
    shipped_version,
    tasks_of,
)


def told(text: str) -> Told:
    return shipped_tasks().of(plain(text)) or shipped_tasks().nothing


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("把这段话翻译成英文：今天下雨", "translation"),
        ("Translate this to German: good night", "translation"),
        ("用三句话总结下面的会议记录：老王说周五上线，小李负责测试，客户下周来验收。", "summarization"),
        ("帮我看看这段代码有没有 bug：for i in range(3) print(i)", "code_review"),
        ("Write a Python function that reverses a list", "code_completion"),
        ("解方程 x^2 - 4 = 0", "math"),
        ("从下面的邮件里提取所有日期：3月5日开会，4月1日交货", "extraction"),
        ("判断这条评论是正面还是负面：东西不错，就是慢", "classification"),
        ("润色一下这段话：我们公司很好，大家都来买", "rewriting"),
        ("写一首关于秋天的诗", "creative"),
        ("怎么重置公司邮箱的密码", "faq"),
        ("Why is the sky blue?", "open_qa"),
    ],
)
def test_plain_wishes(text: str, task: str) -> None:
    found = told(text)
    assert found.task == task and found.confidence >= shipped_least()


@given(st.text(max_size=400))
def test_any_text_has_a_task_of_the_list_and_a_confidence(text: str) -> None:
    found = told(text)
    assert found.task in TASK_TYPES and 0 <= found.confidence <= 1
    assert found == told(text)


def test_of_an_unknown_text_nothing_is_told() -> None:
    assert told("qwertz").confidence == 0.0
    assert shipped_tasks().of("") is None


def test_a_piece_of_wishes_alone_is_not_known_of_a_text() -> None:
    """Nor is it a piece whose weights are nothing, or several whose weights are nothing together, that is unknown."""
    weights = {"a": [3, -3], "b": [-3, 3], "zero": [0, 0], f"{WISH}c": [9, 0]}
    stored = Linear(("math", "faq"), {piece: packed(numbers) for piece, numbers in weights.items()}).stored()
    tasks = tasks_of(encoded_tasks(TasksFile(FORMAT, stored, ((0, 0), (10_000, 10_000)), 5000)))
    assert tasks.of("c") == ("math", 0.0)
    assert [tasks.of(text) for text in ("zero", "a b")] == [("math", 0.5), ("math", 0.5)]
    assert tasks.of("zero c") > ("math", 0.5)


def test_a_long_text_is_bounded() -> None:
    assert told("Please summarise: " + "the quick brown fox. " * 50_000).task in TASK_TYPES


def test_the_shipped_model_is_small_and_known_by_its_bytes() -> None:
    tasks = shipped_tasks()
    assert len(shipped_bytes()) < 1 << 20
    assert (tasks.version, tasks.least) == (shipped_version(), shipped_least())
    assert set(tasks.names) == {*TASK_TYPES} - {"vision", "long_context", "other"}
    assert 0.3 < tasks.least < 0.9


def test_what_is_no_model_is_refused() -> None:
    stored = Linear(("math", "faq"), {"a": packed([1, 2])}).stored()
    good = TasksFile(FORMAT, stored, ((0, 0), (10_000, 10_000)), 5000)
    assert tasks_of(encoded_tasks(good)).least == 0.5
    for bad in (
        b"",
        b"no model",
        encoded_tasks(good)[:-3],
        encoded_tasks(TasksFile(99, stored, good.knots, 5000)),
        encoded_tasks(TasksFile(FORMAT, stored, (), 5000)),
        encoded_tasks(TasksFile(FORMAT, Linear(("one",), {}).stored(), good.knots, 5000)),
    ):
        with pytest.raises(ValueError, match=r"model|compressed"):
            tasks_of(bad)


def test_calibration_is_a_line_through_its_knots() -> None:
    knots = ((2000, 1000), (6000, 5000), (8000, 9000))
    assert [calibrated(knots, at) for at in (0, 2000, 4000, 7000, 8000, 10_000)] == [1000, 1000, 3000, 7000, 9000, 9000]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("translate this", "translate this"),
        ("summarise the notes below:\n" + "x" * 90, "summarise the notes below :"),
        ("notes first\n" + "y" * 90 + "\nshorter please", "notes first : \n shorter please"),
        ('make "thank you for waiting so long" warmer', "make  “  warmer"),
        ("字" * 300, "字" * 140),
    ],
)
def test_what_is_asked_for_is_told_from_what_was_pasted(text: str, asked: str) -> None:
    assert instruction(text) == asked


@given(st.text(max_size=300))
def test_layout_and_instruction_take_any_text(text: str) -> None:
    spelt = plain(text)
    assert all(piece.startswith("@") and piece[1].isalpha() for piece in layout(spelt))
    assert len(instruction(spelt)) <= len(spelt) + 250
