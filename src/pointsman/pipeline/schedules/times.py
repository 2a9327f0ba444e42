"""Times of a cron expression in a time zone, as Debian's cron has them. Pure.

Where clocks are set forward, a time that does not exist is made up for at the first moment after the gap; where they are
set back, a fixed time (`30 1 * * *`) comes once, and one that comes every hour or every few minutes comes as often as
time really passes."""

from __future__ import annotations

import datetime
from itertools import islice
from zoneinfo import ZoneInfo

import msgspec
from cronsim import CronSim, CronSimError

from pointsman.domain.said import Said, said

VALID = Said(
    'minute hour day month weekday, such as "0 8 * * 1" (Mondays at eight), "*/15 9-17 * * MON-FRI", "0 9 L * *"',
    '分 时 日 月 星期，如 "0 8 * * 1"（每周一八点）、"*/15 9-17 * * MON-FRI"、"0 9 L * *"',
)
_FIELDS = {
    "minute": Said("the minute", "分"),
    "hour": Said("the hour", "时"),
    "day-of-month": Said("the day", "日"),
    "month": Said("the month", "月"),
    "day-of-week": Said("the weekday", "星期"),
}
_MOST = 200  # times that are looked at for one on the right side; there may be others where clocks are set back
_LATELY, _NONE = datetime.timedelta(hours=4), datetime.timedelta(0)


class Timing(msgspec.Struct, frozen=True):
    """A cron expression of five fields, and the IANA name of the zone that it counts in."""

    cron: str
    zone: str


def check_cron(cron: str) -> None:
    """ValueError says what is wrong, in both languages."""
    count = len(cron.split())
    if count != 5:
        raise ValueError(said("it has {count} fields, not 5", "有 {count} 个字段，应为 5 个", count=count))
    try:
        first = next(CronSim(cron, datetime.datetime(2026, 1, 1)), None)
    except CronSimError as error:
        field = str(error).removeprefix("Bad ")
        what = _FIELDS.get(field, said("{field}", "{field}", field=field))
        raise ValueError(said("{what} is not right", "{what}字段不正确", what=what)) from None
    if first is None:
        raise ValueError(Said("it never comes: there is no such day", "永远不会到来：没有这样的日期"))


def next_after(timing: Timing, after: float) -> float | None:
    """The first time after that moment, both in seconds since the epoch; None where there is none within 50 years."""
    start = datetime.datetime.fromtimestamp(int(after), ZoneInfo(timing.zone))
    times = (found.timestamp() for found in islice(CronSim(timing.cron, start), _MOST))
    return next((at for at in times if at > after), None)


def last_until(timing: Timing, until: float) -> float | None:
    """The last time that is not after that moment; None where there was none within 50 years."""
    start = datetime.datetime.fromtimestamp(int(until) + 1, ZoneInfo(timing.zone))
    start += _set_back(start)
    times = (found.timestamp() for found in islice(CronSim(timing.cron, start, reverse=True), _MOST))
    return next((at for at in times if at <= until), None)


def _set_back(moment: datetime.datetime) -> datetime.timedelta:
    """By how much clocks were set back in the last hours: what they show was shown before, and times of a fixed hour that
    seem to lie ahead have been."""
    utc = moment.astimezone(datetime.UTC)
    before = (utc - _LATELY).astimezone(moment.tzinfo).utcoffset() or _NONE
    return max(before - (moment.utcoffset() or _NONE), _NONE)


def in_utc(at: float) -> str:
    """As keys and messages have it: 2026-11-30T00:00:00Z."""
    return f"{datetime.datetime.fromtimestamp(int(at), datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"


def in_zone(at: float, zone: str) -> str:
    """As people read it: 2026-11-30 08:00 Asia/Shanghai."""
    return f"{datetime.datetime.fromtimestamp(at, ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone}"
