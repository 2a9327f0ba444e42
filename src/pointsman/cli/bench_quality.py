"""`pointsman bench quality`: how good models are at kinds of tasks, and whether one may take another's place."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from pointsman.app.targets import with_builtin
from pointsman.bench.plotting import check_plot, plot
from pointsman.bench.quality.eval_set import EvalSet, builtin_sets, read_set
from pointsman.bench.quality.figures import Difference
from pointsman.bench.quality.measure import ALL, Plan, Subject, compared, run_quality
from pointsman.bench.quality.runs import Runs
from pointsman.bench.quality.table_file import lines_of, write_table
from pointsman.bench.quality_tables import difference_table, points, quality_tables
from pointsman.bench.results import Results
from pointsman.bench.tables import as_text, notes
from pointsman.cli.bench_backend import backend_of, models_named
from pointsman.cli.output import print_error, print_line, print_problems
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config, Model
from pointsman.domain.errors import PointsmanError, Problems
from pointsman.domain.said import Said, said, told

_VENV = Path(".venv-bench")
_DEFAULT = "builtin:basic"


def declare_quality(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument(
        "--set",
        metavar="FILE",
        default=_DEFAULT,
        help=f"JSON lines, or {', '.join(builtin_sets())}; default {_DEFAULT}",
    )
    parser.add_argument("--models", metavar="NAMES", help="keys of models: by commas; default: all that can chat")
    parser.add_argument("--base-url", metavar="URL", help="ask http(s)://host:port/v1 instead; --models are its names")
    parser.add_argument("--api-key-env", metavar="NAME", help="with --base-url: the variable that holds its key")
    parser.add_argument("--judge", metavar="NAME", help="key of models: that grades replies to tasks with an answer")
    parser.add_argument("--baseline", metavar="NAME", help="compare with this model (say, the full one)")
    parser.add_argument("--candidate", metavar="NAME", help="the model that is to take its place (the quantised one)")
    parser.add_argument(
        "--max-drop", type=float, default=1.0, metavar="POINTS", help="more of 100 lost is exit code 1; default 1.0"
    )
    parser.add_argument("--parallel", type=int, default=4, metavar="N", help="tasks at a time; default 4")
    parser.add_argument("--seconds", type=float, default=120.0, metavar="S", help="that one task may take; default 120")
    parser.add_argument(
        "--table", metavar="FILE", type=Path, help="where the table of qualities goes; default: quality.file"
    )
    parser.add_argument("--runs", metavar="FILE", type=Path, help="keeps each grade: what is there is not asked again")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=f"where matplotlib is; default {_VENV}")
    declare_tongue(parser)


def measure_quality(options: argparse.Namespace) -> int:
    """2 for what cannot be done at all, 1 where a model has no figure or has lost more than it may, 0."""
    try:
        asked = _Asked(options)
    except Problems as error:
        print_problems(error.problems, options.tongue)
        return 2
    except PointsmanError as error:
        print_error("bench quality", error.message, options.tongue)
        return 2
    runs = Runs(options.runs)
    try:
        results, found = asyncio.run(_measure(asked, runs))
    finally:
        runs.close()
    for table in quality_tables(results):
        for line in as_text(table, options.tongue):
            print_line(line)
        print()
    verdict = None
    if asked.compares:
        for line in as_text(difference_table(found, options.baseline, options.candidate), options.tongue):
            print_line(line)
        print()
        verdict = _verdict(found.get(ALL), options)
        print_line(told(verdict[1], options.tongue))
    for note in notes(results):
        print_line(told(note, options.tongue))
    _keep(asked, results, found, verdict)
    return 1 if results.failures or (verdict is not None and not verdict[0]) else 0


class _Asked:
    """What is to be done, checked before minutes are spent. Raises PointsmanError, Problems."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.config, why_not, file = _config(options)
        self.compares = bool(options.baseline or options.candidate)
        if self.compares and (not (options.baseline and options.candidate) or options.baseline == options.candidate):
            raise PointsmanError(
                said("--baseline and --candidate name two models", "--baseline 和 --candidate 要给出两个不同的模型")
            )
        if not math.isfinite(options.max_drop) or not 0 <= options.max_drop <= 100:
            raise PointsmanError(said("--max-drop is 0 to 100 points", "--max-drop 是 0 到 100 分"))
        if not 1 <= options.parallel <= 256 or not 0 < options.seconds <= 3600:
            raise PointsmanError(
                said(
                    "--parallel is 1 to 256, --seconds above 0 to 3600",
                    "--parallel 是 1 到 256，--seconds 大于 0、不超过 3600",
                )
            )
        self.tasks: EvalSet = read_set(options.set)
        if not self.config.models:
            raise PointsmanError(why_not or said("no model is set up", "没有配置模型"))
        self.names = models_named(options.models, self.config)
        if self.compares:
            pair = models_named(f"{options.baseline},{options.candidate}", self.config)
            self.names = [*pair, *(name for name in self.names if name not in pair)] if options.models else pair
        if options.judge:
            models_named(options.judge, self.config)
        elif self.tasks.judged:
            raise PointsmanError(
                said(
                    "{set} has tasks with an answer and no checker: --judge names the model that grades them",
                    "{set} 里有只给出 answer、没有 checker 的任务：请用 --judge 指定评分的模型",
                    set=options.set,
                )
            )
        self.table: Path | None = options.table or file
        for path in (self.table, options.runs, options.json, options.plot):
            if path and not os.access(path.absolute().parent, os.W_OK):
                raise PointsmanError(said("{file} cannot be written", "{file} 无法写入", file=path))
        if options.plot:
            check_plot(options.plot, options.venv)


def _config(options: argparse.Namespace) -> tuple[Config, str | None, Path | None]:
    """The config, why there is no model, and the table that it names."""
    if options.base_url is None:
        loaded = load_config(options)
        config, why_not = with_builtin(loaded.config)
        base = loaded.path.resolve().parent if loaded.path else Path.cwd()
        return config, why_not, None if config.quality.file is None else base / config.quality.file
    names = [options.models, options.baseline, options.candidate, options.judge]
    wanted = dict.fromkeys(name for given in names if given for name in given.split(","))
    if not wanted:
        raise PointsmanError(said("--base-url needs --models", "--base-url 要和 --models 一起用"))
    key = os.environ.get(options.api_key_env) if options.api_key_env else None
    if options.api_key_env and key is None:
        raise PointsmanError(
            said("{name} is not set in the environment", "环境变量 {name} 没有设置", name=options.api_key_env)
        )
    models = {
        name: Model(backends=[BackendConfig(engine="openai", model=name, base_url=options.base_url, api_key=key)])
        for name in wanted
    }
    return msgspec.structs.replace(Config(), models=models), None, None


async def _measure(asked: _Asked, runs: Runs) -> tuple[Results, dict[str, Difference]]:
    options = asked.options

    def tell(text: str) -> None:
        print(told(text, options.tongue), file=sys.stderr, flush=True)

    async with contextlib.AsyncExitStack() as stack:
        wanted = dict.fromkeys([*asked.names, *([options.judge] if options.judge else [])])
        backends = {name: await stack.enter_async_context(backend_of(asked.config, name)) for name in wanted}
        subjects = {name: Subject(name, backends[name].target.model, backends[name]) for name in asked.names}
        judge = backends.get(options.judge)
        plan = Plan(parallel=options.parallel, seconds=options.seconds)
        results = await run_quality(list(subjects.values()), asked.tasks, plan, runs, tell, judge)
        if not asked.compares:
            return results, {}
        pair = subjects[options.baseline], subjects[options.candidate]
        return results, compared(*pair, asked.tasks, runs, None if judge is None else judge.target.name)


def _verdict(found: Difference | None, options: argparse.Namespace) -> tuple[bool, Said]:
    """Whether the candidate may take the baseline's place, and what is said of it."""
    if found is None:
        return False, said("FAILED: no task was graded for both", "未通过：没有两个模型都得到评分的任务")
    slots: dict[str, Any] = {"most": options.max_drop, "told": points(found), "n": found.n}
    if -found.points > options.max_drop:
        return False, said(
            "FAILED: {told} points over {n} tasks, and at most {most:g} may be lost",
            "未通过：{n} 个任务上相差 {told} 分，最多允许下降 {most:g} 分",
            **slots,
        )
    if -found.low > options.max_drop:
        return True, said(
            "passed: {told} points over {n} tasks; at most {most:g} may be lost, and the set is too small to rule out more",
            "通过：{n} 个任务上相差 {told} 分，最多允许下降 {most:g} 分；评测集太小，还不能排除更大的下降",
            **slots,
        )
    return True, said(
        "passed: {told} points over {n} tasks; at most {most:g} may be lost",
        "通过：{n} 个任务上相差 {told} 分，最多允许下降 {most:g} 分",
        **slots,
    )


def _keep(asked: _Asked, results: Results, found: dict[str, Difference], verdict: tuple[bool, Said] | None) -> None:
    options = asked.options
    lines = lines_of(results)
    if asked.table is not None and lines:
        stayed = write_table(asked.table, lines)
        note = said(
            "{lines} figures written to {file}; {stayed} of other models stay",
            "已把 {lines} 个数值写入 {file}；其他模型的 {stayed} 个保持不变",
            lines=len(lines),
            file=asked.table,
            stayed=stayed,
        )
        print_line(told(note, options.tongue))
    elif lines:
        note = said(
            "the table was not written: neither quality.file nor --table names a file",
            "没有写出质量表：quality.file 和 --table 都没有给出文件",
        )
        print_line(told(note, options.tongue))
    if verdict is not None:
        results.options["compared"] = {
            "baseline": options.baseline,
            "candidate": options.candidate,
            "max_drop": options.max_drop,
            "passed": verdict[0],
            "points": {row: msgspec.structs.asdict(each) for row, each in found.items()},
        }
    if options.json:
        results.save(options.json)
    if options.plot:
        plot(results, options.plot, options.venv)
