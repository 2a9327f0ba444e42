"""What a request takes at each target, as this very log measured it; where it did not, as rates say, or as models of that
size are."""

from __future__ import annotations

from statistics import median, pstdev
from typing import Literal

import msgspec

from pointsman.domain.target import BackendState, Load, Target
from pointsman.offline.audit.cost import Cost, Samples, fit, size_of
from pointsman.routing.latency import duration

From = Literal["log", "like", "rates", "size"]
"""Whence a target's speed: its own requests in the log, those of the same model on another backend, measured rates, or what
is usual for a model of that size."""
ENOUGH = 8
"""Requests of a target from which its speed is told."""
GUESS = 0.5
"""The relative standard error that an unmeasured speed is taken to have by its size, our own estimate; by rates a fifth."""
_BY_RATES = 0.2
_QUANTILES = 40
_USUAL_OUTPUT = 250.0


class Speed(msgspec.Struct, frozen=True):
    """`cost` gives the seconds of an engine, `overhead` is what a client waits beside them. `spread` are even quantiles of
    how many times the prediction single requests took, with mean 1; `error` is the relative standard error of the mean
    prediction, `noise` that of one request."""

    source: From
    samples: int
    cost: Cost
    overhead: float
    spread: tuple[float, ...] = (1.0,)
    error: float = 0.0
    noise: float = 0.0

    def seconds(self, input_tokens: int, output_tokens: float | None) -> float:
        """Of the engine, for a request with so long a prompt and reply; None: a reply of typical length."""
        cost = self.cost
        if output_tokens is None:
            return cost.seconds(input_tokens)
        return cost.base + cost.per_input * input_tokens + cost.per_output * output_tokens

    def single(self, seconds: float, number: int) -> float:
        """What the `number`-th request of that prediction is taken to take, so that many of them spread as they did."""
        return seconds * self.spread[number * 17 % len(self.spread)] + self.overhead


class Speeds:
    """Collects while the log is gone through; then `of` tells."""

    def __init__(self) -> None:
        self._engine: dict[str, Samples] = {}
        self._beside: dict[str, Samples] = {}
        self._found: dict[str, Speed] = {}

    def add(self, target: str, input_tokens: int, output_tokens: int | None, engine: float, whole: float) -> None:
        """A reply that came to its good end: seconds of the engine, and from arrival to the last byte."""
        samples = self._engine.get(target)
        if samples is None:
            samples = self._engine[target] = Samples()
            self._beside[target] = Samples()
        samples.add((input_tokens, output_tokens, engine))
        self._beside[target].add((0, None, whole - engine))

    def of(self, target: Target, state: BackendState) -> Speed:
        """`state` is the newest that is known of it. Once all is collected."""
        found = self._found.get(target.name)
        if found is None:
            found = self._found[target.name] = self._tell(target, state)
        return found

    def _tell(self, target: Target, state: BackendState) -> Speed:
        own = self._measured(target.name)
        if own is not None:
            return own
        alike = [name for name in self._engine if name.rsplit("@", 1)[0] == target.model]
        for name in sorted(alike, key=lambda name: -self._engine[name].count):
            measured = self._measured(name)
            if measured is not None:
                return msgspec.structs.replace(measured, source="like", error=max(measured.error, _BY_RATES))
        ready = msgspec.structs.replace(state, resident=True, health="up")
        read = duration(target, ready, Load(), 1, 0)
        written = duration(target, ready, Load(), 0, 1).work
        by_rates = read.rate_from == "measured"
        cost = Cost(0, 0.0, read.work, written, self._usual_output())
        error = _BY_RATES if by_rates else GUESS
        return Speed("rates" if by_rates else "size", 0, cost, 0.0, (1.0,), error, error)

    def _measured(self, name: str) -> Speed | None:
        samples = self._engine.get(name)
        if samples is None or samples.count < ENOUGH:
            return None
        cost = fit(samples.kept, samples.count)
        told = _told(samples, cost)
        level = sum(seconds for seconds, _ in told) / (sum(each for _, each in told) or 1.0)
        if level <= 0:
            return None
        ratios = sorted(seconds / (each * level) for seconds, each in told if each > 0)
        even = [ratios[(2 * place + 1) * len(ratios) // (2 * _QUANTILES)] for place in range(_QUANTILES)]
        mean = sum(even) / len(even) or 1.0
        noise = pstdev(ratios)
        overhead = max(0.0, median(seconds for *_, seconds in self._beside[name].kept))
        scaled = msgspec.structs.replace(
            cost, base=cost.base * level, per_input=cost.per_input * level, per_output=cost.per_output * level
        )
        spread = tuple(each / mean for each in even)
        return Speed("log", samples.count, scaled, overhead, spread, noise / len(ratios) ** 0.5, noise)

    def _usual_output(self) -> float:
        """Tokens of a reply, over all targets."""
        known = [written for each in self._engine.values() for _, written, _ in each.kept if written is not None]
        return median(known) if known else _USUAL_OUTPUT


def _told(samples: Samples, cost: Cost) -> list[tuple[float, float]]:
    """(seconds, what the fit says of that request)."""
    told = []
    for read, written, seconds in samples.kept:
        if written is None:
            written = cost.output.get(size_of(int(read)), cost.typical)
        told.append((seconds, cost.base + cost.per_input * read + cost.per_output * written))
    return told
