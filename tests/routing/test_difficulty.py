"""Difficulties of texts: whole numbers, the same everywhere; what the model that ships says of some; broken files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.learning.lanes import packed
from pointsman.learning.linear import Linear, compressed
from pointsman.learning.pieces import pieces, plain
from pointsman.routing.classifier.difficulty import (
    HEADS,
    UNIT,
    Difficulty,
    DifficultyFile,
    Layout,
    by_length,
    calibrated,
    difficulty_bytes,
    difficulty_of,
    doublings,
    letters,
    shipped_difficulty,
)

SETS = Path(__file__).resolve().parents[1] / "sets" / "routing"
KNOTS = ((-1000, 500), (0, 1000), (2000, 5000))


def model(weights: dict[str, tuple[int, int]], *layouts: Layout, knots: tuple[tuple[int, int], ...] = KNOTS) -> bytes:
    linear = Linear(HEADS, {piece: packed(numbers) for piece, numbers in weights.items()})
    return difficulty_bytes(DifficultyFile(1, linear.stored(), layouts or (Layout(0, 0, 0),) * 2, knots))


def told(made: Difficulty, text: str) -> float:
    return made.of(text, pieces(plain(text)))


def test_a_sum_by_hand() -> None:
    """Three pieces (the word, the pair, and one that weighs nothing): the root of 16² · 4 is 32 sixteenths, two."""
    made = difficulty_of(model({"prove": (40, 400), "^ prove": (0, 200)}))
    row = ["prove", "^ prove", "it"]
    assert made.scores("prove it", row) == (20, 300)
    assert made.of("prove it", row) == (1000 + 4000 * 300 // 2000) / 10_000
    assert made.weights(0) == {"prove": 40}


def test_length_by_hand() -> None:
    assert [doublings(size) for size in (0, 1, 3, 7, 5)] == [0, 256, 512, 768, 512 + 128]
    assert letters("abc") == 3 and letters("中文") == 6
    assert by_length(Layout(1000, 2000, -100), 3) == 512 + 6 - 100
    assert by_length(Layout(0, 1000, 0), 10**6) == 2000


@given(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000))
def test_a_higher_score_is_no_less_difficult(first: int, second: int) -> None:
    made = difficulty_of(model({}))
    low, high = sorted((first, second))
    assert 500 <= calibrated(made.knots, low) <= calibrated(made.knots, high) <= 5000


@given(st.text(max_size=200))
def test_any_text_has_a_difficulty(text: str) -> None:
    assert 0 <= told(shipped_difficulty(), text) <= 1


def test_half_a_character_and_a_very_long_text() -> None:
    for text in ("\ud800 why", "x" * 2_000_000, ""):
        assert 0 <= shipped_difficulty().of(text, ["why"]) <= 1


@pytest.mark.parametrize(
    ("easy", "hard"),
    [
        ("What is the capital of France?", "Prove by induction that every finite group of prime order is cyclic, and explain"
         " in detail where each axiom is used."),
        ("你好", "制定一个三个月的上线计划，包括数据迁移、回滚方案、风险评估和人员安排，先分析现状再给出里程碑"),
        ("谢谢", "请证明素数有无穷多个，并把证明推广到形如 4n+3 的素数，逐步说明每一步的依据"),
    ],
)  # fmt: skip
def test_what_ships_tells_easy_from_hard(easy: str, hard: str) -> None:
    made = shipped_difficulty()
    assert told(made, easy) < told(made, hard)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nothing",
        compressed(b"\x00"),
        compressed(msgspec.msgpack.encode({"format": 1})),
        model({}, Layout(0, 0, 0)),
        model({}, knots=()),
    ],
)
def test_files_that_are_no_model(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"compressed data|no model of difficulties"):
        difficulty_of(data)


def test_the_version_is_of_the_bytes() -> None:
    data = model({"why": (1, 2)})
    assert difficulty_of(data).version == difficulty_of(data).version != difficulty_of(model({})).version


@pytest.mark.skipif(not SETS.exists(), reason="the wheel is tested without the repository")
@pytest.mark.slow
def test_what_ships_is_what_its_data_give() -> None:
    """Learnt again; sums of numpy may differ in the last bit between machines, so a weight by one."""
    numpy = pytest.importorskip("numpy")
    from pointsman.bench.route.scored import read_scored
    from pointsman.offline.training.difficulty import asked_of, general_model, pull_for, trained
    from pointsman.offline.training.leveled import read_leveled

    ships = shipped_difficulty()
    light, heavy = (ships.about[name].split(", ") for name in ("light", "heavy"))
    rows = read_scored(SETS / "scores_train.jsonl.gz")
    general = general_model(read_leveled(SETS / "difficulty_labels.jsonl.gz"), [row.question for row in rows])
    asked = asked_of([(row.question, row.scores) for row in rows], light, heavy)
    again = difficulty_of(trained(asked, general, ships.about, pull_for(len(light) * len(heavy))))
    for head in range(len(HEADS)):
        ours, theirs = ships.weights(head), again.weights(head)
        apart = [abs(ours.get(piece, 0) - theirs.get(piece, 0)) for piece in {*ours, *theirs}]
        assert numpy.mean([each > 1 for each in apart]) < 0.01


@pytest.mark.skipif(not SETS.exists(), reason="the wheel is tested without the repository")
def test_labels_come_out_of_the_general_head_in_their_order() -> None:
    """On the texts that it learnt from: hard above medium above easy, in both languages."""
    made = shipped_difficulty()
    with gzip.open(SETS / "difficulty_labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][::7]
    for language in ("zh", "en"):
        means = []
        for level in ("easy", "medium", "hard"):
            texts = [row["text"] for row in rows if (row["language"], row["difficulty"]) == (language, level)]
            means.append(sum(made.scores(text, pieces(plain(text)))[0] for text in texts) / len(texts) / UNIT)
        assert means == sorted(means) and means[2] - means[0] > 0.5
