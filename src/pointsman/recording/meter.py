"""Tokens and first content of a reply, read from the bytes as they pass, without parsing them one by one."""

from __future__ import annotations

from pointsman.domain.record import EngineTimes
from pointsman.recording.figures import Counts, counts_of_timings, counts_of_usage, last_object, times_of_timings

_BLOCK = 16_384  # bytes that are looked through at once
_OVERLAP = 2048  # bytes of the last block that are looked through again: longer than any engine's figures
_EVENT = b"\ndata:"
_STRADDLE = len(_EVENT) - 1


class Meter:
    """Feed it every chunk, of a stream of events or of a plain JSON reply. `first_at` is set by the caller, by its clock, at
    the first chunk. Chunks are looked through in blocks, so where they are cut changes nothing; what is looked for are
    events and the figures of engines (`usage`, or llama.cpp's `timings`), which are parsed once, in `usage()`."""

    def __init__(self) -> None:
        self.first_at: float | None = None
        self._pending: list[bytes] = []
        self._size = 0
        self._seen = b"\n"  # the end of what was looked through; an event begins a line
        self._events = 0
        self._usage = b""
        self._timings = b""

    @property
    def finished(self) -> bool:
        """Whether the stream's last event has passed: a client may hang up as soon as it has that."""
        self._look()
        return b"\ndata: [DONE]" in self._seen

    @property
    def complete(self) -> bool:
        """Whether the stream came to its own end: with `[DONE]`, an error, or at least a reason why it stopped."""
        if self.finished or b'"error"' in self._seen.rstrip().rpartition(b"\ndata:")[2]:
            return True
        after = self._seen.rpartition(b'"finish_reason"')[2] if b'"finish_reason"' in self._seen else b""
        return after.lstrip(b" :").startswith(b'"')

    @property
    def last_event(self) -> bytes:
        """The last event of the stream so far, but for `[DONE]`; cut off at its beginning where it is very long."""
        self._look()
        said, end, after = self._seen.rpartition(b"\ndata: [DONE]")
        rest = said if end else after
        return rest[rest.rfind(b"\ndata:") + 1 :].rstrip() + b"\n\n"

    def feed(self, chunk: bytes) -> None:
        self._pending.append(chunk)
        self._size += len(chunk)
        if self._size >= _BLOCK:
            self._look()

    def usage(self) -> Counts:
        """(input tokens, output tokens, cached input tokens, estimated). Where the engine gave no figures, the events
        of the stream stand for the output tokens."""
        self._look()
        if self._usage and (found := counts_of_usage(self._usage)):
            return found
        if self._timings and (found := counts_of_timings(self._timings)):
            return found
        return None, max(self._events - 3, 0) or None, None, True

    def engine_times(self) -> EngineTimes | None:
        """What the engine measured itself; None where it does not tell."""
        self._look()
        return times_of_timings(self._timings) if self._timings else None

    def _look(self) -> None:
        if not self._pending:
            return
        seen = self._seen
        block = b"".join((seen, *self._pending))
        self._pending.clear()
        self._size = 0
        self._events += block.count(_EVENT, max(len(seen) - _STRADDLE, 0))
        self._usage = last_object(block, b'"usage"') or self._usage
        self._timings = last_object(block, b'"timings"') or self._timings
        self._seen = block[-_OVERLAP:]
