"""A rule with a share, compared with what happens without it: by people, since each person is always on one side."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf, sqrt
from typing import Literal

import msgspec

from pointsman.domain.said import Said, said
from pointsman.offline.audit.intervals import Interval, Z, difference, effective, ratio
from pointsman.offline.audit.outcome import Arm, Trial

MARGIN = 0.02
"""A difference in the share of suspected misjudgements that is too small to matter."""
_PEOPLE = 5
_REQUESTS = 30
Verdict = Literal["better", "worse", "same", "too_little"]


class Side(msgspec.Struct, frozen=True):
    """`seconds` are engine seconds a request; `effective` is how many independent requests say as much."""

    requests: int
    people: int
    suspected: int
    asked_again: int
    seconds: float
    effective: float


class Comparison(msgspec.Struct, frozen=True):
    """Differences are with the rule minus without it, each with its interval of 95 %; that of seconds is None where one
    side is fewer than two people. `more`: so many more requests settle it, at the same split; None where it is settled,
    or where it is people that lack."""

    rule: str
    share: int
    taken: Side
    left: Side
    suspected: float
    suspected_interval: Interval
    asked_again: float
    asked_again_interval: Interval
    seconds: float
    seconds_interval: Interval | None
    verdict: Verdict
    more: int | None
    sentence: Said


def compare(trial: Trial) -> Comparison:
    """Intervals of shares are Newcombe's, over as many requests as the people's spread leaves of them; that of seconds is
    the normal one of the difference of two ratio estimators over people."""
    taken, left = _side(trial.taken), _side(trial.left)
    suspected = _share(taken.suspected, taken) - _share(left.suspected, left)
    interval = _difference(trial, 1)
    again = _share(taken.asked_again, taken) - _share(left.asked_again, left)
    _, of_taken = ratio(_clusters(trial.taken, 3))
    _, of_left = ratio(_clusters(trial.left, 3))
    seconds = taken.seconds - left.seconds
    reach = Z * sqrt(of_taken + of_left)
    seconds_interval = None if reach == inf else (seconds - reach, seconds + reach)
    enough = min(taken.people, left.people) >= _PEOPLE and min(taken.requests, left.requests) >= _REQUESTS
    verdict = _verdict(interval) if enough else "too_little"
    more = _more(taken, left) if verdict == "too_little" and min(taken.people, left.people) >= _PEOPLE else None
    sentence = _sentence(verdict, more, taken, left, suspected, interval, seconds, seconds_interval)
    return Comparison(
        trial.rule, trial.share, taken, left, suspected, interval, again, _difference(trial, 2), seconds, seconds_interval,
        verdict, more, sentence,
    )  # fmt: skip


def _clusters(arm: Arm, column: int) -> list[tuple[float, float]]:
    return [(person[column], person[0]) for person in arm.people]


def _side(arm: Arm) -> Side:
    people = arm.people
    requests = arm.requests
    return Side(
        requests,
        len(people),
        sum(person[1] for person in people),
        sum(person[2] for person in people),
        sum(person[3] for person in people) / requests if requests else 0.0,
        effective(_clusters(arm, 1)),
    )


def _share(count: int, side: Side) -> float:
    return count / side.requests if side.requests else 0.0


def _difference(trial: Trial, column: int) -> Interval:
    figures: list[float] = []
    for arm in (trial.taken, trial.left):
        clusters = _clusters(arm, column)
        number = effective(clusters)
        figures += [ratio(clusters)[0] * number, number]
    return difference(*figures)


def _verdict(interval: Interval) -> Verdict:
    low, high = interval
    if high < 0:
        return "better"
    if low > 0:
        return "worse"
    return "same" if low > -MARGIN and high < MARGIN else "too_little"


def _more(taken: Side, left: Side) -> int:
    """So many requests narrow the interval to the margin, if people go on as they do; a tenth more at least. Shares are
    drawn to the middle by one request each way, so that a share of 0 does not pass for certain."""
    variance = 0.0
    for side in (taken, left):
        share = (side.suspected + 1) / (side.requests + 2)
        variance += share * (1 - share) / max(side.effective, 1.0)
    requests = taken.requests + left.requests
    factor = max(Z * Z * variance / (MARGIN * MARGIN), _REQUESTS / max(1, min(taken.requests, left.requests)), 1.1)
    return ceil((factor - 1) * requests)


def _sentence(
    verdict: Verdict, more: int | None, taken: Side, left: Side, suspected: float, interval: Interval, seconds: float,
    seconds_interval: Interval | None,
) -> Said:  # fmt: skip
    if verdict == "too_little" and more is None:
        return said(
            "Too little data: {taken} people on the rule's side and {left} on the other; at least {least} on either are "
            "needed (callers' own users are told apart by `user` or a session)",
            "数据太少：规则一侧 {taken} 人，另一侧 {left} 人；两侧各需至少 {least} 人（同一调用方的用户按 user 或会话区分）",
            taken=taken.people,
            left=left.people,
            least=_PEOPLE,
        )
    numbers: Sequence[str] = [f"{100 * each:+.1f}" for each in (suspected, *interval)]
    figures = said(
        "suspected misjudgements {taken} with the rule, {left} without it (difference {change} points, 95 % interval {low} "
        "to {high})",
        "疑似误判：有规则 {taken}，没有规则 {left}（相差 {change} 个百分点，95% 区间 {low} 到 {high}）",
        taken=f"{100 * _share(taken.suspected, taken):.1f}%",
        left=f"{100 * _share(left.suspected, left):.1f}%",
        change=numbers[0],
        low=numbers[1],
        high=numbers[2],
    )
    engine = _engine(seconds, seconds_interval)
    if verdict == "too_little":
        return said(
            "Too little data: about {more} more requests are needed at this split; so far {figures}",
            "数据太少：按目前的比例还需要约 {more} 个请求；目前{figures}",
            more=more,
            figures=figures,
        )
    return said(
        "{verdict}: {figures}; {engine}",
        "{verdict}：{figures}；{engine}",
        verdict=_SAYS[verdict],
        figures=figures,
        engine=engine,
    )


def _engine(seconds: float, interval: Interval | None) -> Said:
    if interval is None:
        return said("GPU seconds cannot be compared", "GPU 秒数无法比较")
    return said(
        "{change} GPU seconds a request ({low} to {high})",
        "每个请求 {change} GPU 秒（{low} 到 {high}）",
        change=f"{seconds:+.2f}",
        low=f"{interval[0]:+.2f}",
        high=f"{interval[1]:+.2f}",
    )


_SAYS: dict[str, Said] = {
    "better": Said("Better with the rule", "有规则更好"),
    "worse": Said("Worse with the rule", "有规则更差"),
    "same": Said("No difference that matters", "没有值得在意的差别"),
}
