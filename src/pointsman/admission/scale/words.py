"""What a sign means, in one sentence with its figures."""

from __future__ import annotations

from datetime import datetime, tzinfo

from pointsman.admission.scale.signals import Sign
from pointsman.domain.said import Said, said


def sentence(sign: Sign, now: float, zone: tzinfo) -> Said:
    """`now` in seconds since the epoch: how long one that holds has held."""
    until = now if sign.until is None else sign.until
    figures = {"when": _when(sign, zone), "span": span(until - sign.since), "n": f"{sign.requests:,}"}
    if sign.cause == "queue_wait":
        en = (
            "You need a second GPU because for {span} ({when}) the slowest 1 of 100 of {n} requests waited over {s:.1f} s "
            "for a place."
        )
        zh = "需要第二块 GPU：在 {span}里（{when}），{n} 个请求中最慢的 1% 等空位超过 {s:.1f} 秒。"
        return said(en, zh, s=sign.value, **figures)
    if sign.cause == "p99_rising":
        en = (
            "You need a faster or a second GPU because for {span} ({when}) the slowest 1 of 100 of {n} requests took over "
            "{s:.1f} s, where {usual:.1f} s was usual."
        )
        zh = (
            "需要更快的或第二块 GPU：在 {span}里（{when}），{n} 个请求中最慢的 1% 用了超过 {s:.1f} 秒，"
            "而平时是 {usual:.1f} 秒。"
        )
        return said(en, zh, s=sign.value, usual=sign.usual or 0.0, **figures)
    if sign.cause == "memory":
        en = (
            "You need a second GPU, or more memory, because for {span} ({when}) memory was nearly full: up to {share:.0%} "
            "in use."
        )
        zh = "需要第二块 GPU 或更多内存：在 {span}里（{when}），内存接近用满，最高用到 {share:.0%}。"
        return said(en, zh, share=sign.value, **figures)
    en = (
        "You need a second GPU because for {span} ({when}) models did not fit together: {times:.0f} times one was pushed "
        "out for another."
    )
    zh = "需要第二块 GPU：在 {span}里（{when}），模型放不到一起，有 {times:.0f} 次为了一个模型而卸下另一个。"
    return said(en, zh, times=sign.value, **figures)


def span(seconds: float) -> Said:
    """Whole minutes, hours or days, two of them at most."""
    minutes = max(round(seconds / 60), 1)
    if minutes < 60:
        return said("{m} min", "{m} 分钟", m=minutes)
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return said("{h} h {m} min", "{h} 小时 {m} 分钟", h=hours, m=minutes)
    days, hours = divmod(hours, 24)
    return said("{d} d {h} h", "{d} 天 {h} 小时", d=days, h=hours)


def _when(sign: Sign, zone: tzinfo) -> Said:
    since = datetime.fromtimestamp(sign.since, zone).strftime("%Y-%m-%d %H:%M")
    if sign.until is None:
        return said("since {since}, and it goes on", "自 {since} 起，仍在持续", since=since)
    until = datetime.fromtimestamp(sign.until, zone).strftime("%Y-%m-%d %H:%M")
    return said("{since} to {until}", "{since} 至 {until}", since=since, until=until)
