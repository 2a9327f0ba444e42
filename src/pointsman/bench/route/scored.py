"""Questions with the graded quality of each model's answer, from a file."""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

_SHOWN = 5
"""Bad lines that are named; of the others, how many."""


class Scored(msgspec.Struct, frozen=True):
    """`scores`: model → quality of its answer, the more the better; `cost` and `latency` where they were measured.
    `task`: of which set or kind the question is; `task_name` is taken for it, too."""

    question: str
    scores: dict[str, float]
    cost: dict[str, float] = {}
    latency: dict[str, float] = {}
    task: str | None = None
    task_name: str | None = None

    @property
    def kind(self) -> str | None:
        return self.task if self.task is not None else self.task_name


def read_scored(path: Path, without: Collection[str] = ()) -> tuple[Scored, ...]:
    """JSON lines, other fields passed over; a name that ends in .gz is unpacked. Questions of the tasks `without` are left
    out. Raises PointsmanError: which lines are bad and why, or that nothing is left."""
    bad: list[Said] = []
    found: list[Scored] = []
    decode = msgspec.json.Decoder(Scored).decode
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            bad.append(_bad(number, said("{why}", "{why}", why=error)))
            continue
        wrong = _wrong(row)
        if wrong is not None:
            bad.append(_bad(number, wrong))
        elif row.kind not in without:
            found.append(row)
    if bad:
        raise PointsmanError(_all_bad(path, bad))
    _check_names(path, found, without)
    return tuple(found)


def _lines(path: Path) -> Iterator[bytes]:
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except OSError as error:
        message = said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=why(error))
        raise PointsmanError(message) from None
    except (EOFError, zlib.error) as error:
        message = said("{path} cannot be unpacked: {why}", "{path} 无法解压：{why}", path=path, why=error)
        raise PointsmanError(message) from None
    return iter(data.splitlines())


def _wrong(row: Scored) -> Said | None:
    if not row.question.strip():
        return said("the question is empty", "问题是空的")
    if len(row.scores) < 2:
        return said("scores of fewer than two models", "评分少于两个模型")
    for name, told in (("scores", row.scores), ("cost", row.cost), ("latency", row.latency)):
        for model, value in told.items():
            if not math.isfinite(value) or (value < 0 and name != "scores"):
                return said(
                    "{name} of {model} is {value}, which is no figure",
                    "{model} 的 {name} 是 {value}，不是有效数字",
                    name=name,
                    model=model,
                    value=value,
                )
    return None


def _bad(number: int, wrong: Said) -> Said:
    return said("line {number}: {wrong}", "第 {number} 行：{wrong}", number=number, wrong=wrong)


def _all_bad(path: Path, bad: list[Said]) -> Said:
    told = bad[0]
    for each in bad[1:_SHOWN]:
        told = said("{told}; {each}", "{told}；{each}", told=told, each=each)
    more = len(bad) - _SHOWN
    if more > 0:
        told = said("{told}; and {more} more", "{told}；还有 {more} 行", told=told, more=more)
    return said(
        '{path}: lines that are not {{"question": …, "scores": {{model: quality}}}}: {told}',
        '{path}：下面的行不是 {{"question": …, "scores": {{模型: 质量}}}}：{told}',
        path=path,
        told=told,
    )


def _check_names(path: Path, found: list[Scored], without: Collection[str]) -> None:
    if not found:
        raise PointsmanError(said("{path} holds no questions", "{path} 里没有问题", path=path))
    kinds = {row.kind for row in found}
    if without and None in kinds and len(kinds) == 1:
        raise PointsmanError(said("the questions of {path} have no task", "{path} 里的问题没有 task", path=path))


def models_of(rows: Collection[Scored]) -> tuple[str, ...]:
    return tuple(sorted({model for row in rows for model in row.scores}))


def mean_of(rows: Collection[Scored], model: str, of: str) -> float | None:
    """Mean of `scores`, `cost` or `latency` over the questions that the model answered; None where one has none."""
    told = [_field(row, of).get(model) for row in rows if model in row.scores]
    figures = [value for value in told if value is not None]
    return sum(figures) / len(figures) if figures and len(figures) == len(told) else None


def _field(row: Scored, of: str) -> Mapping[str, float]:
    return {"scores": row.scores, "cost": row.cost, "latency": row.latency}[of]
