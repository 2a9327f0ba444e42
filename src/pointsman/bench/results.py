"""Raw values of a bench run, what is derived of them, and their JSON."""

from __future__ import annotations

import datetime
import json
import math
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pointsman.bench.machine import machine
from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

FORMAT = 1


class Spread(NamedTuple):
    """Of the rounds: the median, the smallest and the largest value."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Sample:
    """One subject, one row, one round. Keys of `values` end in their unit."""

    subject: str
    row: str
    round: int
    values: dict[str, float]


@dataclass(frozen=True)
class Failure:
    """Why a row of a subject has no value, or no trustworthy one."""

    subject: str
    row: str
    round: int
    why: str


@dataclass
class Results:
    """`kind` is relay, layers, workers, growth, rules, jobs, log, log_million, l1, quality, admission, nodes, swap, replay,
    replay-check or whatif; `versions` those of the subjects; `rows` and `versions` are in the order in which they are shown.
    `skipped` are subjects that were not there, with the reason."""

    kind: str
    date: str
    machine: dict[str, Any]
    options: dict[str, Any]
    rows: list[str]
    versions: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def spread(self, subject: str, row: str, key: str) -> Spread | None:
        """Over the rounds that have that value. None where none has, or where the row failed in any round."""
        return None if self.why_failed(subject, row) else _spread(list(self._by_round(subject, row, key).values()))

    def difference(self, subject: str, row: str, key: str, other: str) -> Spread | None:
        """What this subject has more than the other one, taken round by round."""
        if self.why_failed(subject, row) or self.why_failed(other, row):
            return None
        ours, theirs = self._by_round(subject, row, key), self._by_round(other, row, key)
        return _spread([value - theirs[number] for number, value in ours.items() if number in theirs])

    def why_failed(self, subject: str, row: str) -> str | None:
        """The first failure; those of the subject as a whole have the row `*`."""
        return next((f.why for f in self.failures if f.subject == subject and f.row in (row, "*")), None)

    def ratio(self, subject: str, row: str, key: str, other: str) -> float | None:
        """How many times the other subject's median this one's is."""
        ours, theirs = self.spread(subject, row, key), self.spread(other, row, key)
        return ours.median / theirs.median if ours and theirs and theirs.median else None

    def _by_round(self, subject: str, row: str, key: str) -> dict[int, float]:
        return {
            sample.round: sample.values[key]
            for sample in self.samples
            if sample.subject == subject and sample.row == row and math.isfinite(sample.values.get(key, math.nan))
        }

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=1) + "\n", "utf-8")


def new_results(kind: str, options: dict[str, Any], rows: list[str]) -> Results:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Results(kind, now, machine(), options, rows)


def read_results(path: Path) -> Results:
    """Raises PointsmanError where the file cannot be read, or holds none, or of another format."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        message = said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=why(error))
        raise PointsmanError(message) from None
    try:
        told = json.loads(text)
        if told.pop("format") != FORMAT:
            raise ValueError
        samples = [Sample(**sample) for sample in told.pop("samples")]
        failures = [Failure(**failure) for failure in told.pop("failures")]
        return Results(**told, samples=samples, failures=failures)
    except (ValueError, KeyError, TypeError, AttributeError):
        message = said("{path} holds no results of a bench", "{path} 里没有基准测试的结果", path=path)
        raise PointsmanError(message) from None


def _spread(values: list[float]) -> Spread | None:
    return Spread(statistics.median(values), min(values), max(values)) if values else None
