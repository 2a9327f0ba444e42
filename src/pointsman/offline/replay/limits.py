"""How much may move: what an owner says, and whether a replay stays within."""

from __future__ import annotations

import math
import re

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.offline.replay.outcome import Effect, Replay

_LIMIT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(%?)")


class Limit(msgspec.Struct, frozen=True):
    """A share (0.02 for 2%), or a number of requests."""

    value: float
    is_share: bool

    def passed(self, count: float, of: float) -> bool:
        return count > (self.value * of if self.is_share else self.value)

    def __str__(self) -> str:
        return f"{100 * self.value:g}%" if self.is_share else f"{self.value:g}"


class Limits(msgspec.Struct, frozen=True):
    """None: as much as it likes. `slower`, `worse` and `gpu` are shares: of the mean and the 95th percentile of times,
    points of quality (1% is 0.01 of 1), and of GPU seconds. `stolen`: rule → what may go elsewhere of what it took."""

    moved: Limit | None = None
    unreadable: Limit | None = None
    slower: float | None = None
    worse: float | None = None
    gpu: float | None = None
    stolen: dict[str, Limit] = {}

    @property
    def any(self) -> bool:
        return self != Limits()


class Passed(msgspec.Struct, frozen=True):
    """A limit that was passed: its option, and how."""

    option: str
    why: Said


def limit_of(option: str, text: str) -> Limit:
    """`2%` or `50`. Raises PointsmanError."""
    found = _LIMIT.fullmatch(text.strip())
    if found is None:
        message = said(
            "{option} {text!r} is no limit (valid: a share such as 2%, a number of requests such as 50)",
            "{option} {text!r} 不是限值（合法取值：比例如 2%，或请求数如 50）",
            option=option,
            text=text,
        )
        raise PointsmanError(message)
    value = float(found[1])
    return Limit(value / 100 if found[2] else value, bool(found[2]))


def share_of(option: str, text: str) -> float:
    """`2%`. Raises PointsmanError."""
    found = _LIMIT.fullmatch(text.strip())
    if found is None or not found[2]:
        message = said(
            "{option} {text!r} is no share (valid: 2%, 0.5%)",
            "{option} {text!r} 不是比例（合法取值：2%、0.5%）",
            option=option,
            text=text,
        )
        raise PointsmanError(message)
    return float(found[1]) / 100


def stolen_of(text: str) -> tuple[str, Limit]:
    """`RULE`, of which nothing may go elsewhere, or `RULE=2%`. Raises PointsmanError."""
    rule, equals, limit = text.rpartition("=")
    if not equals:
        return text, Limit(0.0, False)
    return rule, limit_of("--max-stolen", limit)


def passed(found: Replay, limits: Limits) -> list[Passed]:
    """Every limit that the replay passes. Where nothing could be compared, each one is."""
    if limits.any and not found.compared:
        return [Passed("--since", said("nothing could be compared", "没有可以比较的请求"))]
    forecast = found.forecast
    told: list[Passed] = []
    if limits.moved is not None and limits.moved.passed(found.moved, found.compared):
        told.append(_count("--max-moved", found.moved, found.compared, limits.moved))
    if limits.unreadable is not None:
        of = found.compared + found.unreadable
        if limits.unreadable.passed(found.unreadable, of):
            told.append(_count("--max-unreadable", found.unreadable, of, limits.unreadable))
    if limits.slower is not None:
        both = (("mean", "平均耗时", forecast.mean), ("95th percentile", "P95 耗时", forecast.p95))
        for en, zh, effect in both:
            if _grows(effect) > limits.slower:
                told.append(_share("--max-slower", Said(en, zh), _grows(effect), limits.slower))
                break
    if limits.worse is not None:
        lost = forecast.quality.before - forecast.quality.after
        if lost > limits.worse:
            told.append(_share("--max-worse", Said("quality lost", "质量下降"), lost, limits.worse))
    if limits.gpu is not None and _grows(forecast.gpu) > limits.gpu:
        told.append(_share("--max-gpu", Said("GPU seconds", "GPU 秒"), _grows(forecast.gpu), limits.gpu))
    rules = {each.rule: each for each in found.rules}
    for rule, limit in limits.stolen.items():
        each = rules.get(rule)
        if each is not None and limit.passed(each.lost, each.before):
            told.append(_count(f"--max-stolen {rule}", each.lost, each.before, limit))
    return told


def _grows(effect: Effect) -> float:
    """By what share; of nothing by infinity."""
    if effect.change is not None:
        return effect.change
    return math.inf if effect.after > 0 else 0.0


def _count(option: str, count: int, of: int, limit: Limit) -> Passed:
    share = f"{100 * count / of:.2f}%"
    why = said(
        "{count} of {of} ({share}), more than {limit}",
        "{of} 个中有 {count} 个（{share}），超过 {limit}",
        count=f"{count:,}",
        of=f"{of:,}",
        share=share,
        limit=limit,
    )
    return Passed(option, why)


def _share(option: str, what: Said, share: float, limit: float) -> Passed:
    told = "∞" if math.isinf(share) else f"{100 * share:+.2f}%"
    why = said(
        "{what} {told}, more than {limit}",
        "{what} {told}，超过 {limit}",
        what=what,
        told=told,
        limit=f"{100 * limit:g}%",
    )
    return Passed(option, why)
