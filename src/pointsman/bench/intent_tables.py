"""Results of `bench intents` and of `calibrate` as tables and as panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pointsman.arbiter.figures import Figures
from pointsman.arbiter.reliability import Bin
from pointsman.bench.intents import IntentResults, Latency, Subject
from pointsman.bench.tables import Table
from pointsman.domain.said import Said, said


def tables_of_intents(results: IntentResults) -> Iterator[Table]:
    first = results.subjects[0]
    heads = [said("", ""), *(subject.name for subject in results.subjects)]
    yield Table(
        said(
            "{texts} texts, {inside} of {intents} intents, trained on {training}",
            "{texts} 条文本，其中 {inside} 条属于 {intents} 个意图；训练用 {training} 条",
            texts=first.figures.texts,
            inside=first.figures.inside,
            intents=results.intents,
            training=results.training,
        ),
        heads,
        [[name, *(cell(subject) for subject in results.subjects)] for name, cell in _LINES],
    )
    yield Table(
        said(
            "Coverage and accuracy: the surest share of all texts, those outside count as wrong",
            "覆盖率与准确率：按把握从高到低取一部分文本，意图之外的算错",
        ),
        heads,
        [
            [percent(share), *(percent(subject.figures.coverage[line][2]) for subject in results.subjects)]
            for line, (share, _, _) in enumerate(first.figures.coverage)
        ],
    )
    yield reliability_table(
        said("Reliability: 15 equal bins of confidence", "可靠性：置信度等分 15 档"), first.figures.reliability
    )


def reliability_table(title: Said, bins: Sequence[Bin]) -> Table:
    heads = (
        said("confidence", "置信度"),
        said("texts", "条数"),
        said("mean confidence", "平均置信度"),
        said("came true", "实际正确率"),
    )
    lines = [
        [f"{each.low:.2f}–{each.high:.2f}", f"{each.texts:,.0f}", percent(each.sure), percent(each.right)]
        for each in bins
    ]
    return Table(title, heads, lines)


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _error(share: float) -> str:
    return f"{share:.4f}"


def _latency(found: Latency | None) -> str:
    return f"{found.p50:.1f} / {found.p95:.1f} / {found.most:.1f}" if found else "–"


_LINES: tuple[tuple[Said, Callable[[Subject], str]], ...] = (
    (said("accuracy inside", "意图内准确率"), lambda s: percent(s.figures.accuracy)),
    (said("outside recognised", "意图外识别率"), lambda s: percent(s.figures.recall)),
    (said("false alarms", "误判为意图外"), lambda s: percent(s.figures.false_alarms)),
    (
        said("outside recognised at 5 % false alarms", "误判 5% 时的意图外识别率"),
        lambda s: percent(s.figures.recall_at_5),
    ),
    (said("named at the gate of 0.7", "过 0.7 门槛的比例"), lambda s: percent(s.figures.gated)),
    (said("right of those", "其中正确"), lambda s: percent(s.figures.gated_right)),
    (said("ECE, all texts", "ECE，全部文本"), lambda s: _error(s.figures.ece)),
    (said("ECE, texts inside", "ECE，意图内文本"), lambda s: _error(s.figures.ece_inside)),
    (said("ECE, texts that got an intent", "ECE，得到意图的文本"), lambda s: _error(s.figures.ece_named)),
    (said("ECE of the raw figure", "原始置信度的 ECE"), lambda s: _error(s.figures.ece_raw)),
    (said("ms on short texts: p50 / p95 / most", "短文本毫秒：p50 / p95 / 最大"), lambda s: _latency(s.short)),
    (said("ms on all texts: p50 / p95 / most", "全部文本毫秒：p50 / p95 / 最大"), lambda s: _latency(s.all)),
    (said("training, s", "训练秒数"), lambda s: f"{s.training_s:.1f}"),
)


def panels_of_intents(results: IntentResults) -> list[dict[str, Any]]:
    """For `peers/draw.py`: reliability, and coverage against accuracy."""
    ours = results.subjects[0].figures
    covered = [
        {"name": subject.name, "x": [line[0] for line in subject.figures.coverage], "y": _rights(subject)}
        for subject in results.subjects
    ]
    return [
        reliability_panel("Reliability", ours.reliability_raw, ours.reliability),
        {"kind": "curves", "title": "Accuracy of the surest share", "series": covered, "diagonal": False},
    ]


def _rights(subject: Subject) -> list[float]:
    return [right for _, _, right in subject.figures.coverage]


def reliability_panel(title: str, before: Sequence[Bin], after: Sequence[Bin]) -> dict[str, Any]:
    series = [
        {"name": name, "x": [each.sure for each in bins], "y": [each.right for each in bins]}
        for name, bins in (("calibrated", after), ("raw", before))
    ]
    return {"kind": "curves", "title": title, "series": series, "diagonal": True}


def before_and_after(before: Figures, after: Figures) -> Table:
    heads = (said("", ""), said("before", "之前"), said("after", "之后"))
    lines = [
        [said("ECE, all texts", "ECE，全部文本"), _error(before.ece), _error(after.ece)],
        [said("ECE, texts inside", "ECE，意图内文本"), _error(before.ece_inside), _error(after.ece_inside)],
        [said("false alarms", "误判为意图外"), percent(before.false_alarms), percent(after.false_alarms)],
        [said("outside recognised", "意图外识别率"), percent(before.recall), percent(after.recall)],
        [said("named at the gate of 0.7", "过 0.7 门槛的比例"), percent(before.gated), percent(after.gated)],
        [said("right of those", "其中正确"), percent(before.gated_right), percent(after.gated_right)],
    ]
    return Table(said("Calibration", "校准"), heads, lines)
