"""A batch: many requests in one file, as the job that it is. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.attempt import Outcome
from pointsman.domain.job import Job
from pointsman.domain.said import Tongue

Phase = Literal["validating", "in_progress", "finalizing"]
Status = Literal["validating", "in_progress", "finalizing", "completed", "failed", "expired", "cancelling", "cancelled"]
_ENDS: dict[Outcome, Status] = {"ok": "completed", "expired": "expired", "cancelled": "cancelled"}


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for; a job's body. `window` as it was said, `expires` the moment at which it is over (seconds since
    the epoch), `keep` how many seconds the files that it makes are kept. `ask` is what each of its requests has in common
    (who asks, with which headers), opaque here; `language` that of what its files say."""

    input_file: str
    endpoint: str
    window: str
    expires: float
    keep: float
    ask: bytes
    language: Tongue
    metadata: dict[str, str] = {}


class LineProblem(msgspec.Struct, frozen=True, array_like=True):
    """What is wrong in line `line` (from 1; None: of the file) of the input. `message` in English and Chinese."""

    code: str
    message: tuple[str, str]
    line: int | None = None
    param: str | None = None


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far it is; a job's data, and in the end its result. Of `total` requests the first `submitted` are jobs; `spread`:
    no more are going to be. `called_off`: all that there are were called off. Moments are seconds since the epoch."""

    phase: Phase = "validating"
    total: int = 0
    submitted: int = 0
    spread: bool = False
    called_off: bool = False
    completed: int = 0
    failed: int = 0
    problems: tuple[LineProblem, ...] = ()
    output_file: str | None = None
    error_file: str | None = None
    in_progress_at: float | None = None
    finalizing_at: float | None = None
    cancelling_at: float | None = None


_encode = msgspec.msgpack.Encoder().encode
_order = msgspec.msgpack.Decoder(Order).decode
_progress = msgspec.msgpack.Decoder(Progress).decode


def encoded(value: Order | Progress) -> bytes:
    return _encode(value)


def order_of(job: Job) -> Order:
    return _order(job.body)


def progress_of(job: Job) -> Progress:
    data = job.result or job.data
    return _progress(data) if data else Progress()


def status_of(job: Job) -> Status:
    """As OpenAI calls it."""
    place = job.place
    if place.state == "completed" and place.outcome is not None:
        return _ENDS.get(place.outcome, "failed")
    if place.disposition == "dead":
        return "failed"
    progress = progress_of(job)
    return "cancelling" if progress.cancelling_at is not None else progress.phase


def child_id(batch_id: str, number: int) -> str:
    """The job of its request number `number`, from 1."""
    return f"job_{batch_id.partition('_')[2]}.{number}"
