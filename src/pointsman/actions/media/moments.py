"""Moments and lengths of time as people write them: 90, 1:23, 1m30s, 1分30秒, 一分半."""

from __future__ import annotations

from typing import Any

import re2

from pointsman.extractors.numerals import number_of

_NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?|[零〇一二两三四五六七八九十百]{1,8}"
CLOCK = r"[0-9]{1,3}(?:[:：][0-9]{1,2}){1,2}(?:\.[0-9]{1,6})?"
_CLOCK: Any = re2.compile(rf"(?i){CLOCK}")
_PARTS: Any = re2.compile(
    rf"(?i)(?:({_NUMBER}) ?(?:小时|时|个小时|hours?|hrs?|h)(半)? ?)?(?:({_NUMBER}) ?(?:分钟?|minutes?|mins?|m)(半)? ?)?"
    rf"(?:({_NUMBER}) ?(?:秒钟?|seconds?|secs?|s)?)?"
)
_PLAIN: Any = re2.compile(r"[0-9]{1,7}(?:\.[0-9]{1,6})?")
_HALVES = {"半分钟": 30.0, "半小时": 1800.0, "半个小时": 1800.0, "half a minute": 30.0, "half an hour": 1800.0}


def seconds_of(written: str | float) -> float | None:
    """Seconds, or None where it is no moment. Minutes and seconds of a clock are below 60."""
    if not isinstance(written, str):
        return float(written) if 0 <= written < 10**7 else None
    text = written.strip().lower()
    if len(text) > 60:
        return None
    if text in _HALVES:
        return _HALVES[text]
    if _PLAIN.fullmatch(text):
        return float(text)
    if _CLOCK.fullmatch(text):
        *more, seconds = text.replace("：", ":").split(":")
        total = 0
        for place, part in enumerate(more):
            if place and int(part) > 59:
                return None
            total = total * 60 + int(part)
        return total * 60 + float(seconds) if float(seconds) < 60 else None
    parts = _PARTS.fullmatch(text)
    if not text or parts is None:
        return None
    hours, half_hour, minutes, half_minute, seconds = parts.groups()
    values = [number_of(part) if part else 0 for part in (hours, minutes, seconds)]
    if any(value is None for value in values):
        return None
    total_seconds = sum(float(value or 0) * unit for value, unit in zip(values, (3600, 60, 1), strict=True))
    return total_seconds + (1800 if half_hour else 0) + (30 if half_minute else 0)


def clock(seconds: float) -> str:
    """1:23, 1:02:03; tenths where they matter."""
    tenths = round(seconds * 10)
    whole, tenth = divmod(tenths, 10)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    text = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"{text}.{tenth}" if tenth and seconds < 60 else text
