"""Days put together to weeks, months, quarters or years: pure, so that no database's own functions are needed."""

from __future__ import annotations

import datetime

from pointsman.domain.report import Bucket, Period, ReportPlan
from pointsman.domain.wording import Tongue

MOST = 400
_DAYS: dict[Bucket, int] = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_LONGEST: tuple[tuple[Bucket, int], ...] = (("day", 35), ("week", 190), ("month", 1100), ("quarter", 3200))


def bucket_for(period: Period) -> Bucket:
    """What a chart of this range is divided into: 36 points or so at most, but for years. The range it was asked as
    has a say: months of a half-year or a year, weeks of a quarter."""
    days = (period.end - period.start).days
    if period.grain in ("half", "year") and days <= 400:
        return "month"
    return next((bucket for bucket, longest in _LONGEST if days <= longest), "year")


def bucket_wanted(plan: ReportPlan) -> Bucket:
    """What the plan says, unless that made more than MOST of them; else what suits its range."""
    return wanted_or_fit(plan.bucket, plan.period)


def wanted_or_fit(bucket: Bucket | None, period: Period) -> Bucket:
    """`bucket`, unless that made more than MOST of them; else what suits the range."""
    if bucket is not None and (period.end - period.start).days / _DAYS[bucket] <= MOST:
        return bucket
    return bucket_for(period)


def bucket_of(day: datetime.date, bucket: Bucket) -> datetime.date:
    """The first day of the bucket that `day` is in. Weeks begin on Monday."""
    match bucket:
        case "day":
            return day
        case "week":
            return day - datetime.timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)


def buckets_in(period: Period, bucket: Bucket) -> list[datetime.date]:
    """Every bucket that the range touches, in order, those without rows too."""
    found, day = [], bucket_of(period.start, bucket)
    while day < period.end:
        found.append(day)
        try:
            day = _next(day, bucket)
        except OverflowError:  # the end of the calendar, for a range of all time
            break
    return found


def _next(first: datetime.date, bucket: Bucket) -> datetime.date:
    match bucket:
        case "day":
            return first + datetime.timedelta(days=1)
        case "week":
            return first + datetime.timedelta(days=7)
        case _:
            return bucket_of(first + datetime.timedelta(days={"month": 31, "quarter": 95, "year": 366}[bucket]), bucket)


def bucket_label(first: datetime.date, bucket: Bucket, language: Tongue, period: Period) -> str:
    """Short, for an axis. A week is named by its first day in the range; the year is said where it matters."""
    shown = max(first, period.start)
    years = period.start.year != (period.end - datetime.timedelta(days=1)).year
    long = (period.end - period.start).days > 366
    match bucket:
        case "day" | "week" if long:
            return f"{shown.year}/{shown.month}/{shown.day}" if language == "zh" else f"{shown.day} {shown:%b %y}"
        case "day" | "week":
            if language == "zh":
                return f"{shown.month}/{shown.day}"
            return f"{shown.day} {shown:%b}"
        case "month":
            if language == "zh":
                return f"{shown.year}/{shown.month:02}" if years else f"{shown.month}月"
            return f"{shown:%b %y}" if years else f"{shown:%b}"
        case "quarter":
            return f"{shown.year} Q{(shown.month - 1) // 3 + 1}"
        case "year":
            return str(shown.year)


def period_text(period: Period, language: Tongue) -> str:
    """The range as dates that are both included, with the words it was read from."""
    first, last = period.start, period.end - datetime.timedelta(days=1)
    if first == last:
        text = _day(first, language)
    else:
        text = f"{_day(first, language)} {'至' if language == 'zh' else 'to'} {_day(last, language)}"
    if not period.text:
        return text
    return f"{text}（{period.text}）" if language == "zh" else f"{text} ({period.text})"


def _day(day: datetime.date, language: Tongue) -> str:
    if language == "zh":
        return f"{day.isoformat()} 周{'一二三四五六日'[day.weekday()]}"
    return f"{day:%a} {day.isoformat()}"
