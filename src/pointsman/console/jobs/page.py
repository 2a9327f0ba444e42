"""The pages of jobs: their list, one of them with its path, files of batches; begun anew, and called off."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any, cast, get_args
from urllib.parse import quote, urlencode

from pointsman.console.jobs.desk import JobDesk, JobWhole
from pointsman.console.templates import Templates
from pointsman.console.visit import Outlet, Reply, Route, Visit, see_other
from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import LONGEST_ID, Kind
from pointsman.domain.said import said
from pointsman.ports.job_store import Phase, Wanted

PAGE = 30  # jobs of a page
PHASES: tuple[Phase, ...] = get_args(Phase)
KINDS: tuple[Kind, ...] = get_args(Kind)
_SAFE_TYPE = b"application/octet-stream"


class JobsPage:
    def __init__(self, templates: Templates, desk: JobDesk) -> None:
        self._templates = templates
        self._desk = desk

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/jobs", self.page)
        yield Route("POST", "/ui/jobs", self.retry_all)
        yield Route("GET", "/ui/jobs/{id}", self.one)
        yield Route("GET", "/ui/jobs/files/{id}", self.file)
        yield Route("POST", "/ui/jobs/{id}/cancel", self.cancel)
        yield Route("POST", "/ui/jobs/{id}/retry", self.retry)

    async def page(self, visit: Visit) -> Reply:
        asked, after = _asked(visit.query), visit.query.get("after", "")[:LONGEST_ID] or None
        wanted = Wanted(
            caller=asked["caller"] or None,
            kind=asked["kind"] or None,
            parent=asked["parent"] or None,
            phase=cast(Phase, asked["phase"]) if asked["phase"] else None,
        )
        counts = await self._desk.counts()
        found = await self._desk.rows(wanted, PAGE + 1, after)
        rows = found[:PAGE]
        more = None
        if len(found) > PAGE:
            kept = {name: value for name, value in asked.items() if value}
            more = "/ui/jobs?" + urlencode({**kept, "after": rows[-1].job.id})
        values: dict[str, Any] = {
            "asked": asked,
            "filtered": any(asked.values()),
            "counts": counts,
            "rows": rows,
            "more": more,
            "phases": PHASES,
            "kinds": KINDS,
            "moving": any(not row.job.over for row in rows),
            "begun": visit.query.get("begun", ""),
        }
        return self._templates.page(
            "parts/jobs_now.html" if visit.fragment else "jobs.html", visit, place="jobs", **values
        )

    async def one(self, visit: Visit) -> Reply:
        whole = await self._whole(visit.named)
        template = "parts/job_now.html" if visit.fragment else "job.html"
        return self._templates.page(template, visit, place="jobs", whole=whole, row=whole.row, job=whole.row.job)

    async def cancel(self, visit: Visit) -> Reply:
        visit.must_change()
        if not await self._desk.cancel(visit.named):
            raise no_job(visit.named)
        return _to(visit.named)

    async def retry(self, visit: Visit) -> Reply:
        visit.must_change()
        if not await self._desk.retry(visit.named):
            raise no_job(visit.named)
        return _to(visit.named)

    async def retry_all(self, visit: Visit) -> Reply:
        visit.must_change()
        return see_other(f"/ui/jobs?begun={await self._desk.retry_all()}")

    async def file(self, visit: Visit) -> Reply:
        """As a download: what is in it is never a page of the console's."""
        found = await self._desk.file(visit.named)
        if found is None:
            raise PointsmanError(
                said(
                    "there is no file {id} any more; files are kept for files.keep_uploads",
                    "文件 {id} 已不存在；文件只保留 files.keep_uploads 那么久",
                    id=visit.named[:100],
                ),
                status=404,
                type="not_found_error",
                code="no_such_file",
            )
        upload, pieces = found
        named = f"attachment; filename*=UTF-8''{quote(upload.filename, safe='')}"

        async def stream(outlet: Outlet) -> None:
            await _written(pieces, outlet)

        return Reply(content_type=_SAFE_TYPE, headers=((b"content-disposition", named.encode()),), stream=stream)

    async def _whole(self, job_id: str) -> JobWhole:
        whole = await self._desk.find(job_id) if len(job_id) <= LONGEST_ID else None
        if whole is None:
            raise no_job(job_id)
        return whole


async def _written(pieces: AsyncGenerator[bytes, None], outlet: Outlet) -> None:
    async with contextlib.aclosing(pieces):
        async for piece in pieces:
            if outlet.leaving:
                return
            if not outlet.write(piece):
                await outlet.room()


def _asked(query: Mapping[str, str]) -> dict[str, str]:
    """Filters, "" for those that are not used or not valid."""
    phase, kind = query.get("phase", ""), query.get("kind", "")
    return {
        "phase": phase if phase in PHASES else "",
        "kind": kind if kind in KINDS else "",
        "caller": query.get("caller", "").strip()[:200],
        "parent": query.get("parent", "").strip()[:LONGEST_ID],
    }


def _to(job_id: str) -> Reply:
    return see_other(f"/ui/jobs/{quote(job_id, safe='')}")


def no_job(job_id: str) -> PointsmanError:
    return PointsmanError(
        said(
            "there is no job {id}; jobs are kept for a while after their end (jobs.keep)",
            "没有任务 {id}；任务结束后只保留一段时间（jobs.keep）",
            id=job_id[:LONGEST_ID],
        ),
        status=404,
        type="not_found_error",
        code="job_not_found",
    )
