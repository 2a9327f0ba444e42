"""Some tens of milliseconds of traffic, encoded as they come: one row of the log."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec

from pointsman.domain.feedback import Feedback
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.store.log_row import CONTENT, FEATURES, Prompts, content_of, head_of, without_quotes
from pointsman.store.seal import Seal

_LEVEL = 1  # of zlib, the fastest: what repeats from record to record is what there is to gain
_SHORT = 512  # bytes of which zlib gains too little for what it costs a reader of many batches
_TASTE = 2048  # bytes of each of two contents, to see whether they have anything in common
_GAIN = 3  # times that these shrink where all of them are worth zlib's time, which is ten times SQLite's
_PAIR = b"\x92"  # MessagePack's array of two; no zlib stream begins so
_encode = msgspec.msgpack.Encoder().encode


class Batch:
    """Records encoded as they come, heads and contents apart; names of fields are written once. `policies` and
    `snapshots` are those that the decisions name, by hash; `last` is the newest `received`, `first_id` and `last_id` are
    the bounds of the ids; `size` is in bytes. `feedback` is what came of it meanwhile, each with the time of its request.
    `notes` are requests under way, each as a batch of its own, `ended` the ids of those that are so no more."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts
        self._heads: list[bytes] = []
        self._contents: list[bytes] = []
        self._policy: PolicyDocument | None = None
        self._named: set[str] = set()
        self.policies: dict[str, PolicyDocument] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.feedback: list[tuple[Feedback, float]] = []
        self.notes: dict[str, Batch] = {}
        self.ended: list[str] = []
        self.size = 0
        self.last = 0.0
        self.first_id = self.last_id = ""

    @property
    def count(self) -> int:
        return len(self._heads)

    @property
    def empty(self) -> bool:
        return not (self._heads or self.feedback or self.notes or self.ended)

    def say(self, feedback: Feedback, asked: float) -> int:
        """Adds a feedback. Returns the size after it; raises as `add` does."""
        self.size += len(_encode(feedback))
        self.feedback.append((feedback, asked))
        return self.size

    def note(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> int:
        """Adds a request under way. Returns the size after it; raises as `add` does."""
        note = Batch(self._prompts)
        self.size += note.add(record, policy, snapshot)
        self.notes[record.request.id] = note
        self.policies = note.policies | self.policies
        self.snapshots = note.snapshots | self.snapshots
        return self.size

    def end(self, name: str) -> None:
        """That request is under way no more."""
        self.notes.pop(name, None)
        self.ended.append(name)

    def add(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> int:
        """Returns the size after it. Raises what msgspec does for a record that it cannot encode (half a surrogate pair,
        an integer beyond 64 bits); the batch stays as it was."""
        if policy is not self._policy:
            self._policy = policy
            self._named = {*policy.names, *(entry.name for entry in policy.entries)}
        prompts, attempts = self._prompts, record.attempts
        shown = attempts if prompts == "full" else without_quotes(attempts)
        head = _encode(head_of(record, shown, self._named, prompts))
        if prompts != "off":
            content = _encode(content_of(record, () if shown is attempts else attempts))
            self._contents.append(content)
            self.size += len(content)
        self._heads.append(head)
        self.size += len(head)
        decision = record.decision
        if decision is not None:
            if decision.policy not in self.policies:
                self.policies[decision.policy] = policy
            if decision.snapshot not in self.snapshots:
                self.snapshots[decision.snapshot] = snapshot
        name = record.request.id
        if len(self._heads) == 1:
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

    def packed(self, seal: Seal | None) -> tuple[bytes, bytes | None]:
        """(heads, contents) as they lie on disk, contents None where none are kept. Sealed contents belong to these
        heads: beside others they do not open."""
        return self._closed(_squeezed(_joined(FEATURES, self._heads)), seal, _is_worth_it(self._contents))

    def plain(self, seal: Seal | None) -> tuple[bytes, bytes | None]:
        """The same, quicker and larger, for what does not stay."""
        return self._closed(_joined(FEATURES, self._heads), seal, False)

    def _closed(self, heads: bytes, seal: Seal | None, squeeze: bool) -> tuple[bytes, bytes | None]:
        if self._prompts == "off":
            return heads, None
        contents = _joined(CONTENT, self._contents)
        if squeeze:
            contents = _squeezed(contents)
        return heads, seal.close(contents, heads) if seal else contents


def unpacked(data: bytes) -> bytes:
    """MessagePack's [names, [items]]. Raises zlib.error."""
    return data if data[:1] == _PAIR else zlib.decompress(data)


def _joined(names: tuple[Any, ...], items: list[bytes]) -> bytes:
    """Of items that are encoded already."""
    return b"".join([_PAIR, _encode(names), b"\xdd", len(items).to_bytes(4, "big"), *items])


def _squeezed(plain: bytes) -> bytes:
    return plain if len(plain) < _SHORT else zlib.compress(plain, _LEVEL)


def _is_worth_it(contents: list[bytes]) -> bool:
    """Whether contents are to be squeezed: one alone is, since there is time then; several are where they repeat each
    other, as they do with a long system prompt. Text that does not shrinks to the half, for most of what a request
    costs."""
    if len(contents) < 2:
        return True
    taste = contents[0][:_TASTE] + contents[-1][:_TASTE]
    return len(zlib.compress(taste, _LEVEL)) * _GAIN < len(taste)
