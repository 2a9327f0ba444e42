"""What moves do to the time of replies, and to the GPU: each request that moves is given the time that its new target took
for such requests in this very log; all others keep their own.

Intervals are analytic: the error of each target's mean, taken as that of a normal one, and the noise of single requests. A
percentile's is where it comes to lie with all of a target's predictions at either end of theirs. How long requests wait in
queues that grow or shrink is not in it; `busy` of a target says whether they would."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from statistics import median

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.target import BackendState, Target
from pointsman.offline.audit.cost import Samples
from pointsman.offline.audit.intervals import Z
from pointsman.offline.replay.moved import Place
from pointsman.offline.replay.outcome import Effect, Forecast, TargetEffect
from pointsman.offline.replay.speeds import Speed, Speeds
from pointsman.offline.replay.worth import Worth

_UNKNOWN = -1.0
_Pool = tuple[Sequence[float], float, float]


class _Coming:
    """Requests that come to a target from elsewhere: tokens of prompt and reply (`_UNKNOWN`: there was no reply)."""

    __slots__ = ("read", "written")

    def __init__(self) -> None:
        self.read = array("f")
        self.written = array("f")


class Forecasting:
    """Collects while the log is gone through; then `result` tells. Takes 8 bytes a request, and as much more for one that
    moves. `states` are the newest of each target, as far as the log has them."""

    def __init__(self, document: PolicyDocument, states: Mapping[str, BackendState]) -> None:
        self._targets: dict[str, Target] = {target.name: target for target in document.targets}
        self._states = states
        self.speeds = Speeds()
        self.worth = Worth(document)
        self._before = array("d")
        self._stay = array("d")
        self._coming: dict[str, _Coming] = {}
        self._done: Counter[Place] = Counter()
        self._places: dict[Place, Samples] = {}
        self._seconds: dict[str, list[float]] = {}  # target → [requests, seconds] as it was
        self._left: dict[str, list[float]] = {}  # the same of those that leave it
        self.left_out = 0

    def know(self, targets: Mapping[str, Target]) -> None:
        """Targets of the policies in the log, for what was."""
        self._targets = {**targets, **self._targets}

    def target(self, name: str) -> Target | None:
        return self._targets.get(name)

    def was(self, place: Place, target: str | None, whole: float, engine: float) -> None:
        """A request, moving or not: seconds from arrival to its end, and of the engine of `target`, None where none was
        busy with it."""
        self._before.append(whole)
        if target is not None:
            known = self._seconds.setdefault(target, [0.0, 0.0])
            known[0] += 1
            known[1] += engine
        else:
            samples = self._places.get(place)
            if samples is None:
                samples = self._places[place] = Samples()
            samples.add((0, None, whole))

    def stays(self, whole: float) -> None:
        self._stay.append(whole)

    def leaves(self, target: str, engine: float) -> None:
        """It was `target`'s, and is so no more."""
        known = self._left.setdefault(target, [0.0, 0.0])
        known[0] += 1
        known[1] += engine

    def comes(self, target: str, read: int, written: int | None) -> None:
        """It goes to that target. `written`: tokens of its reply, where they would be the same."""
        coming = self._coming.get(target)
        if coming is None:
            coming = self._coming[target] = _Coming()
        coming.read.append(read)
        coming.written.append(_UNKNOWN if written is None else written)

    def settled(self, place: Place) -> None:
        """It goes where no model is asked."""
        self._done[place] += 1

    def result(self, span: float) -> Forecast:
        """`span` is how many seconds the log is of."""
        told = {name: _Told(coming, self._speed(name)) for name, coming in sorted(self._coming.items())}
        fixed = array("d", self._stay)
        untimed = 0
        for place, count in self._done.items():
            seconds = self._of_place(place)
            untimed += count if seconds is None else 0
            fixed.extend([seconds or 0.0] * count)
        fixed = array("d", sorted(fixed))
        singles = {name: sorted(each.singles) for name, each in told.items()}
        return Forecast(
            requests=len(self._before),
            left_out=self.left_out,
            mean=self._mean(fixed, told),
            median=self._quantile(fixed, told, singles, 0.5),
            p95=self._quantile(fixed, told, singles, 0.95),
            gpu=self._gpu(told),
            quality=self.worth.effect(),
            answered=self.worth.answered,
            guessed_speed=sum(each.count for each in told.values() if each.speed.source in ("rates", "size")),
            guessed_quality=self.worth.guessed,
            untimed=untimed,
            targets=self._of_targets(told, span),
        )

    def _speed(self, name: str) -> Speed:
        return self.speeds.of(self._targets[name], self._states.get(name) or BackendState(name))

    def _of_place(self, place: Place) -> float | None:
        """Seconds that a rule's reply takes; by the median of all rules for one that the log does not know."""
        samples = self._places.get(place)
        if samples is not None:
            return median(seconds for *_, seconds in samples.kept)
        known = [median(seconds for *_, seconds in each.kept) for each in self._places.values()]
        return median(known) if known else None

    def _mean(self, fixed: array[float], told: Mapping[str, _Told]) -> Effect:
        count = len(self._before)
        if not count:
            return Effect(0.0, 0.0, 0.0, 0.0)
        after = (sum(fixed) + sum(each.seconds + each.count * each.speed.overhead for each in told.values())) / count
        reach = Z * sqrt(sum(each.variance for each in told.values())) / count
        return Effect(sum(self._before) / count, after, max(0.0, after - reach), after + reach)

    def _quantile(
        self, fixed: array[float], told: Mapping[str, _Told], singles: Mapping[str, list[float]], share: float
    ) -> Effect:
        if not self._before:
            return Effect(0.0, 0.0, 0.0, 0.0)
        before = sorted(self._before)[_rank(share, len(self._before))]
        ends = []
        for side in (0.0, -1.0, 1.0):
            pools: list[_Pool] = [(fixed, 0.0, 1.0)]
            for name, each in told.items():
                pools.append((singles[name], each.speed.overhead, max(0.05, 1.0 + side * Z * each.relative)))
            ends.append(_merged(pools, share, len(self._before)))
        return Effect(before, *ends)

    def _gpu(self, told: Mapping[str, _Told]) -> Effect:
        before = after = variance = 0.0
        for name, (_, seconds) in self._seconds.items():
            if not self._is_external(name):
                before += seconds
                after += seconds - self._left.get(name, [0.0, 0.0])[1]
        for name, each in told.items():
            if not self._is_external(name):
                after += each.seconds
                variance += each.variance
        reach = Z * sqrt(variance)
        return Effect(before, after, max(0.0, after - reach), after + reach)

    def _is_external(self, name: str) -> bool:
        target = self._targets.get(name)
        return target is not None and target.external

    def _of_targets(self, told: Mapping[str, _Told], span: float) -> tuple[TargetEffect, ...]:
        found = []
        for name in sorted({*self._seconds, *told}):
            if name not in self._targets:
                continue
            count, seconds = self._seconds.get(name, (0.0, 0.0))
            left, spared = self._left.get(name, (0.0, 0.0))
            coming = told.get(name)
            after = seconds - spared + (coming.seconds if coming else 0.0)
            speed = self._speed(name)
            state = self._states.get(name)
            found.append(
                TargetEffect(
                    target=name,
                    requests_before=int(count),
                    requests_after=int(count - left) + (coming.count if coming else 0),
                    seconds_before=seconds,
                    seconds_after=after,
                    busy_before=seconds / span if span else 0.0,
                    busy_after=after / span if span else 0.0,
                    slots=state.facts.slots if state else None,
                    speed=speed.source,
                    speed_samples=speed.samples,
                    external=self._targets[name].external,
                )
            )
        return tuple(found)


class _Told:
    """What those that come to a target take there: `seconds` of its engine together, and the `variance` of that."""

    def __init__(self, coming: _Coming, speed: Speed) -> None:
        self.speed = speed
        self.count = len(coming.read)
        each = [
            speed.seconds(int(read), None if written == _UNKNOWN else written)
            for read, written in zip(coming.read, coming.written, strict=True)
        ]
        self.seconds = sum(each)
        squares = sum(seconds * seconds for seconds in each)
        self.variance = (self.seconds * speed.error) ** 2 + squares * speed.noise * speed.noise
        self.relative = sqrt(self.variance) / self.seconds if self.seconds else 0.0
        self.singles = [speed.single(seconds, number) for number, seconds in enumerate(each)]


def _rank(share: float, count: int) -> int:
    return max(0, ceil(share * count) - 1)


def _merged(pools: list[_Pool], share: float, count: int) -> float:
    """The quantile of all pools together, each sorted; of (values, beside, factor) the part of a value that is more than
    `beside` counts so many times."""
    wanted = _rank(share, count) + 1
    low, high = (
        0.0,
        max((beside + (values[-1] - beside) * by for values, beside, by in pools if len(values)), default=0.0),
    )
    for _ in range(60):
        middle = (low + high) / 2
        below = sum(bisect_right(values, beside + (middle - beside) / by) for values, beside, by in pools)
        low, high = (low, middle) if below >= wanted else (middle, high)
    return high
