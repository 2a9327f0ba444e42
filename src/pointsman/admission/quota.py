"""How much one key may ask for: requests and tokens by time, and how many at once. Pure but for what it counts; times come
in."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

MINUTE = 60.0

What = Literal["requests", "tokens", "concurrency"]


class Quota(msgspec.Struct, frozen=True):
    """Per minute, and at a time; None: no limit. A minute's worth may come at once."""

    requests: int | None = None
    tokens: int | None = None
    concurrency: int | None = None


NO_QUOTA = Quota()


class Exceeded(msgspec.Struct, frozen=True):
    """`wait` is in seconds until it would go; None where that depends on when others end. `most` is the limit."""

    what: What
    most: int
    wait: float | None


class Level(msgspec.Struct, frozen=True):
    """Of one limit by time: how much there is at most and now, and seconds until it is full again."""

    most: int
    left: int
    full: float


class Used(msgspec.Struct, frozen=True, array_like=True):
    """What one process let in of a key since that process began, how many of it are under way there, and how much of that
    has not flowed back yet."""

    requests: int = 0
    tokens: int = 0
    inside: int = 0
    requests_owed: float = 0.0
    tokens_owed: float = 0.0


class Bucket:
    """Fills evenly, up to `most`, in a minute. What costs more than it holds goes when it is full, and leaves a debt."""

    def __init__(self, most: int, now: float) -> None:
        self.most = most
        self._level = float(most)
        self._at = now

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much can be taken; 0: now."""
        return max(min(amount, self.most) - self.left(now), 0.0) * MINUTE / self.most

    def take(self, amount: float, now: float) -> None:
        """Also more than there is: the level is then below nothing."""
        self._level = self.left(now) - amount

    def left(self, now: float) -> float:
        """How much is in it; below nothing, a debt."""
        passed = max(now - self._at, 0.0)
        self._at = max(now, self._at)
        self._level = min(self._level + passed * self.most / MINUTE, float(self.most))
        return self._level

    def level(self, now: float) -> Level:
        left = self.left(now)
        return Level(self.most, max(math.floor(left + 1e-9), 0), (self.most - left) * MINUTE / self.most)


class _Limit:
    """One limit by time: what is left of it, and what would be if this process were alone."""

    def __init__(self, most: int, now: float) -> None:
        self.all = Bucket(most, now)
        self._own = Bucket(most, now)

    def take(self, amount: float, now: float) -> None:
        self.all.take(amount, now)
        self._own.take(amount, now)

    def owed(self, now: float) -> float:
        return self._own.most - self._own.left(now)


class Account:
    """What one key has used of its quota: here, and as far as is known elsewhere."""

    def __init__(self, quota: Quota, now: float) -> None:
        self.quota = quota
        self.inside = 0
        self.elsewhere = 0
        """Requests under way in other processes."""
        self.touched = now
        self._requests = None if quota.requests is None else _Limit(quota.requests, now)
        self._tokens = None if quota.tokens is None else _Limit(quota.tokens, now)
        self._used = [0, 0]

    def begin(self, now: float, *, part: bool = False) -> Exceeded | None:
        """A request begins; or why it must not, and then nothing is counted. A `part` of another request counts as none."""
        self.touched = now
        if part:
            return None
        most, limit = self.quota.concurrency, self._requests
        if most is not None and self.inside + self.elsewhere >= most:
            return Exceeded("concurrency", most, None)
        if limit is not None:
            if (wait := limit.all.wait(1, now)) > 0:
                return Exceeded("requests", limit.all.most, wait)
            limit.take(1, now)
        self._used[0] += 1
        self.inside += 1
        return None

    def spend(self, tokens: int, now: float) -> Exceeded | None:
        """It may come to so many tokens; or why it must not, and then none are counted."""
        limit = self._tokens
        if limit is not None:
            if (wait := limit.all.wait(tokens, now)) > 0:
                return Exceeded("tokens", limit.all.most, wait)
            limit.take(tokens, now)
        self._used[1] += tokens
        return None

    def end(self, expected: int, used: int, now: float, *, part: bool = False) -> None:
        """It is through; what it did not use of the tokens that were expected comes back, and what it used more is
        owed."""
        self.touched = now
        if not part:
            self.inside -= 1
        if self._tokens is not None:
            self._tokens.take(used - expected, now)
        self._used[1] += used - expected

    def requests(self, now: float) -> Level | None:
        return None if self._requests is None else self._requests.all.level(now)

    def tokens(self, now: float) -> Level | None:
        return None if self._tokens is None else self._tokens.all.level(now)

    def used(self, now: float) -> Used:
        """For other processes."""
        owed = [0.0 if limit is None else limit.owed(now) for limit in (self._requests, self._tokens)]
        return Used(self._used[0], self._used[1], self.inside, owed[0], owed[1])

    def also(self, before: Used | None, used: Used, now: float) -> None:
        """Another process has let in so much by now, and had `before`; None: it is heard for the first time."""
        if self._requests is not None:
            more = used.requests_owed if before is None else used.requests - before.requests
            self._requests.all.take(more, now)
        if self._tokens is not None:
            more = used.tokens_owed if before is None else used.tokens - before.tokens
            self._tokens.all.take(more, now)
