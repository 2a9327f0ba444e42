"""Make the arbiter's confidence mean what it says: fit it on labelled texts, or on what rules took, and store that."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pointsman.app.build import Built, build
from pointsman.arbiter.evaluation import Evaluation
from pointsman.cli.asked_gateway import AskedGateway, heads_of
from pointsman.cli.base_here import base_here
from pointsman.cli.bench_intents import needs_numpy
from pointsman.cli.gateway_client import KEY, Client, Refused, Unreachable
from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.errors import PointsmanError
from pointsman.domain.intent import OPEN_ENDED, OUT_OF_SCOPE, Calibration, Query
from pointsman.domain.said import said, told
from pointsman.offline.question import Question, Unreadable
from pointsman.offline.read_file import questions_of_file
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import explained

_SPAN = re.compile(r"[0-9]{1,9}[smhd]")
_VENV = Path(".venv-bench")
_EVERY = 200
_NOTHING_HEARD = (
    "the gateway's arbiter heard none of {of} texts: it has none, it is not ready, or rules take them all",
    "{of} 条文本没有一条经过网关的仲裁器：没有仲裁器、尚未就绪，或都被规则接走",
)


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--labels",
        metavar="FILE",
        type=Path,
        help=f"CSV or JSON lines with a text and its intent; {OUT_OF_SCOPE}: none of them",
    )
    source.add_argument("--weak", action="store_true", help="what rules took, by the log: their actions are the labels")
    parser.add_argument(
        "--since", metavar="SPAN", default="30d", help="with --weak: only newer than 12h, 30d (default)"
    )
    parser.add_argument(
        "--gateway",
        metavar="URL",
        nargs="?",
        const="",
        help="ask the arbiter of a running gateway, a model too; default: the embedded one, here",
    )
    parser.add_argument("--key", help=f"with --gateway, a key, where one is needed; default: {KEY}")
    parser.add_argument("--data-dir", metavar="DIR", help="where log and arbiter are; default: as in the config")
    parser.add_argument("--dry-run", action="store_true", help="show it, store nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the reliability diagram (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=f"what draws; default {_VENV}")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """Raises PointsmanError, Problems, FileNotFoundError."""
    try:
        from pointsman.arbiters.calibrations import keep_calibration, keep_evaluation
        from pointsman.bench.intent_tables import before_and_after, reliability_panel, reliability_table
        from pointsman.bench.plotting import check_plot, draw
        from pointsman.bench.tables import as_text
    except ImportError as error:
        raise PointsmanError(needs_numpy(error)) from None
    if options.plot:
        check_plot(options.plot, options.venv)
    built = build(load_config(options, {"server.data_dir": options.data_dir} if options.data_dir else None))
    questions = _labelled(options, built)
    done = asyncio.run(_done(options, built, questions))
    folder = data_dir(built.config) / "arbiter"
    file = None if options.dry_run else keep_calibration(folder, done.calibration)
    if file is not None:
        keep_evaluation(folder, _evaluation(done, options.labels))
    if options.json:
        print_json(
            {"calibration": done.calibration, "before": done.before, "after": done.after, "file": file and str(file)}
        )
    else:
        for table in (
            before_and_after(done.before, done.after),
            reliability_table(said("Before", "之前"), done.before.reliability),
            reliability_table(said("After", "之后"), done.after.reliability),
        ):
            for line in as_text(table, options.tongue):
                print_line(line)
            print()
        for text in _notes(done, file):
            print_line(told(text, options.tongue))
    if options.plot:
        draw(
            [reliability_panel("Reliability", done.before.reliability, done.after.reliability)],
            options.plot,
            options.venv,
        )
    return 0


def _evaluation(done: Any, labels: Path | None) -> Evaluation:
    """What the console shows of it."""
    return Evaluation(
        heads=done.calibration.model,
        at=time.time(),
        texts=done.after.texts,
        before=done.before.reliability,
        after=done.after.reliability,
        ece_before=done.before.ece,
        ece_after=done.after.ece if done.calibration.ece_after is None else done.calibration.ece_after,
        accuracy=done.after.accuracy,
        confusion=done.confusion,
        labels=None if labels is None else labels.name,
        confused=done.confused,
        binned=done.binned,
    )


def _labelled(options: argparse.Namespace, built: Built) -> tuple[Question, ...]:
    intents = built.config.arbiter.intents
    if not intents:
        raise PointsmanError(said("the config has no intents", "配置里没有意图"))
    if options.weak:
        return _weak(options, built)
    if not options.labels.is_file():
        raise PointsmanError(said("there is no {path}", "没有 {path}", path=options.labels))
    try:
        found = questions_of_file(options.labels).found
    except Unreadable as error:
        raise PointsmanError(error.args[0]) from None
    labelled = tuple(question for question in found if question.label is not None)
    unknown = sorted({str(question.label) for question in labelled} - {*intents, OUT_OF_SCOPE, OPEN_ENDED})
    if unknown:
        message = said(
            "{file} has intents that the config has not: {names} (valid: {valid}, {outside})",
            "{file} 里有配置中没有的意图：{names}（合法取值：{valid}、{outside}）",
            file=options.labels,
            names=", ".join(unknown[:5]),
            valid=", ".join(intents),
            outside=OUT_OF_SCOPE,
        )
        raise PointsmanError(message)
    return labelled


def _weak(options: argparse.Namespace, built: Built) -> tuple[Question, ...]:
    from pointsman.offline.calibrating.weak import weak_labels

    if not _SPAN.fullmatch(options.since):
        message = said(
            "--since {span!r} is no span of time (valid: 30m, 12h, 7d)",
            "--since {span!r} 不是时长（合法取值：30m、12h、7d）",
            span=options.since,
        )
        raise PointsmanError(message)
    leads_to = {name: intent.action for name, intent in built.config.arbiter.intents.items() if intent.action}
    try:
        return weak_labels(data_dir(built.config), time.time() - parse_span(options.since), leads_to)
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        raise PointsmanError(message) from None


async def _done(options: argparse.Namespace, built: Built, questions: tuple[Question, ...]) -> Any:
    if options.gateway is not None:
        return await _by_gateway(options, built, questions)
    from pointsman.arbiters.embedded import embedded
    from pointsman.arbiters.spelling import SpellingOnly
    from pointsman.embedding import E5, installed_model
    from pointsman.offline.calibrating.run import calibrated
    from pointsman.pipeline.intent_rules import intents_of

    model = installed_model()
    e5 = E5(model) if model else None
    outside = tuple(built.config.arbiter.outside)
    arbiter = embedded(intents_of(built.config), e5 or SpellingOnly(), data_dir(built.config) / "arbiter", outside)
    try:
        await arbiter.start()
        if arbiter.fitted is None:
            raise PointsmanError(said("the arbiter could not be trained", "仲裁器训练失败"))

        tell = _teller(options, len(questions))
        done = await calibrated(arbiter, arbiter.fitted.heads, arbiter.fitted.calibration, questions, tell)
    finally:
        await arbiter.aclose()
        if e5 is not None:
            await e5.close()
    return _enough(done, questions)


async def _by_gateway(options: argparse.Namespace, built: Built, questions: tuple[Question, ...]) -> Any:
    """The arbiter that a running gateway has. Raises PointsmanError."""
    from pointsman.arbiters.calibrations import kept_calibration
    from pointsman.offline.calibrating.run import calibrated

    client = Client(options.gateway or base_here(), options.key, options.tongue)
    arbiter = AskedGateway(client)
    heads = ""
    try:
        for question in questions:
            heard = await arbiter.hear(Query(text=question.text))
            if heard.failure is None:
                heads = heads_of(heard)
                break
        else:
            raise PointsmanError(said(*_NOTHING_HEARD, of=len(questions)))
        now = kept_calibration(data_dir(built.config) / "arbiter", heads) or Calibration()
        done = await calibrated(arbiter, heads, now, questions, _teller(options, len(questions)))
    except (Unreachable, Refused) as error:
        raise PointsmanError(error.args[0]) from None
    return _enough(done, questions)


def _teller(options: argparse.Namespace, of: int) -> Callable[[int], None]:
    def tell(number: int) -> None:
        if number and number % _EVERY == 0:
            text = said("{n} of {of} texts heard", "已听 {n} / {of} 条", n=number, of=of)
            print(told(text, options.tongue), file=sys.stderr, flush=True)

    return tell


def _enough(done: Any, questions: tuple[Question, ...]) -> Any:
    from pointsman.offline.calibrating.run import LEAST

    if done is None:
        message = said(
            "{texts} labelled texts are too few: at least {least}, some of them with an intent",
            "带标签的文本太少（{texts} 条）：至少 {least} 条，且要有属于意图的",
            texts=len(questions),
            least=LEAST,
        )
        raise PointsmanError(message)
    return done


def _notes(done: Any, file: Path | None) -> list[str]:
    calibration = done.calibration
    notes: list[str] = [
        said(
            "{kind}, fitted on {texts} texts; expected calibration error on texts left out: {before} before, {after} after",
            "方式：{kind}，拟合用了 {texts} 条；在没参与拟合的文本上，期望校准误差：之前 {before}，之后 {after}",
            kind=calibration.kind,
            texts=calibration.texts,
            before=_error(done.before.ece),
            after=_error(calibration.ece_after),
        )
    ]
    if file is not None:
        notes.append(
            said(
                "stored in {file}; a gateway reads it at its next start or reload",
                "已存入 {file}；网关下次启动或重新加载时生效",
                file=file,
            )
        )
    return notes


def _error(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
