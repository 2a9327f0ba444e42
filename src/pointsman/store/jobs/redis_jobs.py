"""What the scripts give → jobs and signs of life. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.domain.job import QUEUES, Job
from pointsman.domain.lifecycle import Place
from pointsman.store.jobs.redis_watch import Sign

BARE = (
    "facts",
    "version",
    "token",
    "place",
    "updated",
    "generation",
    "failures",
    "lost",
    "left",
    "spent",
    "error",
)
"""What `job` needs of a job's hash, in this order, and then its element of `held`."""
WHOLE = (*BARE, "body", "data", "result")

_Facts = tuple[int, str, str, float, str | None, str | None, float | None, str | None, int]
_Holder = tuple[int, str, int, int, float, str, int]
_facts = msgspec.msgpack.Decoder(_Facts).decode
_holder = msgspec.msgpack.Decoder(_Holder).decode
_named = msgspec.msgpack.Decoder(tuple[str, bytes]).decode


def job(job_id: str, found: Sequence[Any]) -> Job | None:
    """None where there is none."""
    if found[0] is None:
        return None
    number, kind, caller, created, key, parent, expires, webhook, _ = _facts(found[0])
    has = _holder(found[-1]) if found[-1] is not None else None
    error, whole = found[10], len(found) > len(BARE) + 1
    return Job(
        id=job_id,
        queue=QUEUES[number - 1],
        kind=kind,  # type: ignore[arg-type]
        caller=caller,
        created=created,
        updated=float(found[4]),
        body=found[11] if whole else b"",
        key=key,
        parent=parent,
        expires=expires,
        webhook=webhook,
        place=place(found[3].decode()),
        version=int(found[1]),
        token=has[2] if has else int(found[2]),
        generation=1 + int(found[5] or 0),
        worker=has[5] if has else "",
        failures=int(found[6] or 0),
        lost=int(found[7] or 0),
        left=int(found[8] or 0),
        spent=int(found[9] or 0),
        error=None if error is None else error.decode(),
        data=(found[12] or b"") if whole else b"",
        result=(found[13] or b"") if whole else b"",
    )


def leased(found: Sequence[Any]) -> bool:
    """Whether somebody has it."""
    return found[-1] is not None and bool(_holder(found[-1])[6])


def parent(found: Sequence[Any]) -> str | None:
    """Of a job of which the first field is its facts."""
    return _facts(found[0])[5] if found[0] is not None else None


def place(text: str) -> Place:
    state, disposition, outcome, asked = text.split(" ")
    return Place(state, disposition, None if outcome == "-" else outcome, int(asked))  # type: ignore[arg-type]


def signs(held: Sequence[bytes]) -> list[Sign]:
    """All of `held`: id, holder, id, holder …"""
    return [_sign(held[at].decode(), held[at + 1]) for at in range(0, len(held), 2)]


def _sign(job_id: str, blob: bytes) -> Sign:
    stream, _, token, beat, patience, _, lease = _holder(blob)
    return Sign(job_id, QUEUES[(stream - 1) // 2], token, beat, patience, bool(lease))


def name(job_id: str, digest: bytes) -> bytes:
    """What is kept under a caller's name for a job."""
    return msgspec.msgpack.encode((job_id, digest))


def named(blob: bytes) -> tuple[str, bytes]:
    """Raises msgspec.DecodeError."""
    return _named(blob)
