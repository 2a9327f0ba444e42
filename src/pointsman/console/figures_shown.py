"""Figures as people read them, the same in both languages."""

from __future__ import annotations

from typing import Any

import msgspec

NONE = "–"


def number(value: float | None) -> str:
    """12,345; 3.4 below ten where it is no whole number."""
    if value is None:
        return NONE
    if value == int(value) or abs(value) >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}"


def milliseconds(value: float | None) -> str:
    """0.4 ms, 12 ms, 1.20 s, 3.5 min; of milliseconds."""
    if value is None:
        return NONE
    if value < 1000:
        return f"{value:.1f} ms" if value < 10 else f"{value:.0f} ms"
    return seconds(value / 1000)


def seconds(value: float | None) -> str:
    """0.35 s, 12.5 s, 3.5 min, 2.1 h; of seconds."""
    if value is None:
        return NONE
    if value < 60:
        return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
    if value < 3600:
        return f"{value / 60:.1f} min"
    return f"{value / 3600:,.1f} h"


def percent(value: float | None) -> str:
    """Of a share, 0 to 1. Small ones have a decimal, so that 0 % is nothing at all."""
    if value is None:
        return NONE
    shown = value * 100
    if 0 < shown < 0.1:
        return "< 0.1 %"
    return f"{shown:.1f} %" if 0 < shown < 10 else f"{shown:.0f} %"


def size(value: float | None) -> str:
    """Of bytes: 512 MiB, 1.5 GiB."""
    if value is None:
        return NONE
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def plain(value: Any) -> str:
    """Data as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode()


FILTERS: dict[str, Any] = {
    "number": number,
    "ms": milliseconds,
    "seconds": seconds,
    "percent": percent,
    "size": size,
    "plain": plain,
}
