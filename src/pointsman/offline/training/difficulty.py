"""From labelled texts and from questions that several models answered to a model of difficulties, as bytes.

Two heads: what labelled texts tell of any text (`general`), and how much a heavy model is worth (`gap`), which is the
general score where a text is of no kind that was learnt. Both are straight sums over pieces and length: one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.learning.gap import PULL, fit_gap, gap_rows
from pointsman.learning.lanes import packed
from pointsman.learning.linear import MOST, Linear
from pointsman.learning.pieces import pieces, plain
from pointsman.learning.recovery import Doubles
from pointsman.learning.ridge import Places, Rows, ridge, rows_of, vocabulary
from pointsman.routing.classifier.difficulty import (
    FORMAT,
    GAP,
    GENERAL,
    HEADS,
    MOST_LETTERS,
    UNIT,
    WHOLE,
    Difficulty,
    DifficultyFile,
    Layout,
    difficulty_bytes,
    difficulty_of,
    doublings,
    letters,
)

LEVELS = {"easy": 0.0, "medium": 0.5, "hard": 1.0}
LEAST_QUESTIONS = 100
LEAST_SHARE = 0.2
PULL_OF_MANY = 0.1
"""More of the general score where it is not known between which two models it will be: so the model that ships."""
_GENERAL_STRENGTH = 3.0
_GENERAL_LEAST = 2
_LETTERS = 500
"""So many letters count as much as one spread of the labels' score, and as one of the logarithm of the length."""
_PIECES = 16_000
_KNOTS = 20
_FOLDS = 5
_SEED = 20260


class Leveled(msgspec.Struct, frozen=True):
    """A text and how difficult a person takes it for: easy, medium or hard."""

    text: str
    difficulty: str


class Asked(NamedTuple):
    """A question, by how much heavy models are better at it, and how likely a heavy one is right where a light one is
    wrong."""

    question: str
    gap: float
    rescued: float


def asked_of(
    rows: Sequence[tuple[str, Mapping[str, float]]], light: Sequence[str], heavy: Sequence[str]
) -> list[Asked]:
    """Of questions with the quality of each model: means over all pairs of a light and a heavy model. Each pair's gaps
    count in units of its own mean gap, as its APGR has them, lest one weak model speaks for all; a pair of which the heavy
    model is hardly better, or no better, counts as if it were better by a LEAST_SHARE of the mean. Raises KeyError for a
    model that did not answer."""
    pairs = [(weak, strong) for weak in light for strong in heavy]
    gaps = numpy.array([[scores[strong] - scores[weak] for weak, strong in pairs] for _, scores in rows])
    means = gaps.mean(axis=0)
    worth = means.mean() / numpy.maximum(means, LEAST_SHARE * max(float(means.mean()), 1e-9))
    mixed = (gaps * worth).mean(axis=1) if len(pairs) > 1 else gaps[:, 0]
    rescued = numpy.maximum(gaps, 0.0).mean(axis=1)
    return [
        Asked(question, gap, saved)
        for (question, _), gap, saved in zip(rows, mixed.tolist(), rescued.tolist(), strict=True)
    ]


def general_model(labelled: Sequence[Leveled], reference: Sequence[str]) -> Difficulty:
    """Of labelled texts alone, for `trained`. `reference`: texts as they come to a gateway, without labels; over them the
    score has a spread of one UNIT. Raises PointsmanError."""
    levels = numpy.array([LEVELS[each.difficulty] for each in labelled])
    if len(set(levels.tolist())) < 2:
        raise PointsmanError(said("the texts are all equally difficult", "所有文本的难度都一样"))
    known_rows = [pieces(plain(each.text)) for each in labelled]
    known = vocabulary(known_rows, _GENERAL_LEAST)
    rows = rows_of(known_rows, known)
    weights = ridge(rows, levels - levels.mean(), _GENERAL_STRENGTH) * rows.scales
    there = rows_of([pieces(plain(text)) for text in reference], known)
    spelled = there._replace(values=there.values / there.scales[there.columns]).times(weights)
    lengths = numpy.array([doublings(letters(text)) for text in reference], numpy.float64)
    long = numpy.array([min(letters(text), MOST_LETTERS) for text in reference], numpy.float64)
    by_spelling, by_doubling = 1 / _spread(spelled), 1 / _spread(lengths)
    raw = spelled * by_spelling + lengths * by_doubling + long / _LETTERS
    scale = UNIT / _spread(raw)
    layout = Layout(
        round(by_doubling * scale * 1000), round(scale * 1000 / _LETTERS), -round(float(raw.mean()) * scale)
    )
    worth = (weights * by_spelling * scale).tolist()
    table = {piece: [_whole(weight), 0] for piece, weight in zip(known, worth, strict=True)}
    return difficulty_of(_bytes(table, (layout, Layout(0, 0, 0)), ((0, 0),), {}))


def pull_for(pairs: int) -> float:
    """How far a model for so many pairs of a light and a heavy model keeps to the general score."""
    return PULL if pairs == 1 else PULL_OF_MANY


def trained(asked: Sequence[Asked], general: Difficulty, about: Mapping[str, str], pull: float) -> bytes:
    """The bytes of a model. `general`: one whose general head is taken over. Raises PointsmanError where the questions are
    too few, or no model of theirs is ever the better one."""
    check_asked(asked)
    texts = [each.question for each in asked]
    known_rows = [pieces(plain(text)) for text in texts]
    rows, known = gap_rows(known_rows)
    score = numpy.array(general.general_scores(texts, known_rows))
    gaps = numpy.array([each.gap for each in asked])
    fit = fit_gap(rows, score, gaps, pull)
    size = UNIT / fit.spread
    share = fit.pull * size / UNIT
    layout = general.layouts[GENERAL]
    table = {piece: [weight, share * weight] for piece, weight in general.weights(GENERAL).items()}
    for piece, weight in zip(known, (fit.weights * rows.scales * size).tolist(), strict=True):
        told = table.setdefault(piece, [0, 0.0])
        told[GAP] += weight
    often = dict(zip(known, numpy.bincount(rows.columns, minlength=len(known)).tolist(), strict=True))
    kept = _kept(table, often)
    own = Layout(
        round(layout.doubling * share), round(layout.letter * share), round(layout.start * share - fit.middle * size)
    )
    knots = knots_of(asked, _unseen_scores(rows, score, gaps, fit.pull))
    return _bytes(kept, (layout, own), knots, dict(about))


def check_asked(asked: Sequence[Asked]) -> None:
    """Raises PointsmanError where nothing can be learnt of them: too few, heavy models that are never better, or better by
    the same everywhere."""
    if len(asked) < LEAST_QUESTIONS:
        message = said(
            "{count} questions are too few to learn difficulties from (at least {least})",
            "只有 {count} 个问题，不足以学习难度（至少 {least} 个）",
            count=len(asked),
            least=LEAST_QUESTIONS,
        )
        raise PointsmanError(message)
    better = sum(each.gap > 0 for each in asked)
    if not better or len({each.gap for each in asked}) == 1:
        raise PointsmanError(
            said(
                "one class only: the heavy models are better at {better} of {count} questions",
                "只有一类：{count} 个问题中有 {better} 个是重模型更好",
                better=better,
                count=len(asked),
            )
        )
    if sum(each.gap for each in asked) <= 0:
        raise PointsmanError(
            said(
                "the heavy models are no better than the light ones over all: choose others with --light and --heavy",
                "重模型总体上并不比轻模型好：请用 --light 和 --heavy 另选",
            )
        )


def _unseen_scores(rows: Rows, score: Doubles, gaps: Doubles, pull: float) -> Doubles:
    """The score of each question by fits that did not see it, in spreads of the fit that it is of."""
    found = numpy.zeros(rows.height)
    for rest, out in unseen_folds(rows.height):
        fit = fit_gap(rows.taken(rest), score[rest], gaps[rest], pull)
        found[out] = fit.comparable(rows.taken(out), score[out])
    return found


def unseen_folds(count: int) -> Iterator[tuple[Places, Places]]:
    """Places that are learnt from and those that are left out, each of which is once."""
    order = numpy.random.default_rng(_SEED).permutation(count)
    for part in range(_FOLDS):
        out = numpy.sort(order[part::_FOLDS])
        yield numpy.setdiff1d(order, out), out


def knots_of(asked: Sequence[Asked], scores: Doubles) -> tuple[tuple[int, int], ...]:
    """Where the score of a text is known, how often a heavy model rescued it: means of equal parts by rising score, made to
    rise (neighbours that do not are taken together)."""
    rescued = numpy.array([each.rescued for each in asked])
    blocks: list[tuple[float, float, int]] = []  # sum of scores, sum of rescues, how many
    for part in numpy.array_split(numpy.argsort(scores, kind="stable"), _KNOTS):
        blocks.append((float(scores[part].sum()), float(rescued[part].sum()), len(part)))
        while len(blocks) > 1 and blocks[-1][1] * blocks[-2][2] <= blocks[-2][1] * blocks[-1][2]:
            high, low = blocks.pop(), blocks.pop()
            blocks.append((low[0] + high[0], low[1] + high[1], low[2] + high[2]))
    return tuple((round(total / count * UNIT), round(right / count * WHOLE)) for total, right, count in blocks)


def _kept(table: Mapping[str, Sequence[float]], often: Mapping[str, int]) -> dict[str, list[int]]:
    """The pieces that move scores of most texts most, in whole numbers."""
    order = sorted(table, key=lambda piece: (-max(map(abs, table[piece])) * (often.get(piece, 1) + 1) ** 0.5, piece))[
        :_PIECES
    ]
    return {piece: [_whole(each) for each in table[piece]] for piece in order}


def _whole(weight: float) -> int:
    return max(min(round(weight), MOST), -MOST)


def _bytes(
    table: Mapping[str, Sequence[int]],
    layouts: tuple[Layout, Layout],
    knots: tuple[tuple[int, int], ...],
    about: dict[str, str],
) -> bytes:
    weights = {piece: packed(numbers) for piece, numbers in table.items() if any(numbers)}
    return difficulty_bytes(DifficultyFile(FORMAT, Linear(HEADS, weights).stored(), layouts, knots, about))


def _spread(values: Doubles) -> float:
    return float(values.std()) or 1.0
