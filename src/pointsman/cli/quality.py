"""Show how good models are taken to be at each kind of task: what was measured, and what feedback moves that by."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

import msgspec

from pointsman.app.job_store import open_shared, sqlite_file
from pointsman.app.quality import Sums, feedback_rules, logged, scanned
from pointsman.app.quality_table import quality_table
from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.table import table
from pointsman.cli.tongue import declare_tongue
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import PointsmanError, Problems, did_you_mean
from pointsman.domain.quality import Quality
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.ports.job_store import StoreError
from pointsman.routing.feedback import DAY, FADED, FeedbackRules, Moved, moves, prior_weight
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import explained

_HEADS = (
    Said("model", "模型"),
    Said("task", "任务"),
    Said("measured", "测得"),
    Said("n", "n"),
    Said("moved by", "修正"),
    Said("now", "现在"),
    Said("words", "评价"),
    Said("watched", "观察"),
    Said("weigh", "权重"),
)
_ALL = Said("all", "全部")


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument("--model", metavar="NAME", help="only this one, by its real name")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """1 where nothing is known of any model, or of that one."""
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    config, base = loaded.config, loaded.path.resolve().parent if loaded.path else Path.cwd()
    figures, wrong = quality_table(config, base)
    if wrong:
        raise Problems(loaded.places.place_all(wrong))
    rules, today = feedback_rules(config), int(time.time() // DAY)
    words, signs = _known(config, today - int(FADED * rules.half_life), today)
    moved = moves(words, signs, figures, today, rules) if rules.bound > 0 else ()
    known = _with_table(moved, figures)
    shown = [each for each in known if options.model in (None, each.model)]
    if known and not shown:
        names = sorted({each.model for each in known})
        message = said(
            "nothing is known of {model!r}{hint} (valid: {names})",
            "没有 {model!r} 的数据{hint}（合法取值：{names}）",
            model=options.model,
            hint=did_you_mean(options.model, names),
            names=", ".join(names),
        )
        raise PointsmanError(message)
    if options.json:
        print_json(_as_json(shown, rules))
    else:
        for line in _lines(shown, rules, options.tongue):
            print_line(line)
    return 0 if shown else 1


def _known(config: Config, first: int, last: int) -> Sums:
    """By the log here, and of other gateways by the store that they share. Raises PointsmanError."""
    folder = data_dir(config)
    try:
        words, signs = logged(folder, first, last)
    except LogError as error:
        raise PointsmanError(
            said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        ) from None
    if sqlite_file(config) is None:
        try:
            more = asyncio.run(_of_others(config, folder))
        except StoreError as error:
            raise PointsmanError(error.args[0]) from None
        words, signs = [*words, *more[0]], [*signs, *more[1]]
    return words, signs


async def _of_others(config: Config, folder: Path) -> Sums:
    shared = open_shared(config)
    try:
        return await scanned(shared, folder)
    finally:
        await shared.close()


def _with_table(moved: tuple[Moved, ...], figures: tuple[Quality, ...]) -> list[Moved]:
    """And the figures of the table that nothing has moved."""
    known = {(each.model, each.task) for each in moved}
    rest = [
        Moved(each.model, each.task, each.value, prior_weight(each), True, 0, 0, 0.0, 0.0)
        for each in figures
        if (each.model, each.task) not in known
    ]
    return sorted([*moved, *rest], key=lambda each: (each.model, each.task is not None, each.task or ""))


def _as_json(shown: list[Moved], rules: FeedbackRules) -> dict[str, object]:
    lines = [{**msgspec.structs.asdict(each), "quality": round(each.figure + each.shift, 4)} for each in shown]
    return {"models": lines, "rules": msgspec.structs.asdict(rules)}


def _lines(shown: list[Moved], rules: FeedbackRules, tongue: Tongue) -> list[str]:
    if not shown:
        nothing = Said(
            "nothing is known yet: `pointsman bench quality` measures models, and feedback moves what it found",
            "目前一无所知：用 `pointsman bench quality` 测量模型，反馈会在此基础上修正",
        )
        return [told(nothing, tongue)]
    rows = [
        [
            each.model,
            told(_ALL, tongue) if each.task is None else each.task,
            f"{each.figure:.2f}" if each.measured else f"({each.figure:.2f})",
            f"{each.weight:.0f}",
            f"{each.shift:+.2f}" if each.shift else "0",
            f"{each.figure + each.shift:.2f}",
            str(each.words),
            str(each.signs),
            f"{each.grades:.1f}",
        ]
        for each in shown
    ]
    heads = [told(head, tongue) for head in _HEADS]
    about = said(
        "In parentheses: not measured. At most {bound:g} either way; a word counts half after {days:g} days.",
        "括号内为没有测量过的模型。修正最多 ±{bound:g}；一条反馈过 {days:g} 天后只算一半。",
        bound=rules.bound,
        days=rules.half_life,
    )
    return [*table(heads, rows, {2, 3, 4, 5, 6, 7, 8}), told(about, tongue)]
