"""What each router says of each question: the higher, the sooner it goes to the heavy model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy

from pointsman.bench.route.splits import Fold
from pointsman.domain.meaning import SCALE
from pointsman.embedding.many import Tell, embedded
from pointsman.learning.dense_gap import fit_dense_gap
from pointsman.learning.gap import PULL, fit_gap, gap_rows
from pointsman.learning.pieces import pieces, plain
from pointsman.learning.recovery import Doubles
from pointsman.learning.ridge import Rows
from pointsman.routing.classifier.difficulty import GAP, Difficulty
from pointsman.routing.classifier.meaning import TOKENS, read

OURS, SHIPPED, LENGTH, RANDOM, ORACLE, TFIDF = "pointsman", "shipped", "length", "random", "oracle", "tf-idf"
MEANING, BOTH = "e5", "pointsman + e5"
_PEER = Path(__file__).parents[1] / "peers" / "route_sklearn.py"

_IS_THERE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('sklearn') is None)"


class Missing(Exception):
    """The peer is not there."""


class Prepared(NamedTuple):
    """What does not depend on models: pieces as rows, and the two scores of the shipped model."""

    rows: Rows
    general: Doubles
    shipped: Doubles
    lengths: Doubles


def prepared(texts: Sequence[str], shipped: Difficulty, general: Difficulty | None = None) -> Prepared:
    """`general`: whose general score counts, where it is not the one that ships."""
    known_rows = [pieces(plain(text)) for text in texts]
    scores = [shipped.scores(text, row) for text, row in zip(texts, known_rows, strict=True)]
    return Prepared(
        gap_rows(known_rows)[0],
        numpy.array((general or shipped).general_scores(texts, known_rows)),
        numpy.array([score[GAP] for score in scores], numpy.float64),
        numpy.array([len(text) for text in texts], numpy.float64),
    )


def learnt(known: Prepared, gaps: Doubles, folds: Sequence[Fold], pull: float = PULL) -> Doubles:
    """Our way of learning difficulties, on each fold's rest: `learning/gap.py`, and beside it the general score of the
    model that ships, which comes of labelled texts and of no graded answers. Which pieces there are, and how rare they
    are, is counted over all texts, without their grades."""
    found = numpy.zeros(len(gaps))
    for fold in folds:
        fit = fit_gap(known.rows.taken(fold.rest), known.general[fold.rest], gaps[fold.rest], pull)
        found[fold.out] = fit.comparable(known.rows.taken(fold.out), known.general[fold.out])
    return found


def meanings(texts: Sequence[str], tell: Tell) -> Doubles:
    """A vector each, as requests get them. Raises PointsmanError."""
    rows = embedded([read(text) for text in texts], TOKENS, tell)
    return numpy.frombuffer(b"".join(rows), numpy.int8).reshape(len(texts), -1).astype(numpy.float64) / SCALE


def meant(rows: Doubles, gaps: Doubles, folds: Sequence[Fold]) -> Doubles:
    """By the meaning of a question alone, on each fold's rest: `learning/dense_gap.py`. `rows`: a vector each question."""
    found = numpy.zeros(len(gaps))
    for fold in folds:
        found[fold.out] = fit_dense_gap(rows[fold.rest], gaps[fold.rest]).scores(rows[fold.out])
    return found


def chance(count: int, seed: int) -> Doubles:
    return numpy.random.default_rng(seed).random(count)


def tfidf(texts: Sequence[str], gaps: Doubles, folds: Sequence[Fold], venv: Path) -> tuple[Doubles, str]:
    """TF-IDF and logistic regression of whether the heavy model is better, by scikit-learn, and its version. Raises
    Missing."""
    python = next((each for each in (Path(sys.executable), venv / "bin" / "python") if has_peer(each)), None)
    if python is None:
        raise Missing("scikit-learn is not installed")
    order = {
        "texts": list(texts),
        "better": (gaps > 0).tolist(),
        "folds": [[fold.rest.tolist(), fold.out.tolist()] for fold in folds],
    }
    done = subprocess.run(  # noqa: S603
        [python, str(_PEER)], input=json.dumps(order), capture_output=True, text=True
    )
    if done.returncode:
        raise Missing(done.stderr.strip().rpartition("\n")[2])
    given = json.loads(done.stdout)
    return numpy.array(given["scores"], numpy.float64), f"scikit-learn {given['version']}"


def has_peer(python: Path) -> bool:
    if not python.exists():
        return False
    done = subprocess.run([python, "-c", _IS_THERE], capture_output=True)  # noqa: S603
    return done.returncode == 0
