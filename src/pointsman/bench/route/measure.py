"""Routers beside each other on graded questions: by random folds and by tasks left out, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy

from pointsman.bench.machine import machine
from pointsman.bench.route.figures import (
    Interval,
    Method,
    Model,
    PairFigures,
    Point,
    RouteResults,
    SplitFigures,
    Sweep,
)
from pointsman.bench.route.methods import (
    BOTH,
    LENGTH,
    MEANING,
    ORACLE,
    OURS,
    RANDOM,
    SHIPPED,
    TFIDF,
    Missing,
    Prepared,
    chance,
    learnt,
    meanings,
    meant,
    prepared,
    tfidf,
)
from pointsman.bench.route.pair import Answered, Pair, answered, check_pair
from pointsman.bench.route.scored import Scored, mean_of, models_of
from pointsman.bench.route.splits import Fold, Split, folds_of
from pointsman.bench.route.sweep import swept
from pointsman.domain.said import Said, said
from pointsman.embedding import installed_model
from pointsman.learning.dense_gap import joined
from pointsman.learning.recovery import Doubles, apgr, calls_for, curve, order_of, resampled
from pointsman.routing.classifier.difficulty import Difficulty, shipped_difficulty

POINTS = 20
"""Steps of a curve that is kept."""
LEAST_GAP = 0.02
"""Mean advantage of the heavy model below which another pair is not measured: shares of nearly nothing say nothing."""
Tell = Callable[[Said], None]


class Validated(NamedTuple):
    """Of a way of learning, on questions that it did not learn from: APGR, and what it has more than length and than the
    model that ships."""

    split: str
    apgr: Interval
    over_length: Interval
    over_shipped: Interval


class Asked(msgspec.Struct, frozen=True):
    """`folds`: random ones; `rounds`: resamples for intervals; `peer`: with TF-IDF; `pairs`: the heavy model with each of
    the others, too; `meaning`: with routers that look at vectors of e5."""

    folds: int = 5
    rounds: int = 1000
    seed: int = 1
    peer: bool = True
    pairs: bool = True
    sweep: bool = False
    meaning: bool = False


def run_route(rows: Sequence[Scored], pair: Pair, asked: Asked, file: str, venv: Path, tell: Tell) -> RouteResults:
    """Raises PointsmanError where the pair has no gap."""
    found = answered(rows, pair.light, pair.heavy)
    check_pair(found, pair.light, pair.heavy)
    shipped = shipped_difficulty()
    known = prepared([row.question for row in found.rows], shipped)
    versions, skipped = {OURS: "learning/gap.py", SHIPPED: shipped.version}, {}
    if not asked.peer:
        skipped[TFIDF] = "--no-peer"
    floats: Doubles | None = None
    if asked.meaning:
        floats = meanings([row.question for row in found.rows], tell)
        versions[MEANING] = versions[BOTH] = str(installed_model())
    splits: list[SplitFigures] = []
    sweep: Sweep | None = None
    for split in splits_of(found.rows):
        folds = folds_of(split, [row.kind for row in found.rows], asked.folds, asked.seed)
        tell(said("{split}: {folds} folds …", "{split}：{folds} 折……", split=split_name(split), folds=len(folds)))
        scores = {OURS: learnt(known, found.gaps, folds), SHIPPED: known.shipped, LENGTH: known.lengths}
        if floats is not None:
            scores[MEANING] = meant(floats, found.gaps, folds)
            scores[BOTH] = joined(scores[OURS], scores[MEANING])
        if asked.peer and TFIDF not in skipped:
            try:
                scores[TFIDF], versions[TFIDF] = tfidf([r.question for r in found.rows], found.gaps, folds, venv)
            except Missing as missing:
                skipped[TFIDF] = str(missing)
        scores[RANDOM] = chance(len(found.rows), asked.seed)
        scores[ORACLE] = found.gaps
        splits.append(SplitFigures(split, len(folds), _methods(found, pair, scores, asked)))
        if asked.sweep and sweep is None:
            sweep = swept(found.gaps, scores[OURS], lambda share: point(found, pair, share))
    return RouteResults(
        kind="route",
        machine=machine(),
        file=file,
        seed=asked.seed,
        rounds=asked.rounds,
        questions=len(found.rows),
        unshared=len(rows) - len(found.rows),
        tasks=dict(sorted(Counter(row.kind or "" for row in found.rows).items())),
        light=pair.light,
        heavy=pair.heavy,
        why=pair.why,
        quality=(float(found.light.mean()), float(found.heavy.mean())),
        models=tuple(_models(rows)),
        splits=tuple(splits),
        pairs=tuple(_pairs(rows, pair, asked, tell)) if asked.pairs else (),
        sweep=sweep,
        versions=versions,
        skipped=skipped,
    )


def splits_of(rows: Sequence[Scored]) -> tuple[Split, ...]:
    """Tasks are left out in turn where each question has one and there are at least two."""
    kinds = {row.kind for row in rows}
    return ("random", "tasks") if len(kinds) > 1 and None not in kinds else ("random",)


def split_name(split: str) -> Said:
    return said("random folds", "随机分折") if split == "random" else said("leave one task out", "逐个留出任务")


def point(found: Answered, pair: Pair, share: Doubles) -> Point:
    """What comes of sending that share of each question to the heavy model."""
    calls = float(share.mean())
    quality = float((found.light + share * found.gaps).mean())
    recovered = float((share * found.gaps).sum() / found.gaps.sum())
    cost, latency = (_mixed(found, pair, share, of) for of in ("cost", "latency"))
    return Point(calls, quality, recovered, cost, latency)


def _mixed(found: Answered, pair: Pair, share: Doubles, of: str) -> float | None:
    told = [row.cost if of == "cost" else row.latency for row in found.rows]
    if not all(pair.light in each and pair.heavy in each for each in told):
        return None
    weak = numpy.array([each[pair.light] for each in told])
    strong = numpy.array([each[pair.heavy] for each in told])
    return float((weak + share * (strong - weak)).mean())


def _methods(found: Answered, pair: Pair, scores: dict[str, Doubles], asked: Asked) -> tuple[Method, ...]:
    gaps = found.gaps
    names = list(scores)
    drawn = resampled([order_of(each) for each in scores.values()], [gaps] * len(names), asked.rounds, asked.seed)
    main = {name: apgr(each, gaps) for name, each in scores.items()}
    methods = []
    for place, name in enumerate(names):
        whole = curve(scores[name], gaps)
        methods.append(
            Method(
                name,
                _interval(main[name], drawn[:, place]),
                calls_for(whole, 0.5),
                calls_for(whole, 0.8),
                tuple(_points(found, pair, scores[name])),
                *(
                    _interval(main[name] - main[other], drawn[:, place] - drawn[:, names.index(other)])
                    if other in names and name != other
                    else None
                    for other in (LENGTH, TFIDF)
                ),
            )
        )
    return tuple(methods)


def _points(found: Answered, pair: Pair, scores: Doubles) -> list[Point]:
    order = order_of(scores).places
    points = []
    for step in range(POINTS + 1):
        share = numpy.zeros(len(scores))
        share[order[: round(step * len(scores) / POINTS)]] = 1.0
        points.append(point(found, pair, share))
    return points


def _interval(value: float, drawn: Doubles) -> Interval:
    low, high = numpy.nanpercentile(drawn, (2.5, 97.5)).tolist()
    return Interval(value, low, high)


def _models(rows: Sequence[Scored]) -> list[Model]:
    models = []
    for name in models_of(rows):
        there = [row for row in rows if name in row.scores]
        cost, latency = (mean_of(rows, name, of) for of in ("cost", "latency"))
        models.append(Model(name, len(there), mean_of(rows, name, "scores") or 0.0, cost, latency))
    models.sort(key=lambda model: (model.quality, model.name))
    best = sum(max(row.scores.values()) for row in rows) / len(rows)
    return [*models, Model("", len(rows), best, None, None, best=True)]


def _pairs(rows: Sequence[Scored], pair: Pair, asked: Asked, tell: Tell) -> list[PairFigures]:
    pairs = []
    for light in models_of(rows):
        found = answered(rows, light, pair.heavy)
        if light in (pair.light, pair.heavy) or not len(found.rows) or found.gaps.mean() < LEAST_GAP:
            continue
        tell(said("{light} beside {heavy} …", "{light} 和 {heavy}……", light=light, heavy=pair.heavy))
        known = prepared([row.question for row in found.rows], shipped_difficulty())
        pairs.append(_beside(found, known, light, pair.heavy, asked))
    return pairs


def _beside(found: Answered, known: Prepared, light: str, heavy: str, asked: Asked) -> PairFigures:
    gaps = found.gaps
    ours: dict[str, float] = {}
    over: dict[str, Interval] = {}
    length = apgr(known.lengths, gaps)
    for split in splits_of(found.rows):
        folds: list[Fold] = folds_of(split, [row.kind for row in found.rows], asked.folds, asked.seed)
        scores = learnt(known, gaps, folds)
        drawn = resampled([order_of(scores), order_of(known.lengths)], [gaps, gaps], asked.rounds, asked.seed)
        ours[split] = apgr(scores, gaps)
        over[split] = _interval(ours[split] - length, drawn[:, 0] - drawn[:, 1])
    return PairFigures(light, heavy, len(found.rows), float(gaps.mean()), length, ours, over)


def validated(
    rows: Sequence[Scored],
    gaps: Doubles,
    general: Difficulty,
    pull: float,
    asked: Asked,
    vectors: Doubles | None = None,
) -> list[Validated]:
    """For what `pointsman train` makes: by random folds, and by tasks left out where there are any. `vectors`: one a
    question, where it looks at their meaning, too."""
    known = prepared([row.question for row in rows], shipped_difficulty(), general)
    found = []
    for split in splits_of(rows):
        folds = folds_of(split, [row.kind for row in rows], asked.folds, asked.seed)
        scores = learnt(known, gaps, folds, pull)
        if vectors is not None:
            scores = joined(scores, meant(vectors, gaps, folds))
        others = (scores, known.lengths, known.shipped)
        ours, length, shipped = (apgr(each, gaps) for each in others)
        drawn = resampled([order_of(each) for each in others], [gaps] * 3, asked.rounds, asked.seed)
        found.append(
            Validated(
                split,
                _interval(ours, drawn[:, 0]),
                _interval(ours - length, drawn[:, 0] - drawn[:, 1]),
                _interval(ours - shipped, drawn[:, 0] - drawn[:, 2]),
            )
        )
    return found
