"""Going through the log once: each request with its head, and of its content as much as is asked for."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec

from pointsman.domain.request import Turn
from pointsman.store.log_row import Content, Head
from pointsman.store.stored_batch import StoredBatch

_request = msgspec.msgpack.Decoder(tuple[list[msgspec.Raw], msgspec.Raw, msgspec.Raw])
_turns = msgspec.msgpack.Decoder(list[Turn])
_text = msgspec.msgpack.Decoder(str | None)
_DECIDES_NOTHING = frozenset(("id", "now", "stream", "max_output", "priority", "accept_language", "user", "session"))
"""Fields of a request in which two may differ and still be decided alike, except for the days that time words mean, and
for rules with a share, to which `person` matters."""


class Sketch:
    """Of a request's content what tells who asked what. Raises msgspec.DecodeError where another version wrote it in
    another way."""

    __slots__ = ("_places", "_values", "session", "turns", "user")

    def __init__(self, places: dict[str, int], values: list[msgspec.Raw]) -> None:
        self._places = places
        self._values = values
        self.turns = _turns.decode(values[places["turns"]])
        self.user = _text.decode(values[places["user"]])
        self.session = _text.decode(values[places["session"]])

    @property
    def essence(self) -> int:
        """64 bits. Two requests with one essence are decided alike under the same policy and snapshot, where no rule has a
        share, or `person` is one too."""
        values = self._values
        what = b"".join([values[place] for name, place in self._places.items() if name not in _DECIDES_NOTHING])
        return int.from_bytes(blake2b(what, digest_size=8).digest())

    @property
    def person(self) -> str | None:
        """Whom rules with a share go by, beside the caller."""
        return self.user or self.session

    @property
    def question(self) -> str | None:
        """As `Request.question`."""
        for turn in reversed(self.turns):
            if turn.role not in ("system", "developer"):
                return turn.text if turn.role == "user" else None
        return None

    @property
    def earlier(self) -> list[str]:
        """What the user wrote before the question, oldest first."""
        return [turn.text for turn in self.turns if turn.role == "user"][:-1]


class Logged:
    """One request of the log. Good until the next batch is read, and beyond: it keeps its batch."""

    __slots__ = ("_batch", "_place", "head")

    def __init__(self, head: Head, batch: StoredBatch, place: int) -> None:
        self.head = head
        self._batch = batch
        self._place = place

    def feature(self, name: str) -> Any:
        """Of the features that the decision was made by; None where there are none, or none of that name."""
        return self._batch.feature(self.head, name)

    def sketch(self) -> Sketch | None:
        """None where the content was not kept, the key is not here, or another version wrote it in another way."""
        raw = self._batch.raw(self._place)
        if raw is None:
            return None
        places, packed = raw
        try:
            return Sketch(places, _request.decode(packed)[0])
        except (msgspec.DecodeError, KeyError):
            return None

    def content(self) -> Content | None:
        """What was recorded, whole; None as for `sketch`."""
        return self._batch.content(self._place)
