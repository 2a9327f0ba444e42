"""What an audit found: plain data, each number with the requests behind it where they were asked for."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.rule import Rule
from pointsman.offline.audit.cost import Cost
from pointsman.offline.audit.near import NearMiss
from pointsman.offline.audit.without import Kind


class Moved(msgspec.Struct, frozen=True):
    """Of a rule's requests, those that without it would have gone to one other place, and what that costs. `seconds` is
    what they would have taken there, `spent` what they took as it was (only where the rule steers to a model), both None
    where the log tells nothing of it. `kind` "unknown": it cannot be told, since the prompts were not kept."""

    kind: Kind | str
    name: str
    requests: int
    seconds: float | None
    spent: float

    @property
    def saved(self) -> float | None:
        return None if self.seconds is None else self.seconds - self.spent


class Wrong(msgspec.Struct, frozen=True):
    """A text that the rule may have misjudged, why, and what came next (nothing where feedback says it)."""

    text: str
    reason: str
    request: str
    next: str | None = None


class Suspected(msgspec.Struct, frozen=True):
    """Requests by the reason to think that the rule was wrong to take them; one may have several. `any` counts each
    once, of `of` requests that were looked at. `abandoned` is apart: it may as well mean that the reply was all that was
    wanted."""

    asked_again: int = 0
    said_so: int = 0
    feedback: int = 0
    any: int = 0
    of: int = 0
    abandoned: int = 0
    texts: tuple[Wrong, ...] = ()

    @property
    def rate(self) -> float | None:
        return self.any / self.of if self.of else None


class RuleAudit(msgspec.Struct, frozen=True):
    """What a rule did in the period. `share` is of the requests that reached rules; times are of deciding, in
    milliseconds; `outcomes` how its requests ended."""

    rule: str
    hits: int
    share: float
    median_ms: float | None
    p95_ms: float | None
    outcomes: dict[str, int]
    moved: tuple[Moved, ...]
    suspected: Suspected

    @property
    def saved(self) -> float | None:
        """GPU seconds; None where of no request it can be told."""
        known = [moved.saved for moved in self.moved if moved.saved is not None]
        return sum(known) if known or not self.hits else None

    @property
    def untold(self) -> int:
        """Requests of which it cannot be told what they would have cost."""
        return sum(moved.requests for moved in self.moved if moved.seconds is None)


class ShadowAudit(msgspec.Struct, frozen=True):
    """What a rule in shadow would have taken: `from_whom` is rule or target → requests, `seconds` what those took that
    went to models."""

    rule: str
    requests: int
    from_whom: dict[str, int]
    seconds: float


class Arm(msgspec.Struct, frozen=True):
    """One side of a trial: sums by person, each (requests, suspected, asked again, engine seconds)."""

    people: tuple[tuple[int, int, int, float], ...]

    @property
    def requests(self) -> int:
        return sum(person[0] for person in self.people)


class Trial(msgspec.Struct, frozen=True):
    """A rule with a share: requests that it took, and those of the people for whom it does not count."""

    rule: str
    share: int
    taken: Arm
    left: Arm


class Known(msgspec.Struct, frozen=True):
    """A rule as the newest policy of the log that has it says. `kind` is what its action comes to, `guard` whether its pack
    is one; `first` and `last` are the first and last request that a policy with it decided. `in_force`: the last policy of
    the log has it."""

    rule: Rule
    kind: str
    guard: bool
    first: float
    last: float
    in_force: bool


class Audit(msgspec.Struct, frozen=True):
    """Of the requests that came between `since` and `until`: `requests` in all, `reached` rules, of `unread` the content
    is not here. `costs` are those of targets (under "" all together). `near` is of `sampled` different questions that no
    rule took, which are `sampled_share` of all. `trace` holds the ids behind the numbers of the one rule that was asked
    for."""

    since: float | None
    until: float
    requests: int
    reached: int
    unread: int
    sessions: int
    costs: dict[str, Cost]
    rules: tuple[RuleAudit, ...]
    shadows: tuple[ShadowAudit, ...]
    marks: dict[str, int]
    trials: tuple[Trial, ...]
    near: tuple[NearMiss, ...]
    sampled: int
    sampled_share: float
    known: dict[str, Known]
    trace: dict[str, Any] | None = None

    def of(self, rule: str) -> RuleAudit | None:
        return next((each for each in self.rules if each.rule == rule), None)
