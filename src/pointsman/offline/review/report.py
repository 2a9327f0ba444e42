"""An audit, judged."""

from __future__ import annotations

import msgspec

from pointsman.offline.audit.outcome import Audit
from pointsman.offline.review.advice import Advice, advice
from pointsman.offline.review.ranking import PRICE, Ranked, ranked
from pointsman.offline.review.trials import Comparison, compare


class Review(msgspec.Struct, frozen=True):
    """`price` is what a suspected misjudgement was set against, in GPU seconds."""

    audit: Audit
    price: float
    rules: tuple[Ranked, ...]
    trials: tuple[Comparison, ...]
    advice: tuple[Advice, ...]

    @property
    def bottom(self) -> tuple[Ranked, ...]:
        return tuple(each for each in self.rules if each.bottom)

    @property
    def doubted(self) -> tuple[Ranked, ...]:
        return tuple(each for each in self.rules if each.doubted)


def review(audit: Audit, price: float = PRICE) -> Review:
    rules = ranked(audit, price)
    trials = [compare(trial) for trial in audit.trials]
    return Review(audit, price, tuple(rules), tuple(trials), tuple(advice(audit, rules, trials)))
