"""What a replay found: plain data."""

from __future__ import annotations

import msgspec

from pointsman.offline.replay.again import Assumed, Unread
from pointsman.offline.replay.moved import Aspect, Place
from pointsman.offline.replay.parts import Part
from pointsman.offline.replay.speeds import From


class Cause(msgspec.Struct, frozen=True, order=True):
    """Parts of the document that did it: each `alone` would have, or else only all of them together."""

    parts: tuple[Part, ...]
    alone: bool = True


class Sample(msgspec.Struct, frozen=True):
    """A request that moves. `text` only where it was asked for."""

    id: str
    received: float
    language: str | None
    input_tokens: int | None
    task: str | None
    difficulty: float | None
    text: str | None = None


class Move(msgspec.Struct, frozen=True):
    """Requests that go from one place to another for one cause."""

    before: Place
    after: Place
    aspect: Aspect
    cause: Cause
    requests: int
    samples: tuple[Sample, ...]


class Effect(msgspec.Struct, frozen=True):
    """A figure as it was, and as it is forecast, with the interval of 95 % for the latter."""

    before: float
    after: float
    low: float
    high: float

    @property
    def change(self) -> float | None:
        """As a share of what it was; None of nothing."""
        return (self.after - self.before) / self.before if self.before else None


class TargetEffect(msgspec.Struct, frozen=True):
    """Of one target: requests that it answered and would answer, and seconds of its engine for them. `busy` is how many
    requests it worked at on the average, of `slots` that it has. `speed` says whence the forecast."""

    target: str
    requests_before: int
    requests_after: int
    seconds_before: float
    seconds_after: float
    busy_before: float
    busy_after: float
    slots: int | None
    speed: From
    speed_samples: int
    external: bool = False


class Forecast(msgspec.Struct, frozen=True):
    """Of `requests` that came to a good end and whose time is known: seconds from arrival until the reply is whole (mean,
    median, 95th percentile), GPU seconds together, and the quality (0 to 1) of the `answered` ones that a model answers
    before and after. `left_out` came to no good end. For `guessed_speed` and `guessed_quality` of them nothing that was
    measured tells; `untimed` move to an action of which the log knows no times."""

    requests: int
    left_out: int
    mean: Effect
    median: Effect
    p95: Effect
    gpu: Effect
    quality: Effect
    answered: int
    guessed_speed: int
    guessed_quality: int
    untimed: int
    targets: tuple[TargetEffect, ...]


class RuleEffect(msgspec.Struct, frozen=True):
    """Requests that a rule took and would take; `lost` of them go elsewhere (`to`), `won` come from elsewhere (`from_`)."""

    rule: str
    before: int
    after: int
    lost: int
    won: int
    to: dict[str, int]
    from_: dict[str, int]


class Replay(msgspec.Struct, frozen=True):
    """`requests` in the period: `undecided` of them had no decision to make again, `unread` says why others could not be
    decided again, `unread_ids` which some of them are, `compared` could. Of these `moved` go elsewhere, `reordered` have
    other targets after the same first one, `reworded` are done by the same rule with other parameters, `noted` have other
    marks.

    `rescored` were told by the logged terms alone, `spared` by that the differing parts cannot touch them. `checked` were
    also decided again by the policy that had decided them. `approximated`: moves whose cause is taken from others like
    them. `began` is when the first request came; `early` came before what was asked for, `future` are stamped later than
    now: the clock ran backwards since. `seconds` of one core it took."""

    since: float | None
    until: float
    began: float | None
    ended: float | None
    requests: int
    undecided: int
    unread: dict[Unread, int]
    unread_ids: dict[Unread, tuple[str, ...]]
    compared: int
    moved: int
    reordered: int
    reworded: int
    noted: int
    rescored: int
    spared: int
    checked: int
    approximated: int
    future: int
    assumed: dict[Assumed, int]
    policies: dict[str, int]
    parts: tuple[Part, ...]
    moves: tuple[Move, ...]
    rules: tuple[RuleEffect, ...]
    forecast: Forecast
    seconds: float

    @property
    def unreadable(self) -> int:
        return sum(self.unread.values())

    @property
    def moved_share(self) -> float:
        return self.moved / self.compared if self.compared else 0.0

    @property
    def unreadable_share(self) -> float:
        of = self.compared + self.unreadable
        return self.unreadable / of if of else 0.0
