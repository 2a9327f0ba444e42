"""The embedded arbiter on labelled texts, as the gateway runs it: trained on one file, measured on another."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pointsman.arbiter.cut import cost
from pointsman.arbiter.figures import Figures, figures
from pointsman.arbiter.fitting import FALSE_ALARMS, Judged, fit_calibration
from pointsman.arbiters.embedded import EmbeddedArbiter, embedded
from pointsman.arbiters.spelling import SpellingOnly
from pointsman.bench.labelled import Labelled
from pointsman.bench.machine import machine
from pointsman.domain.errors import PointsmanError
from pointsman.domain.intent import Calibration, Heard, Intent, Query
from pointsman.domain.said import Said, said
from pointsman.embedding import E5, installed_model
from pointsman.ports.embed import Embed

SHORT = 20
"""Tokens, about, up to which a text is short."""
_PEER = Path(__file__).with_name("peers") / "intents_sklearn.py"
_EVERY = 500
ALARMS = 0.04
"""The share of validation texts that the threshold may take for open-ended: some room below 5 %."""
Tell = Callable[[Said], None]


class Latency(msgspec.Struct, frozen=True):
    """Milliseconds, over `texts` of them."""

    texts: int
    p50: float
    p95: float
    most: float


class Subject(msgspec.Struct, frozen=True):
    """`short`: latency on texts of up to about 20 tokens."""

    name: str
    version: str
    figures: Figures
    short: Latency | None
    all: Latency
    training_s: float


class IntentResults(msgspec.Struct, frozen=True):
    """`skipped`: peers that were not there, and why."""

    kind: str
    machine: dict[str, object]
    training: int
    validation: int
    intents: int
    subjects: tuple[Subject, ...]
    calibration: Calibration
    skipped: dict[str, str] = {}


def intents_of(rows: Sequence[Labelled]) -> tuple[list[Intent], list[str]]:
    """Intents with the texts as their examples, and the texts outside."""
    examples: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.inside:
            examples[row.intent].append(row.text)
    return (
        [Intent(name, examples=tuple(texts)) for name, texts in sorted(examples.items())],
        [row.text for row in rows if not row.inside],
    )


async def run_intents(
    train: Sequence[Labelled],
    test: Sequence[Labelled],
    validation: Sequence[Labelled] | None,
    folder: Path,
    venv: Path,
    tell: Tell,
    *,
    embedding: bool = True,
) -> IntentResults:
    """`validation` is for the calibration and the threshold; without it they are what training gives, from examples that
    were left out in turn. Raises PointsmanError."""
    model = installed_model() if embedding else None
    e5 = E5(model) if model else None
    embed: Embed = e5 or SpellingOnly()
    intents, outside = intents_of(train)
    arbiter = embedded(intents, embed, folder, outside)
    try:
        began = time.perf_counter()
        tell(
            said(
                "training on {texts} texts of {intents} intents, {outside} outside …",
                "正在训练：{intents} 个意图的 {texts} 条文本，意图之外 {outside} 条……",
                texts=len(train) - len(outside),
                intents=len(intents),
                outside=len(outside),
            )
        )
        await arbiter.start()
        if arbiter.fitted is None:
            raise PointsmanError(said("the arbiter could not be trained", "仲裁器训练失败"))
        training = time.perf_counter() - began
        calibration = arbiter.fitted.calibration
        if validation:
            judged = await _judged(arbiter, validation, tell)
            calibration = fit_calibration([each for each, _ in judged], alarms=ALARMS)
        found = await _judged(arbiter, test, tell)
        ours = Subject(
            "pointsman",
            arbiter.fitted.model,
            figures([each for each, _ in found], calibration),
            _latency([each.heard.took_ms for each, row in found if cost(row.text) <= SHORT]),
            _latency([each.heard.took_ms for each, _ in found]) or Latency(0, 0.0, 0.0, 0.0),
            round(training, 1),
        )
    finally:
        await arbiter.aclose()
        if e5 is not None:
            await e5.close()
    subjects, skipped = [ours], {}
    tell(said("the peer …", "对照组……"))
    try:
        subjects.append(_peer(train, test, venv))
    except _Missing as missing:
        skipped["scikit-learn"] = str(missing)
    return IntentResults(
        "intents",
        machine(),
        len(train),
        len(validation or ()),
        len(intents),
        tuple(subjects),
        calibration,
        skipped,
    )


async def _judged(arbiter: EmbeddedArbiter, rows: Sequence[Labelled], tell: Tell) -> list[tuple[Judged, Labelled]]:
    found = []
    for number, row in enumerate(rows):
        if number % _EVERY == 0:
            tell(said("{n} of {of} texts heard", "已听 {n} / {of} 条", n=number, of=len(rows)))
        heard = await arbiter.hear(Query(text=row.text))
        if heard.failure:
            raise PointsmanError(said("the arbiter failed: {why}", "仲裁器失败：{why}", why=heard.failure))
        found.append((Judged(heard, row.inside, row.inside and heard.scores[0][0] == row.intent), row))
    return found


def _latency(found: Sequence[float]) -> Latency | None:
    if not found:
        return None
    rising = sorted(found)

    def at(share: float) -> float:
        return round(rising[min(int(len(rising) * share), len(rising) - 1)], 2)

    return Latency(len(rising), at(0.5), at(0.95), round(rising[-1], 2))


class _Missing(Exception):
    """The peer is not there."""


def _peer(train: Sequence[Labelled], test: Sequence[Labelled], venv: Path) -> Subject:
    """Texts outside are left out of its training, and told by how low its best probability is."""
    began = time.perf_counter()
    order = {
        "train": [[row.text, row.intent] for row in train if row.inside],
        "test": [row.text for row in test],
    }
    python = next((each for each in (Path(sys.executable), venv / "bin" / "python") if _has_peer(each)), None)
    if python is None:
        raise _Missing("scikit-learn is not installed")
    done = subprocess.run(  # noqa: S603
        [python, str(_PEER)], input=json.dumps(order), capture_output=True, text=True
    )
    if done.returncode:
        raise _Missing(done.stderr.strip().rpartition("\n")[2])
    given = json.loads(done.stdout)
    took = sum(each[2] for each in given["found"]) / 1000
    judged = []
    for row, (intent, sure, _) in zip(test, given["found"], strict=True):
        heard = Heard(arbiter="", model="", scores=((intent, round(sure, 6)),), outside=round(1 - sure, 6))
        judged.append(Judged(heard, row.inside, intent == row.intent))
    plain = Calibration(kind="platt", slope=0.0, outside_slope=-1.0, threshold=_five_percent(judged))
    latency = _latency([each[2] for each in given["found"]])
    short = _latency([each[2] for each, row in zip(given["found"], test, strict=True) if cost(row.text) <= SHORT])
    return Subject(
        "tf-idf + logistic regression",
        f"scikit-learn {given['version']}",
        figures(judged, plain),
        short,
        latency or Latency(0, 0.0, 0.0, 0.0),
        round(time.perf_counter() - began - took, 1),
    )


def _five_percent(judged: Sequence[Judged]) -> float:
    rising = sorted(each.heard.outside for each in judged if each.inside)
    return rising[min(int(len(rising) * (1 - FALSE_ALARMS)), len(rising) - 1)]


def _has_peer(python: Path) -> bool:
    if not python.exists():
        return False
    done = subprocess.run([python, "-c", "import sklearn.linear_model"], capture_output=True)  # noqa: S603
    return done.returncode == 0
