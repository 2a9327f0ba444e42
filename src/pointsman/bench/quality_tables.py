"""The tables of `bench quality`: what each model reaches, and what two of them differ by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pointsman.bench.quality.figures import Difference
from pointsman.bench.quality.measure import ALL
from pointsman.bench.results import Results
from pointsman.bench.tables import Cell, Table, figure
from pointsman.domain.said import Said, said

_HEADS: dict[str, str] = {ALL: Said("all", "全部")}


def quality_tables(results: Results) -> Iterator[Table]:
    """A line a type of tasks, a column a model: the mean grade of 100, with its interval, and how many were graded."""
    names = list(results.versions)
    values = {(sample.subject, sample.row): sample.values for sample in results.samples}
    lines = [
        [_HEADS.get(row, row), str(_count(values, names, row)), *(_cell(values.get((name, row))) for name in names)]
        for row in results.rows
    ]
    title = said(
        "Of 100 points, with the interval that holds the mean in 95 of 100 cases; {set}, {tasks} tasks",
        "满分 100，括号内为 95% 区间；{set}，{tasks} 个任务",
        set=results.options["set"],
        tasks=results.options["tasks"],
    )
    yield Table(title, [Said("task", "任务"), "n", *names], lines)
    heads = [
        Said("model", "模型"),
        Said("graded", "已评分"),
        Said("no grade", "无评分"),
        Said("answered nothing", "没有回答"),
        Said("s a reply", "每条秒数"),
        Said("tokens a reply", "每条 token"),
    ]
    yield Table(Said("Replies", "回复"), heads, [_replies(name, values.get((name, ALL))) for name in names])


def difference_table(found: Mapping[str, Difference], baseline: str, candidate: str) -> Table:
    title = said(
        "{candidate} less {baseline}, in points, with the interval of a paired bootstrap",
        "{candidate} 减 {baseline}，单位为分，括号内为配对自助法区间",
        candidate=candidate,
        baseline=baseline,
    )
    lines = [[_HEADS.get(row, row), str(each.n), points(each)] for row, each in found.items()]
    return Table(title, [Said("task", "任务"), "n", Said("points", "分")], lines)


def points(each: Difference) -> str:
    return f"{each.points:+.1f} ({each.low:+.1f} … {each.high:+.1f})"


def _cell(values: Mapping[str, float] | None) -> Cell:
    if values is None:
        return "–"
    return f"{100 * values['value']:.1f} ({100 * values['low']:.0f}–{100 * values['high']:.0f})"


def _count(values: Mapping[tuple[str, str], Mapping[str, float]], names: list[str], row: str) -> int:
    """The most that any of the models was graded at."""
    return int(max((values[name, row]["n"] for name in names if (name, row) in values), default=0.0))


def _replies(name: str, values: Mapping[str, float] | None) -> list[Cell]:
    if values is None:
        return [name, *["–"] * 5]
    told = [f"{values[key]:.0f}" for key in ("n", "ungraded", "empty")]
    return [name, *told, *(figure(values[key]) if key in values else "–" for key in ("seconds", "tokens"))]
