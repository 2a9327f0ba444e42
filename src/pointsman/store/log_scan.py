"""Going through the log once: each request with its head, and of its content as much as is asked for."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request, Turn
from pointsman.store.log_row import Content, Head
from pointsman.store.stored_batch import StoredBatch

_request = msgspec.msgpack.Decoder(tuple[list[msgspec.Raw], msgspec.Raw, msgspec.Raw])
_turns = msgspec.msgpack.Decoder(list[Turn])
_text = msgspec.msgpack.Decoder(str | None)
_DECIDES_NOTHING = frozenset(
    ("id", "now", "stream", "max_output", "priority", "accept_language", "caller", "user", "session")
)
"""Fields of a request in which two may differ and still be decided alike, but for the days that time words mean, and for
rules that go by who asks."""
_layouts: dict[tuple[str, ...], _Layout] = {}  # by the names of the fields, as a version wrote them


class _Layout:
    """Where fields stand among the values of a request, as some version wrote them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        places = {name: place for place, name in enumerate(names)}
        self.turns = places.get("turns", -1)
        self.user = places.get("user", -1)
        self.session = places.get("session", -1)
        self.deciding = tuple([place for name, place in places.items() if name not in _DECIDES_NOTHING])
        self.known = min(self.turns, self.user, self.session) >= 0


class Sketch:
    """Of a request's content what tells who asked what. Raises msgspec.DecodeError where another version wrote it in
    another way."""

    __slots__ = ("_layout", "_values", "session", "turns", "user")

    def __init__(self, layout: _Layout, values: list[msgspec.Raw]) -> None:
        self._layout = layout
        self._values = values
        self.turns = _turns.decode(values[layout.turns])
        self.user = _text.decode(values[layout.user])
        self.session = _text.decode(values[layout.session])

    @property
    def essence(self) -> int:
        """64 bits. Two requests with one essence are decided alike under the same policy and snapshot, where no rule goes
        by the caller's name, nor by `person`."""
        values = self._values
        what = b"".join([values[place] for place in self._layout.deciding])
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

    @property
    def prompts(self) -> str:
        """How its content is kept: `sealed`, `full`, or `off`, not at all."""
        return self._batch.prompts

    @property
    def is_open(self) -> bool:
        """Whether its content can be read; False where it was not kept, or the key is not here."""
        return self._batch.raw(self._place) is not None

    def feature(self, name: str) -> Any:
        """Of the features that the decision was made by; None where there are none, or none of that name."""
        return self._batch.feature(self.head, name)

    def row(self) -> dict[str, Any]:
        """As `LogReader.rows` has it."""
        return self._batch.row(self.head)

    def is_one_of(self, wanted: dict[str, str]) -> bool:
        """Whether each of these filters has this value."""
        return bool(self._batch.those([self.head], wanted))

    def sketch(self) -> Sketch | None:
        """None where the content was not kept, the key is not here, or another version wrote it in another way."""
        raw = self._batch.raw(self._place)
        if raw is None:
            return None
        names, packed = raw
        layout = _layouts.get(names) or _layouts.setdefault(names, _Layout(names))
        if not layout.known:
            return None
        try:
            return Sketch(layout, _request.decode(packed)[0])
        except msgspec.DecodeError:  # another version's
            return None

    def request(self) -> Request | None:
        """What was asked, whole; None as for `sketch`."""
        return self._batch.request(self._place)

    def decision(self) -> Decision | None:
        """The decision of `content` alone, and quicker."""
        return self._batch.decision(self._place)

    def content(self) -> Content | None:
        """What was recorded, whole; None as for `sketch`."""
        return self._batch.content(self._place)
