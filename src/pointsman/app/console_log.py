"""The request log, as the console's pages ask for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pointsman.console.rows import UNDER_WAY, Listed, Row, Wanted, Whole
from pointsman.domain.attempt import Attempt
from pointsman.domain.errors import PointsmanError
from pointsman.domain.feedback import Asker, Feedback
from pointsman.domain.record import Record
from pointsman.domain.said import Said, said
from pointsman.pipeline.handle import Run
from pointsman.store.log_pages import Cursor
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_ROUNDS, _ROUNDS_OF_TEXTS = 20, 5  # pages of the log that one page of the console may look through
_NEWEST = 200  # requests among which those that other processes serve are looked for
Keep = Callable[[Feedback, Asker], Feedback | None]
T = TypeVar("T")


class ConsoleLog:
    """`folder` is where the log is, `under_way` what this process serves now, `ended` what it has just served; `keep` keeps
    a feedback. `quotes`: prompts are kept, and may be shown."""

    def __init__(
        self,
        folder: Path,
        under_way: Mapping[str, Run],
        ended: Callable[[str], Record | None],
        keep: Keep,
        *,
        quotes: bool,
    ) -> None:
        self._folder = folder
        self._under_way = under_way
        self._ended = ended
        self._quotes = quotes
        self._keep = keep

    def page(self, wanted: Wanted) -> Listed:
        filters = dict(wanted.filters)
        if filters.get("outcome") == UNDER_WAY:
            return Listed(self._now(filters), None)
        if wanted.kind == "refused":
            filters["outcome"] = "refused"
        elif wanted.kind is not None:
            filters["stage"] = wanted.kind

        def listed(reader: LogReader) -> Listed:
            rows: list[Row] = []
            before = wanted.before
            for _ in range(_ROUNDS if wanted.text is None else _ROUNDS_OF_TEXTS):
                try:
                    page = reader.page(
                        filters,
                        since=wanted.since,
                        until=wanted.until,
                        before=None if before is None else Cursor(before),
                        limit=wanted.limit - len(rows),
                        text=wanted.text,
                    )
                except ValueError as error:
                    text = error.args[0]
                    raise PointsmanError(text if isinstance(text, Said) else str(text), code="bad_cursor") from None
                rows += [row for row in map(_shown, page.rows) if wanted.kind is None or row.kind == wanted.kind]
                before = page.next
                if before is None or len(rows) >= wanted.limit:
                    break
            return Listed(rows, before)

        return self._read(listed, Listed([], None))

    def some(self, ids: Sequence[str]) -> Sequence[Row]:
        def found(reader: LogReader) -> list[Row]:
            return [_shown(row) for name in ids if (row := _row(reader, name)) is not None]

        return self._read(found, [])

    def _now(self, filters: Mapping[str, str]) -> list[Row]:
        """What has not ended: all that this process serves, and of other processes what takes so long that the log has a
        note of it. The newest first."""
        own = [self._as_kept(_of_record(run.record(), under_way=True)).row for run in [*self._under_way.values()]]
        rows = {row.id: row for row in own}

        def noted(reader: LogReader) -> list[Row]:
            return [_shown(row) for row in reader.page({}, limit=_NEWEST).rows if row["under_way"]]

        nothing: list[Row] = []
        for row in self._read(noted, nothing):
            rows.setdefault(row.id, row)
        wanted = {name: value for name, value in filters.items() if name != "outcome"}
        found = [row for row in rows.values() if all(str(getattr(row, n, "")) == v for n, v in wanted.items())]
        return sorted(found, key=lambda row: row.received, reverse=True)[:_NEWEST]

    def whole(self, request_id: str) -> Whole | None:
        run = self._under_way.get(request_id)
        if run is not None:
            return self._as_kept(_of_record(run.record(), under_way=True))
        logged = self._logged(request_id)
        if logged is None and (record := self._ended(request_id)) is not None:
            return self._as_kept(_of_record(record, under_way=False))
        return logged

    def _as_kept(self, whole: Whole) -> Whole:
        """As the log will have it: where no prompts are kept, without whatever may quote one."""
        if self._quotes:
            return whole
        attempts = [msgspec.structs.replace(each, message=None) for each in whole.attempts]
        return Whole(msgspec.structs.replace(whole.row, model=""), None, None, attempts, None)

    def _logged(self, request_id: str) -> Whole | None:
        def whole(reader: LogReader) -> Whole | None:
            row = _row(reader, request_id)
            if row is None:
                return None
            content, feedback = reader.whole(request_id), reader.feedback_on(request_id)
            kept = _shown(row)
            if content is None:
                return Whole(kept, None, None, msgspec.convert(row["attempts"], tuple[Attempt, ...]), feedback)
            return Whole(kept, content.request, content.decision, content.attempts, feedback)

        return self._read(whole, None)

    async def keep(self, feedback: Feedback) -> bool:
        asker = await asyncio.to_thread(self._asker, feedback.request_id)
        return asker is not None and self._keep(feedback, asker) is not None

    def _asker(self, request_id: str) -> Asker | None:
        return self._read(lambda reader: reader.asker(request_id), None)

    def _read(self, job: Callable[[LogReader], T], nothing: T) -> T:
        """`nothing` where there is no log yet. Raises PointsmanError (503)."""
        try:
            reader = LogReader(self._folder)
        except FileNotFoundError:
            return nothing
        except LogError as error:
            raise _unreadable(error) from None
        with contextlib.closing(reader):
            try:
                return job(reader)
            except LogError as error:
                raise _unreadable(error) from None


def _row(reader: LogReader, request_id: str) -> dict[str, Any] | None:
    """As the log has it."""
    return next(iter(reader.page({"id": request_id}, limit=1).rows), None)


def _shown(row: dict[str, Any]) -> Row:
    return msgspec.convert(row, Row, strict=False)


def _of_record(record: Record, *, under_way: bool) -> Whole:
    """One that the log has not in full yet."""
    request, decision, times = record.request, record.decision, record.timings
    features = None if decision is None else decision.features
    row = Row(
        id=request.id,
        received=record.received,
        endpoint=request.endpoint,
        model=request.model,
        caller=request.caller,
        stage=None if decision is None else decision.stage,
        rule=None if decision is None else decision.rule,
        action=None if decision is None else decision.action,
        outcome=None if under_way else record.outcome,
        status=None if under_way else record.status,
        error=record.error,
        target=record.target,
        input_tokens=record.input_tokens if features is None else record.input_tokens or features.input_tokens,
        output_tokens=record.output_tokens,
        cached_tokens=record.cached_tokens,
        decided_ms=times.decided,
        ttft_ms=times.ttft,
        total_ms=times.total,
        policy=None if decision is None else decision.policy,
        snapshot=None if decision is None else decision.snapshot,
        under_way=under_way,
        queued_ms=times.queued,
        intent=None if decision is None else decision.intent,
        confidence=None if decision is None else decision.confidence,
        task_type=None if features is None else features.task_type,
        language=None if features is None else features.language,
    )
    return Whole(row, request, decision, record.attempts, None)


def _unreadable(error: LogError) -> PointsmanError:
    return PointsmanError(
        said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error)),
        status=503,
        type="api_error",
        code="log_unavailable",
        retry_after=1,
    )
