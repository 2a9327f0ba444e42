"""From replies to figures."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from pointsman.bench.admission.arrivals import CHAIN
from pointsman.bench.admission.client import Outcome, Reply
from pointsman.bench.load import quantile

OUTCOMES: tuple[Outcome, ...] = ("ok", "shed", "error", "timeout", "lost")


def figures(replies: Sequence[Reply], seconds: float, within: float) -> dict[str, float]:
    """`ttft` in seconds, of requests that got content; `good` are those that ended well with their first content `within`
    so many seconds of their coming. Rates are over the time from the first request to the end of the last one."""
    outcomes = Counter(reply.outcome for reply in replies)
    values = {f"{outcome}_n": float(outcomes[outcome]) for outcome in OUTCOMES}
    values["sent_n"] = float(len(replies))
    ends = [reply.sent + (reply.total or 0.0) for reply in replies]
    took = max(seconds, max(ends) - min(reply.sent for reply in replies)) if replies else seconds
    good = [reply for reply in replies if is_good(reply, within)]
    values["took_s"] = took
    values["good_n"] = float(len(good))
    values["good_per_s"] = len(good) / took
    values["good_tokens_per_s"] = sum(reply.tokens for reply in good) / took
    firsts = sorted(reply.first for reply in replies if reply.first is not None)
    others = sorted(reply.first for reply in replies if reply.first is not None and reply.arrival.caller != CHAIN)
    for name, of in (("ttft", firsts), ("others_ttft", others)):
        if of:
            values[f"{name}_p50_s"], values[f"{name}_p95_s"] = quantile(of, 0.5), quantile(of, 0.95)
    usual = [reply for reply in replies if reply.arrival.caller != CHAIN]
    if usual:
        values["others_good_ratio"] = sum(is_good(reply, within) for reply in usual) / len(usual)
    values["fairness"] = fairness(replies, within)
    return values | waits(replies)


def is_good(reply: Reply, within: float) -> bool:
    return reply.outcome == "ok" and reply.first is not None and reply.first <= within


def fairness(replies: Sequence[Reply], within: float) -> float:
    """Jain's index of what callers got (tokens of good replies, prompts and all) of what would have been fair: the largest
    equal share of all that was delivered, with nobody given more than was asked for (max-min). 1: everybody got that."""
    asked: dict[str, float] = {}
    got: dict[str, float] = {}
    for reply in replies:
        caller, arrival = reply.arrival.caller, reply.arrival
        weight = float(arrival.words + arrival.context + arrival.reply)
        asked[caller] = asked.get(caller, 0.0) + weight
        got[caller] = got.get(caller, 0.0) + weight * is_good(reply, within)
    fair = max_min(asked, sum(got.values()))
    shares = [got[caller] / fair[caller] for caller in asked if fair[caller] > 0]
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 0.0


def max_min(asked: Mapping[str, float], whole: float) -> dict[str, float]:
    """The whole shared out so that nobody can be given more without somebody who has less losing some."""
    shares: dict[str, float] = {}
    left = dict(asked)
    while left:
        equal = whole / len(left)
        content = [name for name, wanted in left.items() if wanted <= equal]
        if not content:
            return shares | dict.fromkeys(left, equal)
        for name in content:
            shares[name] = left.pop(name)
            whole -= shares[name]
    return shares


def waits(replies: Sequence[Reply]) -> dict[str, float]:
    """How far estimated waits were from true ones, of requests that waited, were told how long, and then went in: seconds
    too long (or, negative, too short), and how far from the truth. A wait is known to the time between two heartbeats."""
    pairs = [
        (reply.estimate, reply.admitted - reply.placed)
        for reply in replies
        if reply.placed is not None and reply.estimate is not None and reply.admitted is not None
    ]
    values = {"estimated_n": float(len(pairs))}
    if pairs:
        errors = [estimate - true for estimate, true in pairs]
        values["estimate_error_median_s"] = statistics.median(errors)
        values["estimate_off_median_s"] = statistics.median(map(abs, errors))
        values["estimate_off_p90_s"] = quantile(sorted(map(abs, errors)), 0.9)
        values["waited_median_s"] = statistics.median(true for _, true in pairs)
    return values
