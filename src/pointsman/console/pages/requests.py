"""*Requests*: what came, newest first, by filters; and each of them with its whole way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from pointsman.console.history import SPANS
from pointsman.console.kinds import KINDS
from pointsman.console.rows import UNDER_WAY, Requests, Wanted, Whole
from pointsman.console.templates import Templates
from pointsman.console.track import WIDTH, track_of
from pointsman.console.visit import Reply, Route, Visit, see_other
from pointsman.domain.errors import PointsmanError
from pointsman.domain.feedback import LONGEST, Feedback
from pointsman.domain.said import Said, said

FILTERS = ("rule", "target", "outcome", "model", "caller", "error", "task_type", "language", "intent", "mark", "shadow")
"""The log's filters that this page has; `kind`, `since` and `text` come beside them."""
_FIELDS = ("rule", "target", "outcome", "model")
"""Those that always have a field of their own."""
OUTCOMES = (UNDER_WAY, "ok", "refused", "failed", "cancelled", "expired", "handed_over")
_LATE = (0.2, 0.8, 1.0)  # seconds between looks for a request that has just ended: the log gets it a moment later
_LONGEST_ID = 100


class RequestsPage:
    def __init__(self, templates: Templates, requests: Requests) -> None:
        self._templates = templates
        self._requests = requests

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/requests", self.page)
        yield Route("GET", "/ui/requests/{id}", self.one)
        yield Route("POST", "/ui/requests/{id}/wrong", self.wrong)

    async def page(self, visit: Visit) -> Reply:
        """A fragment is the next page's rows, to go below those that are there."""
        wanted = wanted_of(visit.query, time.time())
        listed = await asyncio.to_thread(self._requests.page, wanted)
        asked = {name: value for name, value in visit.query.items() if value and name != "before"}
        more = None if listed.next is None else f"/ui/requests?{urlencode({**asked, 'before': listed.next})}"
        if visit.fragment:
            return Reply(self._templates.part("parts/request_rows.html", visit, rows=listed.rows, more=more))
        return self._templates.page(
            "requests.html",
            visit,
            place="requests",
            asked=asked,
            wanted=wanted,
            kinds=KINDS,
            spans=SPANS,
            outcomes=OUTCOMES,
            others=[name for name in (*FILTERS, "until") if name in asked and name not in _FIELDS],
            narrow=any(name in asked for name in (*FILTERS, "until") if name != "outcome"),
            first="before" not in visit.query,
            rows=listed.rows,
            more=more,
        )

    async def one(self, visit: Visit) -> Reply:
        whole = await self._found(visit.named)
        return self._templates.page(
            "request.html",
            visit,
            place="requests",
            whole=whole,
            row=whole.row,
            request=whole.request,
            decision=whole.decision,
            track=track_of(whole),
            width=WIDTH,
            longest=LONGEST,
            kept="kept" in visit.query,
        )

    async def wrong(self, visit: Visit) -> Reply:
        """Somebody says that the reply was not what was meant. It is kept as feedback, in their name."""
        visit.must_change()
        whole = await self._found(visit.named)
        comment = visit.form.get("comment", "").strip()
        if len(comment) > LONGEST:
            raise PointsmanError(
                said(
                    "a comment may have {limit} characters; this one has {size}",
                    "说明最多 {limit} 个字符；现在有 {size} 个",
                    limit=LONGEST,
                    size=len(comment),
                ),
                code="comment_too_long",
            )
        feedback = Feedback(
            request_id=whole.row.id,
            received=time.time(),
            caller=visit.who.name,
            adopted=False,
            comment=comment or None,
        )
        if not await self._requests.keep(feedback):
            raise PointsmanError(
                Said("the request log takes nothing at the moment; try again", "请求日志暂时无法写入；请稍后再试"),
                status=503,
                type="overloaded_error",
                code="log_unavailable",
                retry_after=1,
            )
        return see_other(f"/ui/requests/{whole.row.id}?kept=1")

    async def _found(self, name: str) -> Whole:
        """Raises a 404 that says why it may not be there."""
        for wait in (*_LATE, None):
            whole = await asyncio.to_thread(self._requests.whole, name) if len(name) <= _LONGEST_ID else None
            if whole is not None:
                return whole
            if wait is not None:
                await asyncio.sleep(wait)
        raise PointsmanError(
            said(
                'there is no request "{id}": its id may be mistyped, or the log has not kept it so long (log.keep)',
                "没有请求“{id}”：可能是 id 有误，或者日志的保留时间（log.keep）已过",
                id=name[:_LONGEST_ID],
            ),
            status=404,
            type="not_found_error",
            code="request_not_found",
        )


def wanted_of(query: Mapping[str, str], now: float) -> Wanted:
    """What the page's fields ask for; what makes no sense is passed over. `since` is a stretch of time, or seconds since the
    epoch, as `until`."""
    kind = query.get("kind")
    return Wanted(
        filters={name: query[name].strip() for name in FILTERS if query.get(name, "").strip()},
        kind=kind if kind in KINDS else None,
        since=_moment(query.get("since"), now),
        until=_moment(query.get("until"), now),
        text=query.get("text", "").strip() or None,
        before=query.get("before") or None,
    )


def _moment(text: str | None, now: float) -> float | None:
    if not text:
        return None
    if text in SPANS:
        return now - SPANS[text].seconds
    try:
        return float(text)
    except ValueError:
        return None
