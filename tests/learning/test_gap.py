"""Ridge against the closed form, and what a score falls back to."""

from __future__ import annotations

import numpy
import pytest

from pointsman.learning.gap import fit_gap, gap_rows
from pointsman.learning.pieces import pieces, plain
from pointsman.learning.ridge import Rows, ridge, rows_of, vocabulary

TEXTS = [
    *(
        f"prove that the number {word} is irrational by contradiction"
        for word in ("pi", "two", "ten", "e", "six", "nine")
    ),
    *(f"what is the capital of {word} today" for word in ("france", "peru", "chad", "laos", "iran", "mali")),
]


def dense(rows: Rows) -> numpy.ndarray:
    made = numpy.zeros((rows.height, rows.width))
    numpy.add.at(made, (rows.rows, rows.columns), rows.values)
    return made


def test_ridge_is_the_closed_form() -> None:
    told = [pieces(plain(text)) for text in TEXTS]
    rows = rows_of(told, vocabulary(told, 2))
    wanted = numpy.array([1.0] * 6 + [0.0] * 6) - 0.5
    matrix = dense(rows)
    strength = 3.0 * (matrix**2).sum() / len(TEXTS)
    closed = numpy.linalg.solve(matrix.T @ matrix + strength * numpy.eye(rows.width), matrix.T @ wanted)
    assert ridge(rows, wanted, 3.0) == pytest.approx(closed, abs=1e-3)


def test_rows_taken_are_those_rows() -> None:
    told = [pieces(plain(text)) for text in TEXTS]
    rows = rows_of(told, vocabulary(told, 2))
    chosen = numpy.array([7, 0, 3])
    assert (dense(rows.taken(chosen)) == dense(rows)[chosen]).all()


def test_what_was_learnt_where_it_is_known_and_the_general_score_where_not() -> None:
    texts = [*TEXTS, "zzzz qqqq", "xxxx wwww"]
    rows, _ = gap_rows([pieces(plain(text)) for text in texts])
    general = numpy.array([0.0] * 12 + [1.0, -1.0])
    gaps = numpy.array([1.0] * 6 + [0.0] * 6)
    known = numpy.arange(12)
    fit = fit_gap(rows.taken(known), general[:12], gaps, pull=0.1, strength=1.0)
    scores = fit.scores(rows, general)
    assert scores[:6].min() > scores[6:12].max()
    assert scores[12:].tolist() == pytest.approx([0.1, -0.1])
    comparable = fit.comparable(rows.taken(known), general[:12])
    assert comparable.mean() == pytest.approx(0, abs=1e-9) and comparable.std() == pytest.approx(1)
