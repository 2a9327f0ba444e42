"""Calls of the port → the scripts' MessagePack, with the keys of each. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from pointsman.domain.job import Change, Held, Queue, Step, Submission
from pointsman.domain.lifecycle import Place
from pointsman.domain.said import encodable
from pointsman.store.jobs.redis_keys import NUMBER, Keys
from pointsman.store.jobs.redis_watch import Sign

Call = tuple[Sequence[bytes], bytes]
"""The keys of a call and the call itself."""
_CREATE, _CLAIM, _RENEW, _ADVANCE, _NAME, _PUT, _SWEEP = range(1, 8)  # in redis_write.lua
_JOBS, _LOOK, _SIZES = range(1, 4)  # in redis_read.lua
_encode = msgspec.msgpack.Encoder(enc_hook=lambda value: encodable(value, "en")).encode


def _text(value: bytes) -> msgspec.Raw:
    """The server's MessagePack knows no binary type: bytes go as a string, which Lua does not mind."""
    return msgspec.Raw(b"\xdb" + len(value).to_bytes(4, "big") + value)


SIZES = _encode((_SIZES, 0, ()))


def looking(*, held: bool = False, first: int = 0) -> Call:
    """At what is held too; at so many entries of each stream."""
    return (), _encode((_LOOK, 0, (int(held), first)))


def creating(keys: Keys, submission: Submission, op: str, turn: int) -> Call:
    """`turn`: of two that were created at the same moment, the first has the lower one."""
    touched, what = _creation(keys, keys.shard(submission.id), submission, op, turn)
    return touched, _encode((_CREATE, len(touched), what))


def _creation(
    keys: Keys, shard: int, submission: Submission, op: str, turn: int
) -> tuple[list[bytes], tuple[Any, ...]]:
    job_id, parent = submission.id, submission.parent
    touched = [keys.job(shard, job_id), keys.trace(shard, job_id), keys.caller(shard, submission.caller)]
    if parent is not None:
        touched.append(keys.children(shard, parent))
    facts = (
        NUMBER[submission.queue],
        submission.kind,
        submission.caller,
        submission.created,
        submission.key,
        parent,
        submission.expires,
        submission.webhook,
        turn,
    )
    step = Step(1, "submitted", "received", "active", submission.created)
    return touched, (job_id, _text(_encode(facts)), _text(_encode(step)), _text(submission.body), op)


def claiming(
    keys: Keys, shard: int, queues: Sequence[tuple[Queue, Sequence[Sign]]], worker: str, most: int, lease: float
) -> Call:
    """`queues` with those jobs of each that may be taken from whoever has them."""
    touched = [keys.job(shard, sign.id) for _, signs in queues for sign in signs]
    named = [
        (
            NUMBER[queue],
            [sign.id for sign in signs],
            [sign.token for sign in signs],
            [sign.beat for sign in signs],
        )
        for queue, signs in queues
    ]
    return touched, _encode((_CLAIM, len(touched), (worker, lease, most, named)))


def renewing(held: Iterable[Held], lease: float) -> Call:
    pairs = [(each.id, each.token) for each in held]
    return (), _encode((_RENEW, 0, (lease, [each[0] for each in pairs], [each[1] for each in pairs])))


def advancing(
    keys: Keys, held: Held, change: Change, parent: str | None, spawn: Sequence[tuple[Submission, str, int]]
) -> Call:
    """`spawn` are submissions, each with the name of its creation and its turn."""
    shard = keys.shard(held.id)
    touched = [keys.job(shard, held.id), keys.trace(shard, held.id)]
    if parent is not None:
        touched += (keys.job(shard, parent), keys.trace(shard, parent))
    created = []
    for submission, op, turn in spawn:
        more, creation = _creation(keys, shard, submission, op, turn)
        touched += more
        created.append((len(more), creation))
    fields: list[str | msgspec.Raw] = []
    if change.error is not None:
        fields += ("error", change.error)
    for name, value in (("data", change.data), ("result", change.result)):
        if value is not None:
            fields += (name, _text(value))
    parked = any(place.disposition == "parked" for place in change.places)
    what = (
        held.id,
        held.version,
        held.token,
        change.op,
        change.at,
        [_text(_encode(step)) for step in _steps(held, change)],
        placed(change.last) if change.places else "",
        int(change.hold and not change.fence and not parked),
        change.delay,
        int(change.fence),
        int(change.again),
        change.failures,
        -1 if change.left is None else change.left,
        fields,
        parent or "",
        created,
    )
    return touched, _encode((_ADVANCE, len(touched), what))


def _steps(held: Held, change: Change) -> Iterable[Step]:
    """As the store is going to number them: only who knows version and token may change a job."""
    for number, ((event, _), place) in enumerate(zip(change.events, change.places, strict=True), held.version + 1):
        yield Step(
            number,
            event,
            place.state,
            place.disposition,
            change.at,
            change.worker,
            held.token,
            change.why,
            change.about,
        )


def naming(name: bytes, value: bytes, instead: bytes = b"") -> Call:
    """The key `name` has that value if it had none or was `instead`; with an empty one it is removed if it was."""
    return (name,), _encode((_NAME, 1, (_text(value), _text(instead))))


def putting(keys: Keys, shard: int, key: str, value: bytes, seconds: float) -> Call:
    return (keys.value(shard, key),), _encode((_PUT, 1, (key, _text(value), max(1, round(seconds * 1000)))))


def sweeping(keys: Keys, shard: int, names: Sequence[str]) -> Call:
    return [keys.value(shard, name) for name in names], _encode((_SWEEP, len(names), names))


def reading(keys: Keys, shard: int, ids: Sequence[str], fields: Sequence[str]) -> Call:
    touched = [keys.job(shard, job_id) for job_id in ids]
    return touched, _encode((_JOBS, len(touched), (ids, fields)))


def placed(place: Place) -> str:
    return f"{place.state} {place.disposition} {place.outcome or '-'} {place.asked}"
