"""What is to be delivered, as the body of the job that delivers it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from pointsman.domain.job import Queue, Submission
from pointsman.domain.wording import Tongue
from pointsman.ports.action import MadeFile


class Parcel(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is what the person would have read, `files` what was made; `asked` is when it was asked for, in seconds since
    the epoch; `schedule` the name of the schedule that asked; `failed`: nothing came of it, and that is what is told. It is
    kept as a map: a new field has a default."""

    channel: str
    text: str
    tongue: Tongue
    request_id: str
    base_url: str
    asked: float
    files: tuple[MadeFile, ...] = ()
    caller: str = "anonymous"
    schedule: str | None = None
    failed: bool = False


parcel_of = msgspec.msgpack.Decoder(Parcel).decode
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
QUEUE: Queue = "webhook"
"""Telling others waits for them more than it works: it takes no place of other jobs."""


def delivery_id(effect: str, channel: str) -> str:
    """The same for each try of one effect: `effect` is `job_X.2` (a job's, of that generation) or a request's id."""
    tag = hashlib.sha256(channel.encode()).hexdigest()[:8]
    digits = effect.partition("_")[2]
    return f"delivery_{digits}.{tag}"


def submissions(parcel: Parcel, channels: Sequence[str], effect: str, now: float) -> tuple[Submission, ...]:
    """A job for each channel, once each."""
    return tuple(
        Submission(
            id=delivery_id(effect, channel),
            queue=QUEUE,
            kind="delivery",
            caller=parcel.caller,
            created=now,
            body=_encode(msgspec.structs.replace(parcel, channel=channel)),
        )
        for channel in dict.fromkeys(channels)
    )
