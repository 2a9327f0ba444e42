"""A row of the log, opened to read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Any

import apsw
import msgspec
from msgspec.structs import astuple

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.domain.said import said
from pointsman.store.log_batch import Packed, packed_again, unpacked
from pointsman.store.log_filters import FEATURES, LABELS, field_of
from pointsman.store.log_outline import Outline, needed_of, outline_of
from pointsman.store.log_row import Brief, Content, Head
from pointsman.store.seal import Seal

_Names = tuple[str, ...]
_head = msgspec.msgpack.Decoder(Head).decode
_heads = msgspec.msgpack.Decoder(tuple[msgspec.Raw, list[Head]])
_brief_heads = msgspec.msgpack.Decoder(tuple[msgspec.Raw, list[Brief]])
_contents = msgspec.msgpack.Decoder(tuple[msgspec.Raw, list[msgspec.Raw]])
_of_heads = lru_cache(maxsize=16)(msgspec.msgpack.Decoder(_Names).decode)  # the same in nearly all batches
_of_contents = lru_cache(maxsize=16)(msgspec.msgpack.Decoder(tuple[_Names, _Names]).decode)
_request = msgspec.msgpack.Decoder(tuple[list[Any], msgspec.Raw, msgspec.Raw])
_of_decision = msgspec.msgpack.Decoder(tuple[msgspec.Raw, list[Any] | None, msgspec.Raw])
_content = msgspec.msgpack.Decoder(tuple[list[Any], list[Any] | None, list[Any]])
_since_then = msgspec.msgpack.Decoder(tuple[str, int, bool, list[Any] | None, list[Any]])
_raw_heads = msgspec.msgpack.Decoder(tuple[msgspec.Raw, list[msgspec.Raw]])
_BLANKED = 0x90  # MessagePack's empty array: a request that is blanked
_CHANGES = 0x95  # MessagePack's array of five, which the content of a request begins with that was noted earlier

_BLANK = Head(
    "", 0.0, "", "", "", None, None, None, "", 0, None, None, None, None, None, False, None, None, None, None, None, None,
    None, None, [],
)  # fmt: skip

OpenNotes = Callable[[str], "StoredBatch | None"]
"""Gives the notes with that name, their contents open; None where they are no more."""


class StoredBatch:
    """`number` is what it is called, `heads` as they lie on disk. Raises apsw.CorruptError where bytes are damaged."""

    def __init__(self, number: int | str, prompts: str, heads: bytes, notes: OpenNotes | None = None) -> None:
        self._number = number
        self.prompts = prompts
        self._notes = notes
        self._packed = heads
        self._plain = self._unpacked(heads)
        self._contents: tuple[tuple[_Names, _Names], list[msgspec.Raw]] | None = None
        self._closed: tuple[Callable[[], bytes | None], Seal | None] | None = None

    def may_hold(self, texts: list[bytes]) -> bool:
        """False where one of these values occurs nowhere in the heads: then none needs decoding."""
        return all(text in self._plain for text in texts)

    def briefs(self) -> list[Brief]:
        """All of its heads, without what nobody looks for nor sums up."""
        try:
            return _brief_heads.decode(self._plain)[1]
        except msgspec.DecodeError:
            raise self._damaged() from None

    @property
    def heads(self) -> list[Head]:
        return self._named_heads[1]

    def head(self, place: int) -> Head:
        """One of them, without reading the others."""
        if "_named_heads" in self.__dict__:
            return self.heads[place]
        try:
            return _head(self._apart[1][place])
        except msgspec.DecodeError:
            raise self._damaged() from None

    def outline(self) -> Outline:
        needed: list[Any] = []
        for brief in self.briefs():
            needed += needed_of(astuple(brief))
        return outline_of(needed, self._features)

    @cached_property
    def places(self) -> dict[str, int]:
        """Of each id in the batch."""
        return {head.id: place for place, head in enumerate(self.heads)}

    def matching(self, wanted: dict[str, str]) -> list[tuple[float, int]]:
        """When the requests came for which each of these filters has this value, and their places."""
        briefs = self.briefs()
        places = {id(brief): place for place, brief in enumerate(briefs)}
        return [(brief.received, places[id(brief)]) for brief in self.those(briefs, wanted)]

    def those(self, heads: list[Any], wanted: dict[str, str]) -> list[Any]:
        """Of some of its heads, or briefs of them, those for which each of these filters has this value."""
        names = self._features
        for name, value in wanted.items():
            if name in FEATURES:
                at = names.index(name) if name in names else len(names)
                heads = [head for head in heads if head.features and head.features[at : at + 1] == [value]]
            elif name in LABELS:
                field = LABELS[name]
                heads = [head for head in heads if value in getattr(head, field)]
            else:
                field = field_of(name)
                heads = [head for head in heads if getattr(head, field) == value]
        return heads

    def row(self, head: Head) -> dict[str, Any]:
        """What a list shows of a request."""
        names = self._features
        features = None if head.features is None else dict(zip(names, head.features, strict=True))
        told = features or {}
        return {
            "id": head.id,
            "received": head.received,
            "endpoint": head.endpoint,
            "model": head.model,
            "caller": head.caller,
            "stage": head.stage,
            "rule": head.rule,
            "action": head.action,
            "intent": head.intent,
            "confidence": head.confidence,
            "risk": head.risk,
            "marks": head.marks,
            "shadow": head.shadow,
            "masked": head.masked,
            "cache": head.cache,
            "outcome": head.outcome,
            "status": head.status,
            "error": head.error,
            "target": head.target,
            "language": told.get("language"),
            "task_type": told.get("task_type"),
            "input_tokens": head.input_tokens if head.input_tokens is not None else told.get("input_tokens"),
            "output_tokens": head.output_tokens,
            "cached_tokens": head.cached_tokens,
            "output_estimated": int(head.output_estimated),
            "decided_ms": head.decided_ms,
            "ttft_ms": head.ttft_ms,
            "total_ms": head.total_ms,
            "queued_ms": head.queued_ms,
            "policy": head.policy,
            "snapshot": head.snapshot,
            "seed": head.seed,
            "exact_tokens": head.exact_tokens,
            "features": features,
            "attempts": head.attempts,
            "prompts": self.prompts,
            "under_way": False,
        }

    def open(self, contents: bytes | None, seal: Seal | None) -> None:
        """Contents as they lie on disk. They stay closed where none were kept or the key is another one."""
        if contents is not None and self.prompts == "sealed":
            contents = seal.open(contents, self._packed) if seal else None
        if contents is None:
            return
        try:
            names, items = _contents.decode(self._unpacked(contents))
            self._contents = _of_contents(bytes(names)), items
        except msgspec.DecodeError:
            raise self._damaged() from None

    def open_later(self, contents: Callable[[], bytes | None], seal: Seal | None) -> None:
        """As `open` of what `contents` gives, once a content is asked for."""
        self._closed = contents, seal

    def feature(self, head: Head, name: str) -> Any:
        """None where the decision had no features, or none of that name."""
        names = self._named_heads[0]
        return head.features[names.index(name)] if head.features and name in names else None

    def raw(self, place: int) -> tuple[tuple[str, ...], msgspec.Raw] | None:
        """(names of the request's fields, content as it was encoded, perhaps with the decision of an earlier moment); None
        as for `content`."""
        self._open_if_later()
        if self._contents is None:
            return None
        packed = self._contents[1][place]
        if memoryview(packed)[0] != _CHANGES:
            return self._contents[0][0], packed
        name, there, *_ = _since_then.decode(packed)
        notes = self._noted_in(name, there)
        return notes.raw(there) if notes else None

    def request(self, place: int) -> Request | None:
        """As of `content`, and quicker."""
        raw = self.raw(place)
        if raw is None:
            return None
        names, packed = raw
        try:
            return msgspec.convert(dict(zip(names, _request.decode(packed)[0], strict=True)), Request)
        except ValueError:  # another version's, or blanked
            return None

    def says(self, request_id: str, text: str) -> bool:
        """Whether this (in small letters) stands in that request's messages; False where they cannot be opened."""
        request = self.request(self.places[request_id])
        return request is not None and any(text in turn.text.casefold() for turn in request.turns)

    def content(self, place: int) -> Content | None:
        """What was recorded there, whole, equal to what it was; None unless the contents are open, or where a version
        wrote it whose requests had not what this one's must have."""
        whole = self._whole(place)
        if whole is None:
            return None
        names, request, decision, attempts = whole
        if not request:  # blanked
            return None
        head, of_decision = self.heads[place], names[1]
        found: dict[str, Any] = {
            "request": dict(zip(names[0], request, strict=True)),
            "attempts": attempts or head.attempts,
        }
        if decision is not None:
            features = head.features and dict(zip(self._named_heads[0], head.features, strict=True))
            found["decision"] = {**dict(zip(of_decision, decision, strict=True)), "features": features}
        try:
            return msgspec.convert(found, Content)
        except msgspec.ValidationError:
            return None

    def decision(self, place: int) -> Decision | None:
        """The decision of `content` alone, and quicker."""
        self._open_if_later()
        if self._contents is None or memoryview(self._contents[1][place])[0] == _CHANGES:
            content = self.content(place)
            return None if content is None else content.decision
        names, contents = self._contents
        request, values, _ = _of_decision.decode(contents[place])
        if values is None or memoryview(request)[0] == _BLANKED:
            return None
        features = self.heads[place].features
        named = features and dict(zip(self._named_heads[0], features, strict=True))
        try:
            return msgspec.convert({**dict(zip(names[1], values, strict=True)), "features": named}, Decision)
        except msgspec.ValidationError:
            return None

    def cut(self, places: list[int], seal: Seal | None) -> Packed | None:
        """These requests as a batch of their own; None unless the contents are open, or none were kept."""
        if self._contents is None and self.prompts != "off":
            return None
        features, heads = _raw_heads.decode(self._plain)
        names, contents = self._contents or ((), None)
        return packed_again(
            _of_heads(bytes(features)),
            [heads[place] for place in places],
            names,
            contents and [contents[place] for place in places],
            seal if self.prompts == "sealed" else None,
        )

    def blanked(self, places: Iterable[int], seal: Seal | None) -> Packed | None:
        """The batch with nothing in these places, so that what refers to the others still finds them; None as for `cut`."""
        if self._contents is None and self.prompts != "off":
            return None
        features, heads = _raw_heads.decode(self._plain)
        names, contents = self._contents or ((), None)
        for place in places:
            heads[place] = msgspec.Raw(msgspec.msgpack.encode(_BLANK))
            if contents:
                contents[place] = msgspec.Raw(msgspec.msgpack.encode(([], None, [])))
        sealed = seal if self.prompts == "sealed" else None
        return packed_again(_of_heads(bytes(features)), heads, names, contents, sealed)

    def _whole(self, place: int) -> tuple[tuple[_Names, _Names], list[Any], list[Any] | None, list[Any]] | None:
        """(names of fields, values of the request, of the decision, attempts)."""
        self._open_if_later()
        if self._contents is None:
            return None
        names, contents = self._contents
        packed = contents[place]
        if memoryview(packed)[0] != _CHANGES:
            return names, *_content.decode(packed)
        name, there, same, decision, attempts = _since_then.decode(packed)
        notes = self._noted_in(name, there)
        whole = notes._whole(there) if notes else None
        if whole is None:
            return None
        return whole[0], whole[1], whole[2] if same else decision, attempts

    def _noted_in(self, name: str, place: int) -> StoredBatch | None:
        notes = self if name == self._number else self._notes(name) if self._notes else None
        return notes if notes and place < len(notes.heads) else None

    def _open_if_later(self) -> None:
        if self._closed is not None:
            (contents, seal), self._closed = self._closed, None
            self.open(contents(), seal)

    @property
    def _features(self) -> _Names:
        """Their names, in the order of the values."""
        return self._named_heads[0] if "_named_heads" in self.__dict__ else self._apart[0]

    @cached_property
    def _apart(self) -> tuple[_Names, list[msgspec.Raw]]:
        """(names of the features, heads as they are encoded)."""
        try:
            names, heads = _raw_heads.decode(self._plain)
            return _of_heads(bytes(names)), heads
        except msgspec.DecodeError:
            raise self._damaged() from None

    @cached_property
    def _named_heads(self) -> tuple[_Names, list[Head]]:
        """(names of the features, heads)."""
        try:
            names, heads = _heads.decode(self._plain)
            return _of_heads(bytes(names)), heads
        except msgspec.DecodeError:
            raise self._damaged() from None

    def _unpacked(self, data: bytes) -> bytes:
        try:
            return unpacked(data)
        except ValueError:
            raise self._damaged() from None

    def _damaged(self) -> apsw.CorruptError:
        return apsw.CorruptError(said("batch {number} is damaged", "第 {number} 批记录已损坏", number=self._number))
