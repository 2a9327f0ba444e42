"""The few figures that matter now, as Prometheus metrics; all of them follow from finished records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pointsman.domain.feedback import Feedback
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.telemetry.counts import Counts, Tally, count

Upstream = Mapping[str, Mapping[str, int]]
"""Target → what happened (requests, opened, reused, retried) → how often."""
_NONE: Upstream = {}
_EMPTY: tuple[int, Mapping[str, int]] = (0, {})


class Metrics:
    """A recorder that only counts; for one thread."""

    def __init__(self) -> None:
        self._counts = Counts.begun()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        self._counts.put(record)

    def reloaded(self, outcome: str) -> None:
        """`ok` or `refused`."""
        count(self._counts.reloads, (outcome,))

    def called(self, tool: str, outcome: str) -> None:
        """A tool that a client called itself: an action over MCP, or `decide`."""
        count(self._counts.tools, (tool, outcome))

    def turned_away(self, why: str) -> None:
        """A request that was not let in to any target."""
        count(self._counts.turned_away, (why,))

    def sunk(self, arbiter: str) -> None:
        """An arbiter that is less sure than it used to be."""
        count(self._counts.sunk, (arbiter,))

    def said(self, feedback: Feedback) -> None:
        """Each time that a caller says something, also where it replaces what it said before."""
        adopted = "none" if feedback.adopted is None else str(feedback.adopted).lower()
        count(self._counts.feedback, (adopted, "none" if feedback.rating is None else str(feedback.rating)))

    def counts(
        self,
        snapshot: Snapshot,
        dropped: int,
        upstream: Upstream = _NONE,
        queue: tuple[int, Mapping[str, int]] = _EMPTY,
    ) -> Counts:
        """A copy of what was counted here, with the state of the targets, the records dropped, what connections to them
        did, and `queue` (how many wait, and how many each target has), as of now."""
        copy = Counts(self._counts.created)
        copy.merge(self._counts)
        copy.up = {(state.target,): int(state.health == "up") for state in snapshot.states}
        copy.dropped = dropped
        copy.waiting = queue[0]
        copy.inside = {(target,): inside for target, inside in queue[1].items()}
        for target, events in upstream.items():
            for event, value in events.items():
                copy.upstream[target, event] = Tally(copy.created, value)
        return copy

    def text(
        self,
        snapshot: Snapshot,
        dropped: int,
        others: Iterable[Counts] = (),
        upstream: Upstream = _NONE,
        queue: tuple[int, Mapping[str, int]] = _EMPTY,
    ) -> bytes:
        """The exposition as of now, with what other processes counted added in."""
        counts = self.counts(snapshot, dropped, upstream, queue)
        for other in others:
            counts.merge(other)
        from pointsman.telemetry.exposition import text_of  # two megabytes that nobody needs who is never asked

        return text_of(counts)
