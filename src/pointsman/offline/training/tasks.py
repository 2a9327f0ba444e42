"""From texts with their task types to a model of them. Pure; in whole numbers, so that the same texts give the same bytes
on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pointsman.learning.descent import fit, length_root, mixed, root, rounded
from pointsman.learning.lanes import middle, unpacked
from pointsman.learning.linear import Linear
from pointsman.learning.pieces import pieces, plain
from pointsman.offline.training.groups import groups_of
from pointsman.offline.training.word_classes import word_classes
from pointsman.routing.classifier.tasks import (
    FORMAT,
    SHIFT,
    WHOLE,
    WISH,
    TasksFile,
    calibrated,
    likely,
    logits,
    task_row,
)

FOLDS = 5
COVERED = 90
"""Of a hundred texts that a model is made of, left out in turn, so many get their task told: some more than the nine of ten
that are wanted of texts which are less alike."""
_ROUNDS, _RATE = 6, 7
_PIECES = 40_000
_KNOTS = 12


class Labelled(msgspec.Struct, frozen=True):
    """A text and its task type."""

    text: str
    task: str


class Judged(msgspec.Struct, frozen=True):
    """A text that was left out: the task that was told, its probability in WHOLEs before calibration."""

    told: str
    probability: int


class Trained(msgspec.Struct, frozen=True):
    """`judged` in the order of the texts, by the `logits` (in 2⁻¹⁶) of a model that did not see them."""

    file: TasksFile
    judged: tuple[Judged, ...]
    logits: tuple[tuple[int, ...], ...]


class _Row(msgspec.Struct, frozen=True):
    pieces: tuple[str, ...]
    root: int


def train_tasks(texts: Sequence[Labelled], about: dict[str, str]) -> Trained:
    """Each text is judged once by a model that saw neither it nor what is nearly the same; from that come calibration and
    the least confidence. Then the model is made of all. Needs texts of two task types."""
    names = tuple(sorted({text.task for text in texts}))
    rows = [_row(text.text) for text in texts]
    labels = [names.index(text.task) for text in texts]
    folds = folds_of([text.text for text in texts])
    unseen: dict[int, tuple[int, ...]] = {}
    for fold in range(FOLDS):
        kept = [place for place, part in enumerate(folds) if part != fold]
        linear = _linear(names, [rows[place] for place in kept], [labels[place] for place in kept])
        for place, part in enumerate(folds):
            if part == fold:
                row = [p for p in rows[place].pieces if not p.startswith("@c ")]
                unseen[place] = tuple(logits(linear.sums(row), length_root(len(row)), SHIFT))
    order = tuple(unseen[place] for place in range(len(texts)))
    judged, knots, least = judged_by(order, names, texts)
    file = TasksFile(FORMAT, _linear(names, rows, labels).stored(), knots, least, about)
    return Trained(file, judged, order)


def judged_by(
    logits: Sequence[Sequence[int]], names: Sequence[str], texts: Sequence[Labelled]
) -> tuple[tuple[Judged, ...], tuple[tuple[int, int], ...], int]:
    """From logits of each text by a model that did not see it: what it would have told, the knots of its calibration, and
    the least confidence."""
    judged = []
    for each in logits:
        found = likely(each)
        most = max(found)
        judged.append(Judged(names[found.index(most)], most))
    right = [each.told == text.task for each, text in zip(judged, texts, strict=True)]
    knots = _knots([each.probability for each in judged], right)
    least = sorted(each.probability for each in judged)[len(judged) * (100 - COVERED) // 100]
    chance = WHOLE // len(names)  # what is no surer than that is not told
    return tuple(judged), knots, max(calibrated(knots, least), chance)


def _row(text: str) -> _Row:
    spelt = plain(text)
    known = task_row(spelt, pieces(spelt))
    classes = _CLASSES
    also = [
        f"@c {name}" for piece in known if piece.startswith(WISH) for name in classes.get(piece.removeprefix(WISH), ())
    ]
    return _Row((*known, *also), root(known))


_CLASSES = word_classes()


def _linear(names: Sequence[str], rows: Sequence[_Row], labels: Sequence[int]) -> Linear:
    heads = len(names)
    weights = fit(
        [row.pieces for row in rows], labels, heads, roots=[row.root for row in rows], rounds=_ROUNDS, rate=_RATE
    )
    for piece, several in _CLASSES.items():
        whole = sum(weights.get(f"@c {name}", 0) for name in several)
        if whole:
            weights[f"{WISH}{piece}"] = weights.get(f"{WISH}{piece}", 0) + whole
    known = {piece: whole for piece, whole in weights.items() if not piece.startswith("@c ")}
    return Linear(names, _largest(rounded(known, heads, SHIFT), heads))


def _largest(weights: dict[str, int], heads: int) -> dict[str, int]:
    """Those _PIECES that say most."""
    if len(weights) <= _PIECES:
        return weights
    lift = middle(heads)
    sizes = {piece: max(map(abs, unpacked(whole, heads, lift))) for piece, whole in weights.items()}
    kept = sorted(weights, key=lambda piece: (-sizes[piece], piece))[:_PIECES]
    return {piece: weights[piece] for piece in kept}


def folds_of(texts: Sequence[str]) -> list[int]:
    """The fold in which each text is left out, with all that is nearly the same."""
    groups = groups_of(texts)
    firsts = sorted(set(groups))
    part = {firsts[place]: turn % FOLDS for turn, place in enumerate(mixed(len(firsts), -1))}
    return [part[group] for group in groups]


def _knots(probabilities: Sequence[int], right: Sequence[bool]) -> tuple[tuple[int, int], ...]:
    """How often the model is right where it gives that probability: shares of equal heaps, which never fall."""
    order = sorted(range(len(right)), key=probabilities.__getitem__)
    heaps: list[list[int]] = []  # texts, right ones, sum of their probabilities
    for turn in range(_KNOTS):
        part = order[len(order) * turn // _KNOTS : len(order) * (turn + 1) // _KNOTS]
        if part:
            heaps.append([len(part), sum(right[each] for each in part), sum(probabilities[each] for each in part)])
        while len(heaps) > 1 and heaps[-1][1] * heaps[-2][0] < heaps[-2][1] * heaps[-1][0]:
            last = heaps.pop()
            heaps[-1] = [one + other for one, other in zip(heaps[-1], last, strict=True)]
    return tuple((total // count, WHOLE * hits // count) for count, hits, total in heaps)
