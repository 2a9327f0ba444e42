"""Requests as lists and their own pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from pointsman.console.kinds import Kind, kind_of
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.feedback import Feedback
from pointsman.domain.request import Request

UNDER_WAY = "under_way"
"""The outcome by which a list is asked for what has none yet."""


class Row(msgspec.Struct, frozen=True):
    """What a list has of a request, under the log's names. Times are milliseconds, `received` seconds since the epoch.
    While it is under way nothing is known of how it ended."""

    id: str
    received: float
    endpoint: str
    model: str
    caller: str
    stage: str | None
    rule: str | None
    action: str | None
    outcome: str | None
    status: int | None
    error: str | None
    target: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    decided_ms: float | None
    ttft_ms: float | None
    total_ms: float | None
    policy: str | None
    snapshot: str | None
    under_way: bool
    queued_ms: float | None = None
    output_estimated: bool = False
    intent: str | None = None
    confidence: float | None = None
    risk: str | None = None
    marks: Sequence[str] = ()
    shadow: Sequence[str] = ()
    masked: Mapping[str, int] | None = None
    cache: str | None = None
    language: str | None = None
    task_type: str | None = None
    prompts: str = "sealed"

    @property
    def kind(self) -> Kind:
        return kind_of(self.stage, self.outcome)


class Wanted(msgspec.Struct, frozen=True):
    """What a list is to show: `filters` are the log's, by name; `kind` one way that requests went; `since` and `until`
    seconds since the epoch; `text` what stands in their messages; `before` where the page begins."""

    filters: Mapping[str, str] = {}
    kind: str | None = None
    since: float | None = None
    until: float | None = None
    text: str | None = None
    before: str | None = None
    limit: int = 50


class Listed(msgspec.Struct, frozen=True):
    """`next` is where the next page begins, None where there is none."""

    rows: Sequence[Row]
    next: str | None


class Whole(msgspec.Struct, frozen=True):
    """All that is known of one request. Without `request` its content was not kept, or cannot be opened here."""

    row: Row
    request: Request | None
    decision: Decision | None
    attempts: Sequence[Attempt]
    feedback: Feedback | None


class Requests(Protocol):
    """The log. It reads the disk: call it beside the loop. Raises PointsmanError where it cannot be read, and for a page
    that begins nowhere."""

    def page(self, wanted: Wanted) -> Listed:
        """By the outcome UNDER_WAY: what has not ended, whenever it came."""

    def some(self, ids: Sequence[str]) -> Sequence[Row]:
        """Those of them that the log still has, in their order."""

    def whole(self, request_id: str) -> Whole | None: ...

    async def keep(self, feedback: Feedback) -> bool:
        """Keeps what somebody says of a request, in place of what was said before. False: the log takes nothing now."""
