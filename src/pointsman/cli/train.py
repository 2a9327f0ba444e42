"""Learn task types from labelled texts or from the request log, or difficulties from questions that several models answered
(--scores); the config names the file that it writes (`classifier.file`)."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.cli.train_scores import declare_scores, needs, train_scores
from pointsman.config.others_words import why
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.learning.pieces import plain
from pointsman.offline.training.card import Row, counted, told_from, write_card
from pointsman.offline.training.figures import Figures, Guess, figures_of
from pointsman.offline.training.labelled import enough, labelled_file, labelled_log, sound
from pointsman.offline.training.shipped_tasks import shipped_lessons
from pointsman.offline.training.tasks import Labelled, Trained, train_tasks
from pointsman.routing.classifier.tasks import (
    Tasks,
    calibrated,
    encoded_tasks,
    shipped_tasks,
    tasks_of,
    tasks_version,
)
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import explained

FEATURES = ("n-grams", "e5")
_SPAN = re.compile(r"[0-9]{1,9}[smhd]")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help='JSON lines of {"text", "task"}')
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="where the model is written")
    parser.add_argument(
        "--log", action="store_true", help="learn from the log: declared tasks, and those of adopted replies"
    )
    parser.add_argument("--since", metavar="SPAN", default="30d", help="with --log: only newer than 12h, 30d (default)")
    parser.add_argument("--data-dir", metavar="DIR", help="with --log: where it is; default: as in the config")
    parser.add_argument("--alone", action="store_true", help="without the texts that the model that ships is made of")
    parser.add_argument(
        "--features",
        choices=FEATURES,
        default=FEATURES[0],
        help="what it looks at: spelling alone (default), or also the meaning, by the embedding model e5",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_scores(parser)
    declare_config(parser)
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """Raises PointsmanError, Problems."""
    _check_out(options.out)
    if options.scores is not None:
        return train_scores(options)
    own = sound(_texts(options))
    enough(own)
    known = {" ".join(text.text.split()) for text in own}
    shipped = () if options.alone else tuple(t for t in shipped_lessons() if " ".join(t.text.split()) not in known)
    texts = (*own, *shipped)
    spelled = trained = train_tasks(texts, {"made of": f"{len(own)} own texts, {len(shipped)} that ship"})
    if options.features == "e5":
        trained = _with_meaning(spelled, texts, options.tongue)
    file = trained.file
    now, before = _figures(trained, own), figures_of([_by(shipped_tasks(), text.text, text.task) for text in own])
    without = _figures(spelled, own) if trained is not spelled else None
    data = encoded_tasks(file)
    try:
        options.out.write_bytes(data)
    except OSError as error:
        message = said("{path} cannot be written: {why}", "{path} 无法写入：{why}", path=options.out, why=why(error))
        raise PointsmanError(message) from None
    least = tasks_of(data).least
    card = _card(options.out, tasks_of(data), own, len(shipped), [(_OWN, now), (_SPELLED, without), (_SHIPS, before)])
    if options.json:
        shown = {"texts": len(own), "shipped_texts": len(shipped), "least": least, "features": options.features}
        figures = {"own": now, "by_spelling": without, "model_that_ships": before}
        print_json({**shown, "version": tasks_version(data), **figures, "card": str(card)})
        return 0

    def tell(name: Said, figures: Figures) -> None:
        print_line(
            told(said("{name}: {what}", "{name}：{what}", name=name, what=_told_figures(figures)), options.tongue)
        )

    tell(said("{n} own texts, each left out in turn", "自有文本 {n} 条，逐份留出", n=len(own)), now)
    if without is not None:
        tell(_SPELLED, without)
    tell(_SHIPS, before)
    text = said(
        "{file}: version {version}, its card {card}; the config names it: classifier: {{file: {file}}}",
        "{file}：版本 {version}，数据卡 {card}；在配置里写 classifier: {{file: {file}}} 即可使用",
        file=options.out,
        card=card.name,
        version=tasks_version(data),
    )
    print_line(told(text, options.tongue))
    if now.accuracy < before.accuracy:
        text = said(
            "careful: on these texts it is worse than the model that ships; more texts, or other ones, are needed",
            "注意：在这些文本上它不如随附的模型；需要更多或更有代表性的文本",
        )
        print_line(told(text, options.tongue))
    return 0


_OWN = Said("own texts, each left out in turn", "自有文本，逐份留出")
_SPELLED = Said("the same, by spelling alone", "同样的文本，只看字面")
_SHIPS = Said("the model that ships, on the same texts", "随附模型，同样的文本")


def _with_meaning(spelled: Trained, texts: Sequence[Labelled], tongue: Tongue) -> Trained:
    """Raises PointsmanError."""
    try:
        from pointsman.offline.training.tasks_meaning import with_meaning
        from pointsman.offline.training.vectors import vectors_of
    except ImportError as error:  # numpy, which comes with the embedding model
        raise PointsmanError(needs("train --features e5", error)) from None

    def tell(text: Said) -> None:
        print(told(text, tongue), file=sys.stderr, flush=True)

    return with_meaning(spelled, texts, vectors_of([text.text for text in texts], tell))


def _figures(trained: Trained, own: Sequence[Labelled]) -> Figures:
    """Of the texts that come first."""
    file = trained.file
    knots, least = (file.knots, file.least) if file.meaning is None else (file.meaning.knots, file.meaning.least)
    return figures_of(
        [
            Guess(text.task, judged.told, calibrated(knots, judged.probability) >= least)
            for text, judged in zip(own, trained.judged, strict=False)
        ]
    )


def _card(
    path: Path, tasks: Tasks, own: Sequence[Labelled], shipped: int, figures: Sequence[tuple[Said, Figures | None]]
) -> Path:
    counts = counted(Counter(text.task for text in own))
    chinese = sum(any("\u3400" <= character <= "\u9fff" for character in text.text) for text in own)
    texts = said("{n:,}, {han:,} of them with ideographs", "{n:,} 条，其中含汉字的 {han:,} 条", n=len(own), han=chinese)
    is_rows: list[Row] = [
        (Said("version", "版本"), tasks.version),
        (Said("tells", "给出"), ", ".join(tasks.names)),
        (Said("looks at", "依据"), told_from(tasks.learnt_with)),
        (Said("least confidence", "最低置信度"), f"{tasks.least:.2f}"),
    ]
    learnt: list[Row] = [
        (Said("own texts", "自有文本"), texts),
        (Said("by task type", "按任务类型"), counts),
        (Said("texts that ship", "随附文本"), f"{shipped:,}"),
    ]
    reached: list[Row] = [(name, _told_figures(each)) for name, each in figures if each is not None]
    title = said("Task types: the model {file}", "任务类型模型 {file}", file=path.name)
    parts = [
        (Said("What it is", "它是什么"), is_rows),
        (Said("What it was learnt from", "学自什么"), learnt),
        (Said("What it reaches", "达到什么"), reached),
    ]
    return write_card(path, title, parts)


def _told_figures(figures: Figures) -> Said:
    return said(
        "told {coverage}, of these right {right}; the likeliest task is right in {accuracy}",
        "给出任务 {coverage}，其中正确 {right}；最可能的任务正确 {accuracy}",
        coverage=f"{figures.coverage:.1%}",
        right=f"{figures.right:.1%}",
        accuracy=f"{figures.accuracy:.1%}",
    )


def _check_out(path: Path) -> None:
    """Before a minute is spent on what cannot be written. Raises PointsmanError."""
    folder = path.absolute().parent
    if path.is_dir():
        raise PointsmanError(said("--out {path} is a folder, not a file", "--out {path} 是文件夹，不是文件", path=path))
    if not os.access(folder, os.W_OK):
        message = said("{folder} is no folder that can be written to", "{folder} 不是可以写入的文件夹", folder=folder)
        raise PointsmanError(message)


def _by(tasks: Tasks, text: str, task: str) -> Guess:
    found = tasks.of(plain(text)) or tasks.nothing
    return Guess(task, found.task, found.confidence >= tasks.least)


def _texts(options: argparse.Namespace) -> tuple[Labelled, ...]:
    texts = tuple(text for path in options.files for text in labelled_file(path))
    if not options.log:
        if not options.files:
            raise PointsmanError(said("name a file of texts, --log or --scores", "请给出文本文件、--log 或 --scores"))
        return texts
    if not _SPAN.fullmatch(options.since):
        message = said(
            "--since {span!r} is no span of time (valid: 30m, 12h, 7d)",
            "--since {span!r} 不是时长（合法取值：30m、12h、7d）",
            span=options.since,
        )
        raise PointsmanError(message)
    loaded = load_config(options, {"server.data_dir": options.data_dir} if options.data_dir else None)
    try:
        logged = labelled_log(data_dir(loaded.config), time.time() - parse_span(options.since))
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        raise PointsmanError(message) from None
    return (*texts, *logged)
