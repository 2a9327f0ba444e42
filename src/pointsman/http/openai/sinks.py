"""Where an engine's bytes go: into a stream to the client as they come, or together into one reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from pointsman.http.event_stream import EventStream
from pointsman.http.exchange import Client
from pointsman.http.openai.aggregate import Aggregate
from pointsman.http.openai.reasoning import ReasoningName
from pointsman.http.openai.trace_event import BeforeDone
from pointsman.masking import UnmaskedStream, Unmasker

Unmask = Callable[[str], Unmasker | None]
"""A target's name → what puts the values into its reply that it did not see."""


class StreamedReply:
    """To the client as it comes. `headers` and `trace` (None: not asked for) make what depends on the target."""

    def __init__(
        self,
        client: Client,
        out: EventStream,
        headers: Callable[[str | None], bytes],
        trace: Callable[[str | None], bytes] | None,
        reasoning_field: str | None,
        unmask: Unmask,
    ) -> None:
        self.room = client.room
        self._out = out
        self._headers = headers
        self._trace = trace
        self._reasoning = ReasoningName(reasoning_field) if reasoning_field else None
        self._unmask = unmask
        self._unmasked: UnmaskedStream | None = None
        self._before: BeforeDone | None = None
        self.feed = out.write

    def begin(self, target: str, content_type: str | None) -> None:
        self._out.headers = self._headers(target)
        if self._trace is not None:
            self._before = BeforeDone(self._trace(target))
        unmasker = self._unmask(target)
        if unmasker is not None:
            self._unmasked = UnmaskedStream(unmasker)
        if self._before is not None or self._reasoning is not None or unmasker is not None:
            self.feed = self._changed

    def restart(self) -> bool:
        """What was read has reached the client."""
        return False

    def finish(self) -> None:
        """The engine's stream came to its end."""
        rest = self._unmasked.flush() if self._unmasked else b""
        if self._reasoning:
            rest = self._reasoning.feed(rest) + self._reasoning.flush()
        if self._before is not None:
            rest = (self._before.feed(rest) if rest else b"") + self._before.flush()
        self._out.finish(rest)

    def _changed(self, data: bytes) -> bool:
        if self._unmasked is not None:
            data = self._unmasked.feed(data)
        if self._reasoning is not None:
            data = self._reasoning.feed(data)
        if self._before is not None and data:
            data = self._before.feed(data)
        return self._out.write(data) if data else True


class Pieces:
    """The engine's bytes, whatever they are, for an endpoint without a stream."""

    def __init__(self) -> None:
        self.target: str | None = None
        self.content_type: str | None = None
        self.pieces: list[bytes] = []

    def begin(self, target: str, content_type: str | None) -> None:
        self.target = target
        self.content_type = content_type

    def feed(self, data: bytes) -> bool:
        self.pieces.append(data)
        return True

    async def room(self) -> None:
        """There always is."""

    def restart(self) -> bool:
        """Nothing of it has reached the client."""
        self.pieces.clear()
        return True

    @property
    def joined(self) -> bytes:
        return b"".join(self.pieces)


class WholeReply(Pieces):
    """One object: as the engine sent it, or made from its events."""

    def __init__(self, reasoning_field: str | None, unmask: Unmask) -> None:
        super().__init__()
        self._unmask = unmask
        self._unmasker: Unmasker | None = None
        self._reasoning_field = reasoning_field
        self._reasoning: ReasoningName | None = None
        self._aggregate: Aggregate | None = None

    def begin(self, target: str, content_type: str | None) -> None:
        super().begin(target, content_type)
        self._aggregate = None if "json" in (content_type or "") else Aggregate()
        if self._reasoning_field:
            self._reasoning = ReasoningName(self._reasoning_field)
        self._unmasker = self._unmask(target)

    def feed(self, data: bytes) -> bool:
        if self._aggregate is None:
            return super().feed(data)
        self._aggregate.feed(self._reasoning.feed(data) if self._reasoning else data)
        return True

    def data(self) -> bytes | None:
        """The engine's own bytes; None where it sent events."""
        if self._aggregate is not None:
            return None
        data = self._unmasker.data(self.joined) if self._unmasker else self.joined
        return self._reasoning.object(data) if self._reasoning else data

    def object(self) -> dict[str, Any]:
        """Raises PointsmanError (502) where the events held no completion."""
        data = self.data()
        if data is not None:
            result: dict[str, Any] = msgspec.json.decode(data)
            return result
        assert self._aggregate is not None
        if self._reasoning:
            self._aggregate.feed(self._reasoning.flush())
        whole = self._aggregate.result()
        if self._unmasker:
            self._unmasker.object(whole)
        return whole
