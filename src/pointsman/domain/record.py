"""What is kept of one request: enough to explain it, and to compute its decision again."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.attempt import Attempt, Outcome
from pointsman.domain.decision import Decision
from pointsman.domain.request import Request

CacheOutcome = Literal["hit", "miss", "bypass"]


class Timings(msgspec.Struct, frozen=True, gc=False):
    """Milliseconds from arrival; `ttft` is the first content of a stream that the engine gave; None: never reached. `queued`
    is how many it waited for a place at targets, `ruled` when the rules were through, where an arbiter was asked then."""

    decided: float | None = None
    ttft: float | None = None
    total: float | None = None
    queued: float | None = None
    ruled: float | None = None


class EngineTimes(msgspec.Struct, frozen=True, gc=False):
    """What an engine itself measured of one request: tokens of the prompt that were not cached, and of the reply, and the
    milliseconds that these took."""

    prefill_tokens: int
    prefill_ms: float
    decode_tokens: int
    decode_ms: float


class Record(msgspec.Struct, frozen=True):
    """`received` is seconds since the epoch. `exact_tokens` is the engine's count that the decision used, if one was
    asked for. Tokens are None where nobody counted; `output_estimated` says that they were counted by stream events.
    `masked`: how many values of each kind the target saw placeholders of. `cache` is None where replies are not kept.
    `engine_times` is what the engine told of its own speed; the log does not keep it."""

    request: Request
    received: float
    outcome: Outcome
    decision: Decision | None = None
    exact_tokens: int | None = None
    status: int = 200
    error: str | None = None
    attempts: tuple[Attempt, ...] = ()
    target: str | None = None
    timings: Timings = Timings()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    output_estimated: bool = False
    masked: dict[str, int] | None = None
    cache: CacheOutcome | None = None
    engine_times: EngineTimes | None = None

    @property
    def cached(self) -> bool:
        """Whether the reply was one that had been kept: no target was tried then."""
        return self.cache == "hit"
