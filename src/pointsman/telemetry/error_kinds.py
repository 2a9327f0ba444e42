"""Whose fault an error was: few kinds, whatever codes engines and clients make up."""

from __future__ import annotations

from typing import Literal

from pointsman.domain.record import Record

ErrorKind = Literal["request", "limit", "shed", "no_target", "timeout", "connection", "engine", "action", "internal"]
_BY_CODE: dict[str, ErrorKind] = {
    "shed": "shed",
    "no_target": "no_target",
    "first_byte_timeout": "timeout",
    "idle_timeout": "timeout",
    "connect": "connection",
    "reset": "connection",
    "protocol": "connection",
    "gateway_died": "internal",
    "gateway_stopped": "internal",
    "internal": "internal",
}


def kind_of(record: Record) -> ErrorKind | None:
    """`request`: the client's own; `limit`: a quota, or a queue that is full; `shed`: its turn would have come too late;
    `engine`: it answered with an error; `action`: what a rule wanted done went wrong. None where the client hung up."""
    if record.outcome == "cancelled" or record.error is None:
        return None
    known = _BY_CODE.get(record.error)
    if known is not None:
        return known
    if record.status == 429:
        return "limit"
    if 400 <= record.status < 500:
        return "request"
    if record.decision is not None and record.decision.stage != "model":
        return "action"
    return "engine"
