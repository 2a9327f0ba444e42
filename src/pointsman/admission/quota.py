"""How much one key may ask for: requests and tokens by time, and how many at once. Pure but for what it counts; times come
in."""

from __future__ import annotations

from typing import Literal

import msgspec

MINUTE = 60.0


class Quota(msgspec.Struct, frozen=True):
    """Per minute, and at a time; None: no limit. A minute's worth may come at once."""

    requests: int | None = None
    tokens: int | None = None
    concurrency: int | None = None


class Exceeded(msgspec.Struct, frozen=True):
    """`wait` is in seconds until it would go; None where that depends on when others end. `most` is the limit."""

    what: Literal["requests", "tokens", "concurrency"]
    most: int
    wait: float | None


class Bucket:
    """Fills evenly, up to `most`, in a minute. What costs more than it holds goes when it is full, and leaves a debt."""

    def __init__(self, most: int, now: float) -> None:
        self.most = most
        self._level = float(most)
        self._at = now

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much can be taken; 0: now."""
        self._fill(now)
        lacking = min(amount, self.most) - self._level
        return max(lacking, 0.0) * MINUTE / self.most if self.most else float("inf")

    def take(self, amount: float, now: float) -> None:
        """Also more than there is: the level is then below nothing."""
        self._fill(now)
        self._level -= amount

    def _fill(self, now: float) -> None:
        passed = max(now - self._at, 0.0)
        self._at = max(now, self._at)
        self._level = min(self._level + passed * self.most / MINUTE, float(self.most))


class Account:
    """What one key has used of its quota."""

    def __init__(self, quota: Quota, now: float) -> None:
        self.inside = 0
        self._quota = quota
        self._requests = None if quota.requests is None else Bucket(quota.requests, now)
        self._tokens = None if quota.tokens is None else Bucket(quota.tokens, now)

    def begin(self, tokens: int, now: float) -> Exceeded | None:
        """One request that may come to so many tokens begins; or why it must not, and then nothing is counted."""
        quota = self._quota
        if quota.concurrency is not None and self.inside >= quota.concurrency:
            return Exceeded("concurrency", quota.concurrency, None)
        if self._requests is not None and (wait := self._requests.wait(1, now)) > 0:
            return Exceeded("requests", self._requests.most, wait)
        if self._tokens is not None and (wait := self._tokens.wait(tokens, now)) > 0:
            return Exceeded("tokens", self._tokens.most, wait)
        if self._requests is not None:
            self._requests.take(1, now)
        if self._tokens is not None:
            self._tokens.take(tokens, now)
        self.inside += 1
        return None

    def end(self, expected: int, used: int | None, now: float) -> None:
        """It is through; what it did not use of the tokens that were expected comes back. None: nobody counted."""
        self.inside -= 1
        if self._tokens is not None and used is not None:
            self._tokens.take(used - expected, now)
