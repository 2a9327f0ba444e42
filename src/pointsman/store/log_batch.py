"""Some tens of milliseconds of traffic, encoded as they come: one row of the log."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.feedback import Feedback, Served, Signs
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.store.log_outline import Outline, needed_of, outline_of
from pointsman.store.log_row import CONTENT, FEATURES, Prompts, content_of, head_of, since_then, without_quotes
from pointsman.store.log_unfiled import About
from pointsman.store.seal import Seal
from pointsman.store.squeeze import QUICK, squeezed, squeezed_pieces, stretched

_SHORT = 512  # bytes of which zlib gains too little for what it costs a reader of many batches
_TASTE = 1024  # bytes of the first contents, and of the last one, to see whether they have anything in common
_FEW = 4  # contents that have so many
_GAIN = 3  # times that these shrink where all of them are worth zlib's time, which is ten times SQLite's
_SMALL = 2048  # bytes of a record that are always worth it where it is quick,
_SLIGHT = 512  # and of one of which the content was noted earlier
_AT_ONCE = 32  # records that are encoded one after the other, so that code and tables for it are fetched only once
_LONG = 4096  # characters of a prompt that is not held for that
_PAIR = b"\x92"  # MessagePack's array of two; no zlib stream begins so
Packed = tuple[bytes, bytes | None]
"""(heads, contents) in one piece, as `Batch.packed` has them."""
_encode = msgspec.msgpack.Encoder().encode


class Earlier(msgspec.Struct, gc=False):
    """A request that was noted. Its content was written at `place` among the notes with the name `notes`, None where it is
    lost, and `request` and `decision` are what it was; it was noted last as `last_place` of `last_notes`. Mutable."""

    notes: str | None
    place: int
    request: Request
    decision: Decision | None
    last_notes: str
    last_place: int


Fresh = tuple[Record, PolicyDocument, Snapshot, Earlier | None]
"""What is to be added. Of a request that was noted earlier only what has changed is."""
Faults = list[tuple[int, str]]
"""Which could not be added (half a surrogate pair, an integer beyond 64 bits): (place among them, kind of error)."""


class Batch:
    """Records encoded as they come, heads and contents apart; names of fields are written once. `policies` and
    `snapshots` are those that the decisions name, by hash; `last` is the newest `received`, `first_id` and `last_id` are
    the bounds of the ids; `size` is in bytes. `feedback` is what came of it meanwhile, each with the time of its request and
    what replied to it; `signs` is what callers did.
    `notes` are requests under way, as a batch with a `name`; `ended` those that are so no more, as (name of the notes,
    place)."""

    def __init__(self, prompts: Prompts, name: str = "") -> None:
        self._prompts = prompts
        self.name = name
        self._heads: list[memoryview] = []  # each of some records
        self._contents: list[memoryview] = []
        self._first: list[tuple[Any, ...]] = []  # contents that say all: the first ones, and the last
        self._newest: tuple[Any, ...] | None = None
        self._whole = 0  # how many of them
        self._policy: PolicyDocument | None = None
        self._named: set[str] = set()
        self.policies: dict[str, PolicyDocument] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.feedback: list[tuple[Feedback, float, Served | None]] = []
        self.signs: list[Signs] = []
        self._fresh: list[Fresh] = []
        self._needed: list[Any] | None = None if name else []  # of an outline
        self.notes: Batch | None = None
        self.ended: list[tuple[str, int]] = []
        self.count = 0
        self.size = 0
        self.last = 0.0
        self.first_id = self.last_id = ""

    @property
    def empty(self) -> bool:
        return not (self._fresh or self.count or self.ended or self.notes or self.feedback or self.signs)

    def say(self, feedback: Feedback, asked: float, served: Served | None) -> int:
        """Adds a feedback. Returns the size after it; raises what msgspec does for one that it cannot encode."""
        self.size += len(_encode(feedback))
        self.feedback.append((feedback, asked, served))
        return self.size

    def do(self, several: Sequence[Signs]) -> int:
        """Adds what callers did. Returns the size after it."""
        self.size += len(_encode(several))
        self.signs += several
        return self.size

    def note(self, fresh: Sequence[Fresh], name: str) -> tuple[str, list[int | None]]:
        """Adds requests under way: the first ones begin notes of that name. Returns the name of the notes that they are
        among, and the place of each; None where it could not be added."""
        notes = self.notes or Batch(self._prompts, name)
        place, before = notes.count, notes.size
        faults = dict(notes.add(fresh))
        if notes.count:
            self.notes = notes
        self.size += notes.size - before
        places = itertools.count(place)
        return notes.name, [None if number in faults else next(places) for number in range(len(fresh))]

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
        return [(fresh[number][0].request.id, fault) for number, fault in self.add(fresh)] if fresh else []

    def add(self, fresh: Sequence[Fresh]) -> Faults:
        """All of them, but for faults."""
        try:
            self._add(fresh)
        except Exception as error:
            if len(fresh) == 1:
                return [(0, type(error).__name__)]
        else:
            return []
        return [(number, fault) for number, one in enumerate(fresh) for _, fault in self.add([one])]

    def _add(self, fresh: Sequence[Fresh]) -> None:
        """All of them, or none where it raises what msgspec does for a record that it cannot encode."""
        prompts = self._prompts
        heads: list[tuple[Any, ...]] = []
        contents: list[tuple[Any, ...]] = []
        whole: list[tuple[Any, ...]] = []
        for record, policy, _, earlier in fresh:
            if policy is not self._policy:
                self._policy = policy
                self._named = {*policy.names, *(entry.name for entry in policy.entries)}
            attempts = record.attempts
            shown = attempts if prompts == "full" else without_quotes(attempts)
            heads.append(head_of(record, shown, self._named, prompts))
            if prompts != "off":
                quoted = () if shown is attempts else attempts
                if earlier is not None and earlier.notes is not None and earlier.request is record.request:
                    contents.append((earlier.notes, earlier.place, *since_then(record, earlier.decision, quoted)))
                else:
                    contents.append(content_of(record, quoted))
                    whole.append(contents[-1])
        packed = _items(heads), _items(contents)
        self._heads.append(packed[0])
        if self._needed is not None:
            for head in heads:
                self._needed += needed_of(head)
        if contents:
            self._contents.append(packed[1])
        if whole:
            self._whole += len(whole)
            self._first, self._newest = self._first or whole[:_FEW], whole[-1]
        self.size += len(packed[0]) + len(packed[1])
        self._count(fresh)

    @property
    def about(self) -> About:
        return self.last, self.first_id, self.last_id, self.count

    def outline(self) -> Outline | None:
        """What filing needs of it; None where it was let go."""
        needed, self._needed = self._needed, None
        return None if needed is None else outline_of(needed, FEATURES)

    def let_go(self) -> None:
        """Of its outline, which can be made of what is written, too."""
        self._needed = None

    def _count(self, fresh: Sequence[Fresh]) -> None:
        for record, policy, snapshot, _ in fresh:
            decision, name = record.decision, record.request.id
            if decision is not None:
                if decision.policy not in self.policies:
                    self.policies[decision.policy] = policy
                if decision.snapshot not in self.snapshots:
                    self.snapshots[decision.snapshot] = snapshot
            if not self.count:
                self.first_id = self.last_id = name
                self.last = record.received
            elif name > self.last_id:
                self.last_id = name
            elif name < self.first_id:
                self.first_id = name
            if record.received > self.last:
                self.last = record.received
            self.count += 1

    def packed(self, seal: Seal | None) -> tuple[bytes, list[bytes | memoryview] | None]:
        """(heads, contents) as they are to lie on disk, the latter in pieces that belong one after the other, None where
        none are kept. Sealed contents belong to these heads: beside others they do not open."""
        squeeze = self._is_worth_it()
        heads = _packed(FEATURES, self.count, self._heads, squeeze or QUICK)
        if self._prompts == "off":
            return heads, None
        contents: list[bytes | memoryview] = [_beginning(CONTENT, self.count), *self._contents]
        if squeeze and self.size > _SHORT:
            contents = [*squeezed_pieces(contents)]
        if seal is None:
            return heads, contents
        return heads, [*seal.close_all(contents, heads)]

    def _is_worth_it(self) -> bool:
        """Whether it is to be squeezed: a single record is, since there is time then; others are where their contents
        repeat each other, as short questions and long system prompts do, or are not kept. Other text shrinks to the half,
        for more time than all else that a record takes."""
        if self.count < 2 or self._prompts == "off":
            return True
        if QUICK and self.size < _SMALL * self._whole + _SLIGHT * (self.count - self._whole):
            return True
        if self._newest is None or self._first[0] is self._newest:  # all others were noted earlier
            return False
        taste = b"".join(map(_encode, self._first))[:_TASTE] + _encode(self._newest)[:_TASTE]
        return len(squeezed(taste)) * _GAIN < len(taste)


def unpacked(data: bytes) -> bytes:
    """MessagePack's [names, [items]]. Raises ValueError where it is damaged."""
    return data if data[:1] == _PAIR else stretched(data)


def packed_again(
    features: tuple[Any, ...],
    heads: list[msgspec.Raw],
    names: tuple[Any, ...],
    contents: list[msgspec.Raw] | None,
    seal: Seal | None,
) -> Packed:
    """Of some requests of a batch what the batch had of them, with its names of fields."""
    count = len(heads)
    packed = _packed(features, count, heads, squeeze=True)
    if contents is None:
        return packed, None
    of_contents = _packed(names, count, contents, squeeze=True)
    return packed, seal.close(of_contents, packed) if seal else of_contents


def _packed(
    names: tuple[Any, ...], count: int, items: Iterable[bytes | memoryview | msgspec.Raw], squeeze: bool
) -> bytes:
    """Of items that are encoded already."""
    plain = b"".join([_beginning(names, count), *items])
    return squeezed(plain) if squeeze and len(plain) >= _SHORT else plain


def _beginning(names: tuple[Any, ...], count: int) -> bytes:
    return b"".join([_PAIR, _encode(names), b"\xdd", count.to_bytes(4, "big")])


def _items(items: list[tuple[Any, ...]]) -> memoryview:
    """Encoded one after the other, without what begins an array in MessagePack. Raises what msgspec does."""
    count = len(items)
    return memoryview(_encode(items))[1 if count < 1 << 4 else 3 if count < 1 << 16 else 5 :]
