"""Results of `bench route` as tables, as panels of a picture, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

from pointsman.bench.route.figures import Interval, Method, Model, Point, RouteResults, SplitFigures, Sweep
from pointsman.bench.route.measure import split_name
from pointsman.bench.route.methods import BOTH, LENGTH, MEANING, ORACLE, OURS, RANDOM, SHIPPED, TFIDF
from pointsman.bench.tables import Table
from pointsman.domain.said import Said, said

_NONE = "–"
NAMES: dict[str, Said] = {
    OURS: said("Pointsman, learnt on the other folds", "扳道工，用其余各折学习"),
    MEANING: said("e5 alone, learnt on the other folds", "只用 e5，用其余各折学习"),
    BOTH: said("Pointsman with e5, learnt on the other folds", "扳道工加 e5，用其余各折学习"),
    SHIPPED: said("Pointsman, as shipped", "扳道工，随附模型"),
    LENGTH: said("prompt length", "提示长度"),
    TFIDF: said("TF-IDF + logistic regression", "TF-IDF + 逻辑回归"),
    RANDOM: said("random", "随机"),
    ORACLE: said("oracle", "先知"),
}
IN_PICTURES = (OURS, LENGTH, TFIDF, RANDOM, ORACLE)


def tables_of_route(results: RouteResults) -> Iterator[Table]:
    yield _models(results)
    for split in results.splits:
        yield _methods(results, split)
    for split in results.splits:
        yield _curve(split)
    if results.pairs:
        yield _pairs(results)
    if results.sweep:
        yield _sweep(results.sweep)


def notes_of_route(results: RouteResults) -> Iterator[Said]:
    yield said(
        "light: {light}, heavy: {heavy} ({why}); intervals of 95 %: {rounds} resamples of the questions, seed {seed}",
        "轻：{light}，重：{heavy}（{why}）；95% 区间：对问题重采样 {rounds} 次，种子 {seed}",
        light=results.light,
        heavy=results.heavy,
        why=results.why,
        rounds=results.rounds,
        seed=results.seed,
    )
    yield said(
        "as shipped: learnt from the public questions that its card names; on those its figures are no test",
        "随附模型：从其数据卡列出的公开问题学得；在那些问题上的数字不算检验",
    )
    if results.unshared:
        yield said(
            "{count} questions that not both models answered were left out",
            "有 {count} 个问题并非两个模型都回答过，已略去",
            count=results.unshared,
        )
    if len(results.splits) == 1:
        yield said(
            "no task is left out: not all questions have one, or all the same",
            "没有按任务留出：并非所有问题都有 task，或者都一样",
        )
    for name, why in results.skipped.items():
        yield said("{name} left out: {why}", "没有 {name}：{why}", name=NAMES[name], why=why)
    if results.sweep:
        yield _verdict(results.sweep)


def _models(results: RouteResults) -> Table:
    heads = [said("model", "模型"), said("questions", "问题数"), said("quality", "质量")]
    heads += [said("cost", "成本"), said("latency, s", "延迟，秒")]
    return Table(
        said("{count} questions, mean of each model", "{count} 个问题，各模型的平均值", count=results.questions),
        heads,
        [
            [
                said("best answer of each question", "每题最好的回答") if model.best else model.name,
                f"{model.questions:,}",
                f"{model.quality:.3f}",
                *_money(model),
            ]
            for model in results.models
        ],
    )


def _money(told: Model | Point) -> list[str]:
    return [_NONE if value is None else f"{value:.4g}" for value in (told.cost, told.latency)]


def _methods(results: RouteResults, split: SplitFigures) -> Table:
    heads = (
        said("router", "路由方法"),
        "APGR",
        "CPT(50%)",
        "CPT(80%)",
        said("APGR over length", "APGR 比长度高"),
        said("over TF-IDF", "比 TF-IDF 高"),
    )
    weak, strong = results.quality
    lines: list[list[str]] = [
        [NAMES[method.name], interval(method.apgr), percent(method.cpt50), percent(method.cpt80), *_over(method)]
        for method in split.methods
    ]
    for name, quality in ((said("always light", "总用轻模型"), weak), (said("always heavy", "总用重模型"), strong)):
        told = said("{name}: quality {quality:.3f}", "{name}：质量 {quality:.3f}", name=name, quality=quality)
        lines.append([told, *[_NONE] * 5])
    title = said("{split}, {folds} folds", "{split}，{folds} 折", split=split_name(split.split), folds=split.folds)
    return Table(title, heads, lines)


def _over(method: Method) -> list[str]:
    return [_NONE if each is None else signed(each) for each in (method.over_length, method.over_tfidf)]


def _curve(split: SplitFigures) -> Table:
    shown = [method for method in split.methods if method.name in (OURS, SHIPPED, LENGTH, TFIDF, ORACLE)]
    money = shown[0].curve[0].cost is not None
    heads = [said("calls to the heavy model", "重模型调用占比"), *(NAMES[method.name] for method in shown)]
    lines = []
    for place in range(0, len(shown[0].curve), 2):
        cells = [f"{each.curve[place].quality:.3f}{_paid(each.curve[place], money)}" for each in shown]
        lines.append([percent(shown[0].curve[place].calls), *cells])
    what = said("mean quality / mean cost", "平均质量 / 平均成本") if money else said("mean quality", "平均质量")
    return Table(said("{what}: {split}", "{what}：{split}", what=what, split=split_name(split.split)), heads, lines)


def _paid(told: Point, money: bool) -> str:
    return f" / {told.cost:.4g}" if money and told.cost is not None else ""


def _pairs(results: RouteResults) -> Table:
    splits = [split.split for split in results.splits]
    heads = [said("light model", "轻模型"), said("mean gap", "平均差距"), said("APGR of length", "长度的 APGR")]
    heads += [split_name(split) for split in splits]
    lines = [
        [
            pair.light,
            f"{pair.gap:.3f}",
            f"{pair.length:.3f}",
            *(f"{pair.ours[split]:.3f}, {signed(pair.over_length[split])}" for split in splits),
        ]
        for pair in results.pairs
    ]
    title = said(
        "Other light models beside {heavy}: APGR learnt on the other folds, and over length",
        "其他轻模型与 {heavy}：用其余各折学习的 APGR，及其比长度高多少",
        heavy=results.heavy,
    )
    return Table(title, heads, lines)


def _sweep(sweep: Sweep) -> Table:
    columns: tuple[tuple[Said, Callable[[Any], Point]], ...] = (
        (said("wrong by chance", "随机出错"), lambda line: line.chance),
        (said("wrong where in doubt", "在没把握处出错"), lambda line: line.doubt),
    )
    heads = [said("choices right", "选对的比例")]
    heads += [
        said("{name}: {what}", "{name}：{what}", name=name, what=what)
        for name, _ in columns
        for what in (said("quality", "质量"), said("calls", "重模型"), said("cost", "成本"))
    ]
    lines = []
    for line in sweep.lines:
        cells = [percent(line.accuracy)]
        for _, at in columns:
            found = at(line)
            cells += [f"{found.quality:.3f}", percent(found.calls), _money(found)[0]]
        lines.append(cells)
    title = said(
        "What accuracy is worth (the heavy model is the right choice for {share})",
        "准确率值多少（应选重模型的占 {share}）",
        share=percent(sweep.right_heavy),
    )
    return Table(title, heads, lines)


def _verdict(sweep: Sweep) -> Said:
    answer = said("holds", "成立") if sweep.steep else said("does not hold", "不成立")
    return said(
        "ten points of accuracy bring {below:.1f} points of quality up to 85 % and {above:.1f} from there (errors in"
        " doubt), {line:.1f} everywhere (errors by chance): “steep above 85 %” {answer} here",
        "准确率每高十个点，质量在 85% 以下提高 {below:.1f} 分，在其上提高 {above:.1f} 分（在没把握处出错）；"
        "随机出错时处处是 {line:.1f} 分："
        "“85% 以上陡升”在这里{answer}",
        below=sweep.below_doubt,
        above=sweep.above_doubt,
        line=sweep.above_chance,
        answer=answer,
    )


def interval(told: Interval) -> str:
    return f"{told.value:.3f} ({told.low:.3f}–{told.high:.3f})"


def signed(told: Interval) -> str:
    """With an asterisk where all of the interval is on one side of nothing."""
    mark = "*" if told.significant else ""
    return f"{told.value:+.3f} ({told.low:+.3f} – {told.high:+.3f}){mark}"


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def panels_of_route(results: RouteResults) -> list[dict[str, Any]]:
    """For `peers/draw.py`, in English: quality by calls in each split, and by cost where it is known; the sweep."""
    panels = []
    for split in results.splits:
        shown = [method for method in split.methods if method.name in IN_PICTURES]
        panels.append(_drawn(f"Quality by calls to the heavy model: {split_name(split.split)}", shown, "calls"))
        if shown[0].curve[0].cost is not None:
            panels.append(_drawn(f"Quality by mean cost: {split_name(split.split)}", shown, "cost"))
    if results.sweep:
        series = [
            {
                "name": name,
                "x": [line.accuracy for line in results.sweep.lines],
                "y": [getattr(line, key).quality for line in results.sweep.lines],
            }
            for name, key in (("wrong where in doubt", "doubt"), ("wrong by chance", "chance"))
        ]
        panels.append(
            {"kind": "curves", "title": "Quality by the router's accuracy", "series": series, "diagonal": False}
        )
    return panels


def _drawn(title: str, shown: list[Method], key: str) -> dict[str, Any]:
    series = [
        {
            "name": f"{NAMES[method.name]}, APGR {method.apgr.value:.3f}",
            "x": [getattr(at, key) for at in method.curve],
            "y": [at.quality for at in method.curve],
        }
        for method in shown
    ]
    unit = "share of calls to the heavy model" if key == "calls" else "mean cost"
    return {"kind": "curves", "title": title, "unit": unit, "series": series, "diagonal": False}


def csv_of_route(results: RouteResults) -> str:
    """The curves of all splits and routers, a point a line."""
    told = io.StringIO()
    rows = csv.writer(told, lineterminator="\n")
    rows.writerow(("split", "router", "calls", "quality", "recovered", "cost", "latency"))
    for split in results.splits:
        for method in split.methods:
            for at in method.curve:
                figures = (at.calls, at.quality, at.recovered, at.cost, at.latency)
                rows.writerow((split.split, method.name, *("" if each is None else f"{each:.6g}" for each in figures)))
    return told.getvalue()
