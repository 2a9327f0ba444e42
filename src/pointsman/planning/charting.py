"""带图表, a pie chart, 不要图: how figures are to be drawn."""

from __future__ import annotations

import re2

from pointsman.domain.report import ChartKind
from pointsman.planning.words import Remaining

_WITH = (
    r"(?:(?:并且?|要)?(?:带上?|带有|附上?|附带|加上?|加|含有?|包含|包括|配上?|配|画出?|做成|做|用|以|和|及)?)"
    r"(?:一[张个幅]|[张个幅])?(?:的)?"
)
_SHOWN = r"(?:展示|显示|呈现|表示)?"
_BESIDE = r"\b(?:(?:with|including|incl\.?|plus|and|as|add|adding|showing|show|draw)\s+)?(?:(?:a|an|some|the)\s+)?"
_KINDS: tuple[tuple[ChartKind, str], ...] = (
    (
        "none",
        r"(?:不要|不带|不含|不需要|不用|无需|去掉)(?:任何)?(?:图表|图形|图)|\b(?:without|no)\s+(?:any\s+)?(?:charts?|graphs?)\b",
    ),
    ("line", rf"{_WITH}(?:折线图|趋势图|曲线图|走势图|线图){_SHOWN}|{_BESIDE}(?:line|trend)\s+(?:chart|graph)s?\b"),
    ("pie", rf"{_WITH}(?:占比|比例)?(?:的)?(?:饼状图|饼图|扇形图){_SHOWN}|{_BESIDE}pie\s+(?:chart|graph)s?\b"),
    (
        "donut",
        rf"{_WITH}(?:占比|比例)?(?:的)?(?:环形图|圆环图|环图){_SHOWN}|{_BESIDE}(?:donut|doughnut|ring)\s+(?:chart|graph)s?\b",
    ),
    (
        "stacked",
        rf"{_WITH}(?:堆叠|堆积)(?:柱状图|柱形图|图){_SHOWN}|{_BESIDE}stacked\s+(?:(?:bar|column)\s+)?(?:chart|graph)s?\b",
    ),
    ("column", rf"{_WITH}(?:柱状图|柱形图|柱图){_SHOWN}|{_BESIDE}column\s+(?:chart|graph)s?\b"),
    ("bar", rf"{_WITH}(?:条形图|条状图){_SHOWN}|{_BESIDE}bar\s+(?:chart|graph)s?\b"),
    (
        "auto",
        rf"{_WITH}(?:可视化)?图表{_SHOWN}|(?:带上?|带有|附上?|附带|加上?|配上?|配)图{_SHOWN}|{_BESIDE}(?:chart|graph)s?\b",
    ),
)
_COMPILED = tuple((kind, re2.compile(pattern)) for kind, pattern in _KINDS)


def take_chart(remaining: Remaining) -> ChartKind | None:
    """Strikes the words for a chart. Nothing is struck where two kinds are asked for."""
    found: dict[ChartKind, None] = {}
    spans: list[tuple[int, int]] = []
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(remaining.left):
            if not any(match.start() < end and start < match.end() for start, end in spans):
                found[kind] = None
                spans.append(match.span())
    kinds: list[ChartKind] = [kind for kind in found if kind != "auto" or len(found) == 1]
    if len(kinds) != 1:
        return None
    for start, end in spans:
        remaining.strike(start, end)
    return kinds[0]
