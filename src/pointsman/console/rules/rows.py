"""Rules as the list shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from pointsman.console.rules.books import Hits
from pointsman.console.rules.told import Health, Reviewed
from pointsman.domain.rule import Rule

Show = Literal["", "doubtful", "dead", "shadow", "advice"]
SHOWS: tuple[Show, ...] = ("doubtful", "dead", "shadow", "advice")
MOST = 200


class RuleRow(msgspec.Struct, frozen=True):
    """`hits` are of 30 days; `health` is None while nobody has reviewed it."""

    rule: Rule
    guard: bool
    hits: int
    last: float | None
    days: Sequence[int]
    health: Health | None

    @property
    def doubtful(self) -> bool:
        return self.health is not None and (self.health.doubted or self.health.maybe)

    @property
    def dead(self) -> bool:
        """It took nothing in 30 days, though it is in force."""
        return self.hits == 0 and self.rule.mode == "enforce" and self.rule.action != "mark"

    @property
    def precision(self) -> tuple[float, float, float] | None:
        """The estimate, and between what it surely lies."""
        if self.health is None or not self.health.looked:
            return None
        health = self.health
        return 1 - health.suspected / health.looked, 1 - health.high, 1 - health.low


def rows_of(
    rules: Sequence[Rule], guards: Sequence[str], hits: Mapping[str, Hits], reviewed: Reviewed | None
) -> list[RuleRow]:
    """The highest priority first, as they are looked at."""
    found = []
    for rule in sorted(rules, key=lambda each: -each.priority):
        health = None if reviewed is None else reviewed.rules.get(rule.id, Health(rule.id))
        took = hits.get(rule.id)
        found.append(
            RuleRow(
                rule,
                rule.pack in guards,
                took.total if took else 0,
                took.last if took else None,
                [many for _, many in took.days] if took else (),
                health,
            )
        )
    return found


def shown(rows: Sequence[RuleRow], text: str, show: str, order: str) -> list[RuleRow]:
    """Those that are asked for, in the order that is."""
    wanted = text.casefold().split()
    found = [
        row
        for row in rows
        if all(word in _words(row.rule) for word in wanted)
        and (show != "doubtful" or row.doubtful)
        and (show != "dead" or row.dead)
        and (show != "shadow" or row.rule.mode == "shadow" or row.rule.share is not None)
        and (show != "advice" or (row.health is not None and row.health.advice is not None))
    ]
    if order == "hits":
        found.sort(key=lambda row: -row.hits)
    elif order == "saved":
        found.sort(key=lambda row: -((row.health.saved if row.health else None) or 0.0))
    elif order == "precision":
        found.sort(key=lambda row: row.precision or (2.0, 0.0, 0.0))
    return found


def _words(rule: Rule) -> str:
    return f"{rule.id} {rule.pack} {rule.action} {rule.owner or ''}".casefold()
