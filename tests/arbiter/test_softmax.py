"""Our own regressions find what scikit-learn finds, and the same bits each time."""

from __future__ import annotations

import numpy
import pytest

from pointsman.arbiter.logistic import fit_logistic
from pointsman.arbiter.ngrams import counted
from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.softmax import fit_softmax, minimised, probabilities
from pointsman.arbiter.sparse import vocabulary
from pointsman.arbiter.spelled import fit_spelled, shuffled, spelled_logits


def points() -> tuple[numpy.ndarray, numpy.ndarray]:
    order = shuffled(400 * 12, 1).reshape(400, 12) / 4800 - 0.5
    rows = order.astype(numpy.float32)
    labels = (rows[:, :4] + 0.2 * rows[:, 4:8]).argmax(axis=1)
    return rows, labels.astype(numpy.int64)


def test_softmax_regression_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rows, labels = points()
    weights, biases = fit_softmax(rows, labels, 4, 10.0, 500)
    theirs = linear.LogisticRegression(C=10.0, max_iter=2000, tol=1e-8).fit(rows, labels)
    found = probabilities(rows @ weights + biases)
    assert numpy.abs(found - theirs.predict_proba(rows)).max() < 5e-3


def test_logistic_regression_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rows, labels = points()
    right, each = (labels == 0).astype(float), 1.0 + labels
    slopes = fit_logistic(rows[:, :3].astype(float), right, each, numpy.zeros(3))
    theirs = linear.LogisticRegression(C=1.0, max_iter=2000, tol=1e-10).fit(rows[:, :3], right, sample_weight=each)
    assert numpy.abs(slopes[:3] - theirs.coef_[0]).max() < 1e-2
    assert abs(slopes[3] - theirs.intercept_[0]) < 1e-2


def test_a_bowl() -> None:
    def bowl(point: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        gap = point - numpy.array([3.0, -2.0])
        steep = numpy.array([1.0, 50.0])
        return float((steep * gap * gap).sum()), 2 * steep * gap

    assert numpy.allclose(minimised(bowl, numpy.zeros(2), 100, 1e-12), [3.0, -2.0], atol=1e-3)


def test_spelling_learns_and_is_the_same_each_time() -> None:
    intents = list(shipped_intents().values())
    texts = [text for intent in intents for text in intent.examples]
    labels = numpy.repeat(numpy.arange(len(intents)), [len(intent.examples) for intent in intents])
    counts = [counted(text) for text in texts]
    words = vocabulary(counts, 1, 40_000)
    rows = words.rows(counts)
    first, second = (fit_spelled(rows, labels, len(intents), len(words.hashes)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert (spelled_logits(first, rows).argmax(axis=1) == labels).mean() > 0.99


def test_an_order_that_is_mixed_and_whole() -> None:
    for count in (0, 1, 2, 1000):
        order = shuffled(count, 3)
        assert sorted(order.tolist()) == list(range(count))
    assert shuffled(1000, 3).tolist() != shuffled(1000, 4).tolist() != list(range(1000))
