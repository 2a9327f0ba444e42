"""Show which days the time words of a text mean, by the convention of docs/time.md."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import in_both
from pointsman.config.timezone import zone_name
from pointsman.domain.characters import whole_characters
from pointsman.domain.errors import PointsmanError, Problem
from pointsman.domain.report import Period
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.http.strict_json import parse_body
from pointsman.periods import find_periods

_OBJECT = re.compile(r'\s*\{\s*["}]')
_PREFERENCES: tuple[Literal["past"], Literal["future"]] = ("past", "future")
_GRAINS = {
    "day": Said("day", "日"),
    "week": Said("week", "周"),
    "month": Said("month", "月"),
    "quarter": Said("quarter", "季度"),
    "half": Said("half year", "半年"),
    "year": Said("year", "年"),
    "range": Said("range", "区间"),
}
_WEEKDAYS = [
    Said(en, f"周{zh}")
    for en, zh in zip(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), "一二三四五六日", strict=True)
]


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", metavar="TEXT", nargs="?", help="what a user would write; - reads one text or JSON object a line"
    )
    parser.add_argument(
        "--now", metavar="ISO", help="the moment of the text, as 2026-11-29 or 2026-11-29T09:00; default: now"
    )
    parser.add_argument("--tz", metavar="ZONE", help="where days begin, as Asia/Shanghai; default: this machine's zone")
    parser.add_argument(
        "--prefer", choices=_PREFERENCES, default="past", help="what a period without a year or week is (default past)"
    )
    parser.add_argument(
        "--fiscal-start",
        type=int,
        choices=range(1, 13),
        default=1,
        metavar="MONTH",
        help="month in which fiscal years begin",
    )
    parser.add_argument("--json", action="store_true", help="print JSON, one object a text")
    parser.add_argument(
        "--jsonl",
        metavar="FILE",
        help="read {text, now[, prefer]} objects, one a line (- for standard input); print JSON",
    )
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    if (options.text is None) == (options.jsonl is None):
        print_error("time", said("give a TEXT or --jsonl FILE", "请给出 TEXT 或 --jsonl FILE"), options.tongue)
        return 2
    try:
        zone = _zone(options.tz)
        now = _moment(options.now, zone) if options.now is not None else datetime.datetime.now(zone)
    except PointsmanError as error:
        print_error("time", error.message, options.tongue)
        return 2
    if options.jsonl is not None and options.jsonl != "-":
        with Path(options.jsonl).open("rb") as lines:
            return _run_lines(lines, options, zone, now)
    if options.jsonl is not None or options.text == "-":
        return _run_lines(sys.stdin.buffer, options, zone, now)
    text = whole_characters(options.text)
    periods = _read(text, now, options.prefer, options)
    if options.json:
        print_json(_object(text, now.isoformat(timespec="seconds"), periods))
    elif periods:
        for line in _lines(periods, now, options.tongue):
            print_line(line)
    else:
        print_error("time", said("no time was read in this text", "这段文本里没有读出时间"), options.tongue)
    return 0 if periods else 1


def _read(text: str, now: datetime.datetime, prefer: Any, options: argparse.Namespace) -> tuple[Period, ...]:
    return find_periods(text, now.date(), prefer=prefer, fiscal_start=options.fiscal_start)


def _run_lines(
    lines: Iterable[bytes], options: argparse.Namespace, zone: datetime.tzinfo, now: datetime.datetime
) -> int:
    """One line in, one JSON object out, also for a line that cannot be read; such lines make the exit code 2."""
    good = True
    for number, line in enumerate(lines, 1):
        data = line.rstrip(b"\r\n")
        if not data.strip():
            continue
        try:
            print_json(_line(data, options, zone, now))
        except PointsmanError as error:
            print_json({"error": {"line": number, "message": error.message, "param": error.param}})
            good = False
    return 0 if good else 2


def _line(data: bytes, options: argparse.Namespace, zone: datetime.tzinfo, now: datetime.datetime) -> dict[str, Any]:
    """What a line says. Raises PointsmanError."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        message = said("not valid UTF-8 (byte {byte})", "不是有效的 UTF-8（第 {byte} 字节）", byte=error.start)
        raise PointsmanError(message) from None
    shown = now.isoformat(timespec="seconds")
    if options.jsonl is None and not _OBJECT.match(text):
        return _object(text, shown, _read(text, now, options.prefer, options))
    try:
        asked = parse_body(data).tree
    except PointsmanError as error:
        error.message = in_both(
            error.message, lambda told: told.replace("the body", "the line", 1).replace("请求体", "这一行", 1)
        )
        raise
    said_text, prefer = asked.get("text"), asked.get("prefer", options.prefer)
    if not isinstance(said_text, str):
        message = said(
            'a JSON line holds "text" (a string), and maybe "now" and "prefer"',
            "JSON 行里要有 “text”（字符串），还可以有 “now” 和 “prefer”",
        )
        raise PointsmanError(message, param="text")
    if prefer not in _PREFERENCES:
        message = said(
            "prefer {prefer!r} is not one of them (valid: past, future)",
            "prefer {prefer!r} 不在其中（合法取值：past, future）",
            prefer=prefer,
        )
        raise PointsmanError(message, param="prefer")
    if "now" in asked:
        now = _moment(asked["now"], zone)
        shown = asked["now"]
    return _object(said_text, shown, _read(said_text, now, prefer, options))


def _zone(name: str | None) -> ZoneInfo:
    """Raises PointsmanError for one that does not exist."""
    try:
        return ZoneInfo(zone_name(name))
    except Problem as problem:
        message = said(
            "--tz: {message} (valid: {valid})",
            "--tz：{message}（合法取值：{valid}）",
            message=problem.message,
            valid=problem.valid,
        )
        raise PointsmanError(message, param="tz") from None


def _moment(text: Any, zone: datetime.tzinfo) -> datetime.datetime:
    """A moment in ISO 8601, in that zone: without an offset as it stands, with one converted. Raises PointsmanError."""
    try:
        moment = datetime.datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            return moment.replace(tzinfo=zone)
        return moment.astimezone(zone)
    except (AttributeError, TypeError, ValueError, OverflowError):
        message = said(
            "now {text!r} is no moment (valid: 2026-11-29, 2026-11-29T09:00, 2026-11-29T09:00+08:00)",
            "now {text!r} 不是一个时刻（合法取值：2026-11-29、2026-11-29T09:00、2026-11-29T09:00+08:00）",
            text=text,
        )
        raise PointsmanError(message, param="now") from None


def _object(text: str, now: str, periods: tuple[Period, ...]) -> dict[str, Any]:
    return {
        "text": text,
        "now": now,
        "periods": [
            {"start": period.start, "end": period.end, "grain": period.grain, "span": period.span, "text": period.text}
            for period in periods
        ],
    }


def _lines(periods: tuple[Period, ...], now: datetime.datetime, tongue: Tongue) -> list[str]:
    """What was understood, a line a period; two readings of the same words are told as such."""
    head = said("as of {day} ({zone})", "以 {day} 为准（{zone}）", day=_day(now.date()), zone=now.tzinfo)
    lines = [told(head, tongue)]
    for period in periods:
        readings = [other for other in periods if other.span == period.span]
        which: str = ""
        if len(readings) > 1:
            number = readings.index(period) + 1
            which = said(" (reading {n} of {all})", "（第 {n} 种读法，共 {all} 种）", n=number, all=len(readings))
        grain = _GRAINS[period.grain]
        line = said(
            "{text}: {days}, {grain}{which}",
            "{text}：{days}，{grain}{which}",
            text=period.text,
            days=_days(period),
            grain=grain,
            which=which,
        )
        lines.append(told(line, tongue))
    return lines


def _days(period: Period) -> Said:
    last = period.end - datetime.timedelta(days=1)
    first = _day(period.start)
    return (
        first if last == period.start else said("{first} – {last}", "{first} 至 {last}", first=first, last=_day(last))
    )


def _day(day: datetime.date) -> Said:
    return said("{weekday} {day}", "{day} {weekday}", weekday=_WEEKDAYS[day.weekday()], day=day.isoformat())
