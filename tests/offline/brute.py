"""An audit made another way: requests read one by one through `rows` and `content`, each policy compiled anew without the
rule, every number a loop over all of them. Slow and obvious."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import msgspec

from pointsman.domain.request import Request
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader


class Row:
    def __init__(self, row: dict[str, Any], reader: LogReader) -> None:
        self.row = row
        self.id: str = row["id"]
        self.at: float = row["received"]
        self.rule: str | None = row["rule"]
        evidence = reader.evidence(self.id)
        self.evidence = evidence
        self.request: Request | None = evidence.request if evidence else None
        self.question = self.request.question if self.request else None
        began = row["attempts"][-1]["began_ms"] if row["attempts"] else 0.0
        served = row["target"] is not None and row["cache"] != "hit"
        self.seconds = (row["total_ms"] - began) / 1000 if served else None

    @property
    def person(self) -> tuple[str, ...]:
        request = self.request
        if request is not None and request.user:
            return self.row["caller"], "user", request.user
        if request is not None and request.session:
            return self.row["caller"], "session", request.session
        return (self.row["caller"],)


def rows(folder: Path, since: float | None = None) -> list[Row]:
    reader = LogReader(folder)
    found = [Row(row, reader) for row in reader.rows({}, since, 10**6)]
    return sorted(found, key=lambda each: each.at)


def instead(row: Row) -> tuple[str, str]:
    """(kind, name) of who would have taken it, by a policy compiled without the rule."""
    assert row.evidence is not None
    document = row.evidence.policy
    kept = tuple(rule for rule in document.rules if rule.id != row.rule)
    decision = decide(
        row.evidence.request, Policy(msgspec.structs.replace(document, rules=kept)), row.evidence.snapshot
    )
    if decision.error:
        return "none", decision.error
    if decision.stage == "l0":
        return "rule", decision.rule or ""
    return "target", decision.targets[0].target


def moved(found: list[Row], rule: str) -> Counter[tuple[str, str]]:
    return Counter(instead(row) for row in found if row.rule == rule)


def suspected(found: list[Row], rule: str, complaints: set[str]) -> dict[str, set[str]]:
    """Reason → ids, for texts of which this test knows how they are meant: `again` if the same words come back."""
    reasons: dict[str, set[str]] = defaultdict(set)
    for place, row in enumerate(found):
        if row.rule != rule:
            continue
        if row.id in complaints:
            reasons["feedback"].add(row.id)
        after = [each for each in found[place + 1 :] if each.person == row.person and each.at - row.at <= 600]
        about = []
        for each in after:
            assert each.request is not None
            earlier = [turn.text for turn in each.request.turns if turn.role == "user"][:-1]
            if not earlier or row.question in earlier:
                about.append(each)
        for number, each in enumerate(about[:3]):
            words = set((each.question or "").lower().split())
            if number == 0 and (words & {"meant", "不是这个"}):
                reasons["said_so"].add(row.id)
                break
            if each.rule in (None, rule) and words & set((row.question or "").lower().split()) & {"vpn", "holiday"}:
                reasons["asked_again"].add(row.id)
                break
    return reasons


def percentile(values: list[float], share: float) -> float:
    """The smallest of them with at least that share of them at or below it."""
    return min(value for value in values if sum(each <= value for each in values) >= share * len(values))


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The p at which (hits/of − p)² = z²·p(1−p)/of, by bisection from either side."""
    z2, share = 1.959963984540054**2, hits / of

    def beyond(p: float) -> bool:
        return (share - p) ** 2 > z2 * p * (1 - p) / of

    def border(outside: float, inside: float) -> float:
        if not beyond(outside) and outside in (0.0, 1.0) and math.isclose(outside, share):
            return outside
        for _ in range(200):
            middle = (outside + inside) / 2
            if beyond(middle):
                outside = middle
            else:
                inside = middle
        return inside

    return border(0.0, share), border(1.0, share)
