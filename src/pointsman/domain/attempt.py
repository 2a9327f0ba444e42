"""One try at one target, and how a whole request ended."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.node import NodeChoice

Outcome = Literal["ok", "refused", "failed", "cancelled", "expired", "handed_over"]


class Attempt(msgspec.Struct, frozen=True):
    """`began_ms` counts from the request's arrival. `status` is the engine's HTTP status where it answered; `failure` is a
    kind of BackendFailure or `http`; both None where the attempt was cut off by the client. `broke`: the target had begun a
    reply when it failed. `node` is the one of the target's nodes that was tried, `choice` why it was (None: the target is
    one server, or it took no turn)."""

    target: str
    began_ms: float
    took_ms: float
    status: int | None = None
    failure: str | None = None
    message: str | None = None
    broke: bool = False
    node: str | None = None
    choice: NodeChoice | None = None
