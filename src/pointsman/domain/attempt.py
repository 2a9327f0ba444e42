"""One try at one target, and how a whole request ended."""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["ok", "refused", "failed", "cancelled", "expired", "handed_over"]


class Attempt(msgspec.Struct, frozen=True):
    """`began_ms` counts from the request's arrival. `status` is the engine's HTTP status where it answered; `failure` is a
    kind of BackendFailure or `http`; both None where the attempt was cut off by the client. `broke`: the target had begun a
    reply when it failed."""

    target: str
    began_ms: float
    took_ms: float
    status: int | None = None
    failure: str | None = None
    message: str | None = None
    broke: bool = False
