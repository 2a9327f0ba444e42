"""Tell the task type of each text, and how sure that is: of a file's lines, or of what comes on standard input (-)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pointsman.cli.output import print_json, print_line
from pointsman.cli.table import table
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import why
from pointsman.domain.characters import whole_characters
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said, told
from pointsman.learning.pieces import piece_set, plain
from pointsman.routing.classifier.difficulty import shipped_difficulty
from pointsman.routing.classifier.meaning import TOKENS, read
from pointsman.routing.classifier.tasks import Tasks, shipped_tasks, tasks_of

_TEXT = 60
_CONFUSED = 12


class Told(msgspec.Struct, frozen=True):
    """`task` is None where the likeliest one is not sure enough."""

    text: str
    task: str | None
    likeliest: str
    confidence: float
    difficulty: float


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="texts, one a line; -: standard input")
    parser.add_argument(
        "--gold", action="store_true", help='lines of {"text", "task"}: accuracy, coverage, what is confused'
    )
    parser.add_argument("--model", metavar="FILE", type=Path, help="what `train` wrote; default: the model that ships")
    parser.add_argument("--least", metavar="CONFIDENCE", type=float, help="tell no task below it; default: the model's")
    parser.add_argument("--json", action="store_true", help="print JSON: an object a text, or the figures")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """Raises PointsmanError, Problems."""
    tasks = model_of(options.model)
    least = tasks.least if options.least is None else options.least
    if not 0 <= least <= 1:
        raise PointsmanError(
            said("--least {least} is not from 0 to 1", "--least {least} 不在 0 到 1 之间", least=least)
        )
    if options.gold:
        return _gold(options, tasks, least)
    rows = []
    for data, _ in map(_read, options.files):
        lines = [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
        for line, vector in zip(lines, _vectors(lines, tasks), strict=True):
            found = _told(line, tasks, least, vector)
            rows.append(found)
            if options.json:
                print_json(found)
    if not options.json:
        heads = [told(head, options.tongue) for head in _HEADS]
        for line in table(heads, [_cells(row) for row in rows], {1, 2}):
            print_line(line)
    return 0


_HEADS = (Said("task", "任务"), Said("confidence", "置信度"), Said("difficulty", "难度"), Said("text", "文本"))


def _cells(row: Told) -> tuple[str, ...]:
    text = " ".join(row.text.split())
    shown = text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
    return row.task or f"({row.likeliest}?)", f"{row.confidence:.2f}", f"{row.difficulty:.2f}", shown


def model_of(path: Path | None) -> Tasks:
    """Raises PointsmanError."""
    if path is None:
        return shipped_tasks()
    try:
        return tasks_of(path.read_bytes())
    except OSError as error:
        reason: str = why(error)
    except ValueError:
        reason = said("it is no model of task types", "它不是任务类型模型")
    raise PointsmanError(said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=reason))


def _read(name: str) -> tuple[bytes, str]:
    if name == "-":
        return sys.stdin.buffer.read(), "-"
    try:
        return Path(name).read_bytes(), name
    except OSError as error:
        raise PointsmanError(
            said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=name, why=why(error))
        ) from None


def _vectors(lines: Sequence[str], tasks: Tasks) -> Sequence[bytes | None]:
    """Of each line, where the model looks at meaning. Raises PointsmanError where its embedding model is not installed."""
    learnt_with = tasks.learnt_with
    if learnt_with is None or not lines:
        return [None] * len(lines)
    from pointsman.embedding import other_than
    from pointsman.embedding.many import embedded

    if (wrong := other_than(learnt_with.name, learnt_with.digest)) is not None:
        raise PointsmanError(said("the model {what}", "该模型{what}", what=wrong))
    return embedded([read(whole_characters(line)) for line in lines], TOKENS)


def _told(line: str, tasks: Tasks, least: float, vector: bytes | None) -> Told:
    text = whole_characters(line)
    spelt = plain(text)
    found = tasks.of(spelt, vector) or tasks.nothing
    task = found.task if found.confidence >= least else None
    return Told(line, task, found.task, found.confidence, shipped_difficulty().of(text, piece_set(spelt)))


def _gold(options: argparse.Namespace, tasks: Tasks, least: float) -> int:
    from pointsman.offline.training.figures import Guess, figures_of
    from pointsman.offline.training.labelled import labelled_lines

    guesses = []
    for data, name in map(_read, options.files):
        labelled = labelled_lines(data, name)
        for row, vector in zip(labelled, _vectors([each.text for each in labelled], tasks), strict=True):
            found = _told(row.text, tasks, least, vector)
            guesses.append(Guess(row.task, found.likeliest, found.task is not None))
    if not guesses:
        raise PointsmanError(said("there are no texts", "没有文本"))
    figures = figures_of(guesses)
    if options.json:
        print_json({"model": tasks.version, "least": least, **msgspec.to_builtins(figures)})
        return 0
    text = said(
        "{texts} texts; told {coverage}, of these right {right}; the likeliest task is right in {accuracy} of all",
        "共 {texts} 条；给出任务 {coverage}，其中正确 {right}；在全部文本中最可能的任务正确 {accuracy}",
        texts=figures.texts,
        coverage=f"{figures.coverage:.1%}",
        right=f"{figures.right:.1%}",
        accuracy=f"{figures.accuracy:.1%}",
    )
    print_line(told(text, options.tongue))
    heads = [told(head, options.tongue) for head in (Said("task", "任务"), Said("told", "判为"), Said("texts", "条数"))]
    confused = [(wanted, found, str(count)) for wanted, found, count in figures.confused[:_CONFUSED]]
    for line in table(heads, confused, {2}) if confused else ():
        print_line(line)
    return 0
