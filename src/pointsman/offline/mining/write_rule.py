"""A proposal as a person would write it: the clear form of a rule, as data and as YAML."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import yaml

from pointsman.domain.said import Tongue, in_zh
from pointsman.offline.mining.case_texts import Cases
from pointsman.offline.mining.engine import condition
from pointsman.offline.mining.parsed import FORMAT, SLOT
from pointsman.offline.mining.pattern import Pattern, is_regex

_ROOM = 1.5  # how much longer than the longest question that it takes a question may be
_TABLES = tuple(
    """
    报表 日报 周报 月报 汇总 明细 数据 统计 清单 流水 台账 表格
    report reports sales data summary
    """.split()  # noqa: SIM905 - a list of words reads better than a list of quotes
)
_ANSWER = "<写上答案 / write the answer here>"
_PLAIN: dict[str, Any] = {"asked": False, "tools": False, "images": False, "structured": False}
"""What a request must be like for a canned text to fit it."""


def rule_data(pattern: Pattern, seed: frozenset[str], longest: int) -> dict[str, Any]:
    """Without cases. Export verbs before something that reports are made of make an `export_report`; any other rule
    has an answer to be filled in. No question much longer than the `longest` (characters) that was asked is taken."""
    wants_report = exports(seed)
    when = condition(pattern)
    when["characters"] = {"max": -(-int(longest * _ROOM) // 10) * 10}
    if not wants_report:
        when.update(_PLAIN)
    data: dict[str, Any] = {"id": _name(pattern, wants_report), "priority": 50, "when": when}
    data.update({"action": "export_report"} if wants_report else {"answer": _ANSWER})
    return data


def with_cases(data: dict[str, Any], cases: Cases, tongue: Tongue) -> dict[str, Any]:
    boundary = [{**edge, "why": _told(edge["why"], tongue)} for edge in cases.boundary]
    return {
        **data,
        "examples": list(cases.examples),
        "counter_examples": list(cases.counter_examples),
        "boundary": boundary,
    }


def as_yaml(data: dict[str, Any]) -> str:
    """A list of one rule."""
    text: str = yaml.dump(
        [data], Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=None, width=110
    )
    return text


class _Dumper(yaml.SafeDumper):
    """What our own loader (YAML 1.2) reads back as it was. Lists of terms and texts stand in few lines."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def in_few_lines(self, data: list[Any]) -> Any:
        short = all(isinstance(each, str) or (isinstance(each, dict) and set(each) & _TERM_KEYS) for each in data)
        return self.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=short)


_TERM_KEYS = {"regex", "extract", "extension"}
_Dumper.add_representer(list, _Dumper.in_few_lines)


def exports(seed: frozenset[str]) -> bool:
    """Verbs of delivering, beside a format or something that reports are made of."""
    return "#export" in seed and any(part == FORMAT or part.endswith(_TABLES) for part in seed)


def _name(pattern: Pattern, wants_report: bool) -> str:
    if wants_report:
        return "mined_export_report"
    words = [group[0] for group in pattern.groups if group[0][0] != SLOT and not is_regex(group[0])]
    latin = "_".join(word for word in words if word.isascii() and word.isidentifier())
    number = zlib.crc32(repr(pattern.groups).encode()) & 0xFFFF
    return f"mined_{latin + '_' if latin else ''}{number:04x}"


def _told(text: Any, tongue: Tongue) -> str:
    return str(in_zh(text)) if tongue == "zh" else str(text)


def distinct(name: str, taken: Sequence[str]) -> str:
    """An id that no rule has."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
