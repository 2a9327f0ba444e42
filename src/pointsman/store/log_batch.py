"""Some tens of milliseconds of traffic, encoded as they come: one row of the log."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.feedback import Feedback
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.store.log_row import CONTENT, FEATURES, Prompts, content_of, head_of, since_then, without_quotes
from pointsman.store.seal import Seal

_LEVEL = 1  # of zlib, the fastest: what repeats from record to record is what there is to gain
_SHORT = 512  # bytes of which zlib gains too little for what it costs a reader of many batches
_TASTE = 1024  # bytes of each of two contents, to see whether they have anything in common
_GAIN = 3  # times that these shrink where all of them are worth zlib's time, which is ten times SQLite's
_AT_ONCE = 16  # records that are encoded one after the other, so that code and tables for it are fetched only once
_LONG = 4096  # characters of a prompt that is not held for that
_PAIR = b"\x92"  # MessagePack's array of two; no zlib stream begins so
Packed = tuple[bytes, bytes | None]
"""(heads, contents) as they lie on disk, contents None where none are kept. Sealed contents belong to these heads: beside
others they do not open."""
_encoder = msgspec.msgpack.Encoder()
_encode, _append = _encoder.encode, _encoder.encode_into


class Earlier(msgspec.Struct, frozen=True):
    """Where the content of a request was written when it was noted: the name of the notes and the place among them; and
    what it was."""

    notes: str
    place: int
    request: Request
    decision: Decision | None


class Batch:
    """Records encoded as they come, heads and contents apart; names of fields are written once. `policies` and
    `snapshots` are those that the decisions name, by hash; `last` is the newest `received`, `first_id` and `last_id` are
    the bounds of the ids; `size` is in bytes. `feedback` is what came of it meanwhile, each with the time of its request.
    `notes` are requests under way, as a batch with a `name`; `ended` those that are so no more, as (name of the notes,
    place)."""

    def __init__(self, prompts: Prompts, name: str = "") -> None:
        self._prompts = prompts
        self.name = name
        self._heads = bytearray()
        self._contents = bytearray()
        self._first = self._newest = -1  # where contents begin that say all: the first one, and the last
        self._policy: PolicyDocument | None = None
        self._named: set[str] = set()
        self.policies: dict[str, PolicyDocument] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.feedback: list[tuple[Feedback, float]] = []
        self._fresh: list[tuple[Record, PolicyDocument, Snapshot, Earlier | None]] = []
        self.notes: Batch | None = None
        self.ended: list[tuple[str, int]] = []
        self.count = 0
        self.size = 0
        self.last = 0.0
        self.first_id = self.last_id = ""

    @property
    def empty(self) -> bool:
        return not (self._fresh or self.count or self.ended or self.notes or self.feedback)

    def say(self, feedback: Feedback, asked: float) -> int:
        """Adds a feedback. Returns the size after it; raises as `add` does."""
        self.size += len(_encode(feedback))
        self.feedback.append((feedback, asked))
        return self.size

    def note(
        self, record: Record, policy: PolicyDocument, snapshot: Snapshot, name: str, earlier: Earlier | None
    ) -> tuple[str, int]:
        """Adds a request under way: the first one begins notes of that name. Returns the name of the notes that it is among,
        and its place; raises as `add` does."""
        notes = self.notes or Batch(self._prompts, name)
        before = notes.size
        self.size += notes.add(record, policy, snapshot, earlier) - before
        self.notes = notes
        return notes.name, notes.count - 1

    def later(self, record: Record, policy: PolicyDocument, snapshot: Snapshot, earlier: Earlier | None = None) -> bool:
        """Takes it in, to be added with some others. True: it is time to."""
        fresh = self._fresh
        fresh.append((record, policy, snapshot, earlier))
        if len(fresh) >= _AT_ONCE:
            return True
        decision = record.decision
        return decision is None or decision.features is None or decision.features.characters > _LONG

    def settle(self) -> list[tuple[str, str]]:
        """Adds what was taken in. Returns which could not be: (id of the request, kind of error)."""
        fresh, self._fresh = self._fresh, []
        faults = []
        for record, policy, snapshot, earlier in fresh:
            try:
                self.add(record, policy, snapshot, earlier)
            except Exception as error:
                faults.append((record.request.id, type(error).__name__))
        return faults

    def add(self, record: Record, policy: PolicyDocument, snapshot: Snapshot, earlier: Earlier | None = None) -> int:
        """Returns the size after it. Of a request that was noted earlier only what has changed is added. Raises what msgspec
        does for a record that it cannot encode (half a surrogate pair, an integer beyond 64 bits); the batch stays as it
        was."""
        if policy is not self._policy:
            self._policy = policy
            self._named = {*policy.names, *(entry.name for entry in policy.entries)}
        prompts, attempts = self._prompts, record.attempts
        shown = attempts if prompts == "full" else without_quotes(attempts)
        heads, contents = self._heads, self._contents
        head_at, content_at = len(heads), len(contents)
        try:
            _append(head_of(record, shown, self._named, prompts), heads, -1)
            if prompts != "off":
                quoted = () if shown is attempts else attempts
                if earlier is not None and earlier.request is record.request:
                    told = since_then(record, earlier.decision, quoted)
                    _append((earlier.notes, earlier.place, *told), contents, -1)
                else:
                    _append(content_of(record, quoted), contents, -1)
                    self._newest = content_at
                    if self._first < 0:
                        self._first = content_at
        except BaseException:
            del heads[head_at:], contents[content_at:]
            raise
        self.count += 1
        self.size += len(heads) - head_at + len(contents) - content_at
        decision = record.decision
        if decision is not None:
            if decision.policy not in self.policies:
                self.policies[decision.policy] = policy
            if decision.snapshot not in self.snapshots:
                self.snapshots[decision.snapshot] = snapshot
        name = record.request.id
        if self.count == 1:
            self.first_id = self.last_id = name
            self.last = record.received
        else:
            if name > self.last_id:
                self.last_id = name
            elif name < self.first_id:
                self.first_id = name
            if record.received > self.last:
                self.last = record.received
        return self.size

    def packed(self, seal: Seal | None) -> Packed:
        squeeze = self._is_worth_it()
        heads = _packed(FEATURES, self.count, self._heads, squeeze)
        if self._prompts == "off":
            return heads, None
        return heads, _sealed(_packed(CONTENT, self.count, self._contents, squeeze), heads, seal)

    def _is_worth_it(self) -> bool:
        """Whether it is to be squeezed: a single record is, since there is time then; others are where their contents
        repeat each other, as short questions and long system prompts do, or are not kept. Other text shrinks to the half,
        for more time than all else that a record takes."""
        if self.count < 2 or self._prompts == "off":
            return True
        if self._first == self._newest:  # all others were noted earlier
            return False
        first, newest = self._first, self._newest
        taste = self._contents[first : first + _TASTE] + self._contents[newest : newest + _TASTE]
        return len(zlib.compress(taste, _LEVEL)) * _GAIN < len(taste)


def unpacked(data: bytes) -> bytes:
    """MessagePack's [names, [items]]. Raises zlib.error."""
    return data if data[:1] == _PAIR else zlib.decompress(data)


def packed_again(
    features: tuple[Any, ...],
    heads: list[msgspec.Raw],
    names: tuple[Any, ...],
    contents: list[msgspec.Raw] | None,
    seal: Seal | None,
) -> Packed:
    """Of some requests of a batch what the batch had of them, with its names of fields."""
    count = len(heads)
    packed = _packed(features, count, b"".join(heads), squeeze=True)
    if contents is None:
        return packed, None
    return packed, _sealed(_packed(names, count, b"".join(contents), squeeze=True), packed, seal)


def _sealed(contents: bytes, heads: bytes, seal: Seal | None) -> bytes:
    return seal.close(contents, heads) if seal else contents


def _packed(names: tuple[Any, ...], count: int, items: bytes | bytearray, squeeze: bool) -> bytes:
    """Of items that are encoded already."""
    plain = b"".join([_PAIR, _encode(names), b"\xdd", count.to_bytes(4, "big"), items])
    return zlib.compress(plain, _LEVEL) if squeeze and len(plain) >= _SHORT else plain
