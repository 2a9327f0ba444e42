"""The quotas of keys, kept over all processes: each lets in by what it knows, and tells the others through the ephemeral
store."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Callable
from contextvars import ContextVar

import msgspec

from pointsman.admission.ledger import Ledger
from pointsman.admission.quota import Account, Exceeded, Level, Quota, Used, What
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.ports.clock import Clock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError

log = logging.getLogger("pointsman")

QUOTA_EXCEEDED = "quota_exceeded"
HEARING = 0.25
"""Seconds between two hearings while any key with a quota asks."""
_QUIET = 3.0  # seconds without a request after which nothing is told any more
_ALIVE = 5.0  # seconds that others remember what is under way here
_KEYS = "quota/"
PART_OF_ANOTHER: ContextVar[bool] = ContextVar("part_of_another", default=False)
"""Set while an action of a request asks a model: that is no request of its caller's."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, Used]).decode


class Allowance:
    """One request of a key, until it ends. `spent`: it may come to so many tokens."""

    __slots__ = ("_account", "_clock", "_part", "spent")

    def __init__(self, account: Account, clock: Clock, part: bool) -> None:
        self._account = account
        self._clock = clock
        self._part = part
        self.spent = 0

    def spend(self, tokens: int) -> None:
        """Raises PointsmanError (429)."""
        more = tokens - self.spent
        if more > 0:
            exceeded = self._account.spend(more, self._clock.monotonic())
            if exceeded is not None:
                raise refusal(exceeded)  # the headers come with the decision
            self.spent = tokens

    def end(self, used: int) -> None:
        self._account.end(self.spent, used, self._clock.monotonic(), part=self._part)

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """What is left, in the headers that OpenAI's clients know."""
        return headers_of(self._account, self._clock.monotonic())


class Standing(msgspec.Struct, frozen=True):
    """How much of its quota a key has left; None: no limit of that kind. `inside`: under way, in all processes."""

    requests: Level | None
    tokens: Level | None
    inside: int
    concurrency: int | None


class Quotas:
    """For one event loop. `shared` is where processes tell each other; None: there is no other. Where the store cannot be
    used, each goes on by what it knows."""

    def __init__(self, clock: Clock, shared: Ephemeral | None = None) -> None:
        self._clock = clock
        self._shared = shared
        self._ledger = Ledger()
        self._name = secrets.token_hex(8)
        self._active = -math.inf
        self._telling: asyncio.Task[None] | None = None
        self._fails = False

    def install(self, quota_of: Callable[[str], Quota]) -> None:
        """What each key may, by its name."""
        self._ledger.install(quota_of)

    def begin(self, caller: str) -> Allowance | None:
        """One request of that key; None where nothing limits it. Raises PointsmanError (429)."""
        now = self._clock.monotonic()
        account = self._ledger.account(caller, now)
        if account is None:
            return None
        part = PART_OF_ANOTHER.get()
        exceeded = account.begin(now, part=part)
        self._active = now
        self._tell()
        if exceeded is not None:
            raise refusal(exceeded, headers_of(account, now))
        return Allowance(account, self._clock, part)

    def standing(self, caller: str) -> Standing | None:
        """Of that key now; None where nothing limits it."""
        now = self._clock.monotonic()
        account = self._ledger.account(caller, now)
        if account is None:
            return None
        inside = account.inside + account.elsewhere
        return Standing(account.requests(now), account.tokens(now), inside, account.quota.concurrency)

    def _tell(self) -> None:
        if self._shared is not None and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell_each_other(self._shared))

    async def _tell_each_other(self, shared: Ephemeral) -> None:
        while True:
            try:
                told = self._ledger.told(self._clock.monotonic())
                await shared.put(_KEYS + self._name, _encode(told), _ALIVE)
                found = await shared.scan(_KEYS)
                others = {key: _decode(value) for key, value in found.items() if key != _KEYS + self._name}
                self._ledger.hear(others, self._clock.monotonic())
                self._fails = False
            except (StoreError, msgspec.DecodeError) as error:
                if not self._fails:
                    log.warning(_ALONE, error.args[0])
                self._fails = True
            if self._clock.monotonic() - self._active > _QUIET and not self._ledger.inside:
                return
            await asyncio.sleep(HEARING)

    async def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)


def headers_of(account: Account, now: float) -> tuple[tuple[bytes, bytes], ...]:
    """`x-ratelimit-*` of the limits that there are."""
    pairs: list[tuple[bytes, bytes]] = []
    for what, level in ((b"requests", account.requests(now)), (b"tokens", account.tokens(now))):
        if level is not None:
            pairs += (
                (b"x-ratelimit-limit-" + what, b"%d" % level.most),
                (b"x-ratelimit-remaining-" + what, b"%d" % level.left),
                (b"x-ratelimit-reset-" + what, span(level.full)),
            )
    return tuple(pairs)


def span(seconds: float) -> bytes:
    """As OpenAI writes it: 6m0s, 1.5s, 20ms."""
    if seconds < 1:
        return b"%dms" % math.ceil(seconds * 1000)
    minutes, rest = divmod(math.ceil(seconds * 1000) / 1000, 60)
    return b"%dm%gs" % (minutes, rest) if minutes else b"%gs" % rest


def refusal(exceeded: Exceeded, headers: tuple[tuple[bytes, bytes], ...] = ()) -> PointsmanError:
    """The 429, with what limit it is and when it would go."""
    wait = 1 if exceeded.wait is None else max(math.ceil(exceeded.wait), 1)
    message = said(
        "the quota of this key is {most} {what}; {when}",
        "该密钥的配额是{what} {most}；{when}",
        most=exceeded.most,
        what=_WHAT[exceeded.what],
        when=_OTHERS if exceeded.wait is None else said("try again in {wait} s", "请在 {wait} 秒后重试", wait=wait),
    )
    return PointsmanError(
        message,
        status=429,
        type="rate_limit_error",
        code=QUOTA_EXCEEDED,
        param=exceeded.what,
        retry_after=wait,
        headers=headers,
    )


_WHAT: dict[What, Said] = {
    "requests": Said("requests a minute", "每分钟请求数"),
    "tokens": Said("tokens a minute", "每分钟 token 数"),
    "concurrency": Said("requests at a time", "同时进行的请求数"),
}
_OTHERS = Said("try again when another one has ended", "请等其他请求结束后重试")
_ALONE = Said(
    "the store that shares quotas cannot be used, each process counts for itself: %s",
    "共享配额的存储暂不可用，各进程各自计数：%s",
)
