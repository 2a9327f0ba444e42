"""*Now*: whether it is well, what came lately, what is under way, and what needs somebody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol

import msgspec

from pointsman.console.gauges import Gauges, gauges_of
from pointsman.console.history import SPANS, USUAL, Past, Summing, began, past_of
from pointsman.console.live import Live, Subject
from pointsman.console.templates import Templates
from pointsman.console.visit import Outlet, Reply, Route, Visit
from pointsman.domain.said import said
from pointsman.telemetry.counts import Counts

_FAILURES, _PART = 5, 0.05  # so many failures, and so large a part of all, need somebody
_STALE = 4.0  # seconds for which sums of the log are good


class Notice(msgspec.Struct, frozen=True):
    """Something that needs somebody. `text` is `Said`, or a text that somebody else wrote; `place` is the page about it."""

    text: str
    level: Literal["bad", "warn"]
    place: str


class Waiting(msgspec.Struct, frozen=True):
    """A target: `in_flight` requests, and `wait` seconds until it takes one more."""

    target: str
    in_flight: int
    wait: float


class State(Protocol):
    """What the page asks of the gateway."""

    async def counts(self) -> Counts:
        """Of all its processes."""

    async def notices(self) -> Sequence[Notice]:
        """What needs somebody, the worst first."""

    def waiting(self) -> Sequence[Waiting]: ...


class NowPage:
    def __init__(self, templates: Templates, state: State, summing: Summing, live: Live) -> None:
        self._templates = templates
        self._state = state
        self._summing = summing
        self._live = live
        self._kept: dict[str, tuple[float, Past]] = {}

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui", self.page)
        yield Route("GET", "/ui/live", self.live)

    async def page(self, visit: Visit) -> Reply:
        span = _span(visit)
        return self._templates.page("now.html", visit, place="now", spans=SPANS, **await self._shown(span))

    def live(self, visit: Visit) -> Reply:
        """The stream of events that this page, and the list of requests, are kept up to date by."""
        subject = (visit.tongue, "" if visit.query.get("only") == "requests" else _span(visit))

        async def stream(outlet: Outlet) -> None:
            await self._live.stream(outlet, subject, self._figures)

        return Reply(content_type=b"text/event-stream; charset=utf-8", stream=stream)

    async def _figures(self, subject: Subject) -> bytes:
        tongue, span = subject
        return self._templates.piece("parts/gauges.html", tongue, **await self._shown(span))

    async def _shown(self, span: str) -> dict[str, Any]:
        past, counts = await asyncio.gather(self._past(span), self._state.counts())
        gauges: Gauges = gauges_of(counts)
        waiting = self._state.waiting()
        return {
            "past": past,
            "gauges": gauges,
            "notices": [*_from_past(past), *await self._state.notices()],
            "waiting": waiting,
            "wait": min((each.wait for each in waiting), default=None),
        }

    async def _past(self, span: str) -> Past:
        now = time.time()
        kept = self._kept.get(span)
        if kept is None or now - kept[0] > _STALE:
            step = SPANS[span].step
            summed = await asyncio.to_thread(self._summing, began(span, now), now + 1, step)
            kept = self._kept[span] = now, past_of(summed, span, now)
        return kept[1]


def _from_past(past: Past) -> Iterator[Notice]:
    if past.failed >= _FAILURES and past.failed / past.many >= _PART:
        text = said(
            "{failed} of {many} requests failed in the last {span}",
            "最近 {span}内有 {failed} 个请求失败（共 {many} 个）",
            failed=past.failed,
            many=int(past.many),
            span=SPANS[past.span].title,
        )
        yield Notice(text, "bad", f"/ui/requests?outcome=failed&since={past.span}")


def _span(visit: Visit) -> str:
    span = visit.query.get("span", USUAL)
    return span if span in SPANS else USUAL
