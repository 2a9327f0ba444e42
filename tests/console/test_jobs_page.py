"""The pages of jobs over a real store: listed, looked at, begun anew, called off; files of batches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

from console.house import House, header, place_of, text_of
from console.test_entrance import READER
from pointsman.app.console_jobs import ConsoleJobs
from pointsman.console.jobs.page import JobsPage
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route
from pointsman.domain.batch import Order, Progress, encoded
from pointsman.domain.job import Change, Job, Submission
from pointsman.domain.lifecycle import step
from pointsman.domain.upload import Upload
from pointsman.pipeline.job_worker import call_off
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.by_url import open_url

NOW = 1_796_000_000.0
ORDER = Order(
    input_file="file-in", endpoint="/v1/chat/completions", window="24h", expires=NOW, keep=60.0, ask=b"", language="en"
)


class Uploads:
    """Two files, and what is in them."""

    async def find(self, file_id: str) -> Upload | None:
        if file_id not in ("file-in", "file-out"):
            return None
        return Upload(id=file_id, size=3, created=NOW, filename=f"{file_id} 一.jsonl", purpose="batch", caller="app")

    async def pieces(self, file_id: str) -> AsyncGenerator[bytes, None]:
        yield b"<b>"


class Jobs:
    """As app/jobs.py has them, over a store that is opened for each question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = open_url("sqlite:///jobs.sqlite", folder)

    async def call_off(self, job_id: str) -> Job | None:
        return await call_off(self.store, job_id, NOW, "off", lambda *_: ())


class Desk:
    """Each question has a loop of its own, as `House` asks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getattr__(self, name: str) -> Any:
        async def ask(*given: Any) -> Any:
            jobs = Jobs(self._folder)
            try:
                return await getattr(ConsoleJobs(jobs, Uploads(), quotes=True), name)(*given)  # type: ignore[arg-type]
            finally:
                await jobs.store.close()

        return ask


def submission(job_id: str, kind: Any = "request", body: bytes = b"", **more: Any) -> Submission:
    return Submission(id=job_id, queue="batch", kind=kind, caller="app", created=NOW, body=body, **more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    async def fill() -> None:
        store = open_url("sqlite:///jobs.sqlite", tmp_path)
        progress = Progress(phase="in_progress", total=4, submitted=4, completed=1, output_file="file-out")
        await store.submit([submission("job_1"), submission("job_2"), submission("batch_3", "batch", encoded(ORDER))])
        for job_id, change in (
            ("job_2", {"events": (("died", None),), "error": "broken", "why": ("it <i>broke</i>", "它坏了")}),
            ("batch_3", {"events": (("parked", None),), "data": encoded(progress), "left": 4}),
        ):
            job = await store.get(job_id)
            assert job is not None
            places = (step(job.place, change["events"][0][0]),)  # type: ignore[index]
            await store.advance(job.held, Change(op=job_id, at=NOW, places=places, **change))  # type: ignore[arg-type]
        await store.close()

    asyncio.run(fill())
    return tmp_path


def house(folder: Path, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from JobsPage(templates, Desk(folder)).routes()  # type: ignore[arg-type]

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_they_are_listed_with_how_far_they_are(folder: Path, tongue: Any) -> None:
    page = text_of(house(folder).get("/ui/jobs", tongue))
    for part in ('href="/ui/jobs/job_1"', 'href="/ui/jobs/batch_3"', "every 2s", "/ 4<"):
        assert part in page, part
    assert ("it &lt;i&gt;broke&lt;/i&gt;" if tongue == "en" else "它坏了") in page
    dead = text_of(house(folder).get("/ui/jobs?phase=dead", tongue, hx_request="true"))
    assert "<html" not in dead and "job_2" in dead and "job_1" not in dead
    assert "/ui/jobs/job" not in text_of(house(folder).get("/ui/jobs?kind=delivery", tongue))


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_one_has_its_path_and_a_batch_its_files(folder: Path, tongue: Any) -> None:
    page = text_of(house(folder).get("/ui/jobs/job_2", tongue))
    assert 'id="retry"' in page and "req_2" in page and ("given up" if tongue == "en" else "已放弃") in page
    page = text_of(house(folder).get("/ui/jobs/batch_3", tongue))
    assert "/ui/jobs/files/file-in" in page and "/ui/jobs/files/file-out" in page and 'id="cancel"' in page
    assert house(folder).get("/ui/jobs/job_9", tongue).status == 404


def test_a_dead_one_is_begun_anew_and_one_is_called_off(folder: Path) -> None:
    served = house(folder)
    assert place_of(served.post("/ui/jobs/job_2/retry", {})) == "/ui/jobs/job_2"
    assert 'id="retry"' not in text_of(served.get("/ui/jobs/job_2"))
    assert place_of(served.post("/ui/jobs/job_1/cancel", {})) == "/ui/jobs/job_1"
    assert 'id="cancel"' not in text_of(served.get("/ui/jobs/job_1"))
    assert served.post("/ui/jobs/job_9/cancel", {}).status == served.post("/ui/jobs/job_9/retry", {}).status == 404
    assert place_of(served.post("/ui/jobs", {})) == "/ui/jobs?begun=0"


def test_all_dead_ones_are_begun_anew(folder: Path) -> None:
    served = house(folder)
    assert 'id="retry-all"' in text_of(served.get("/ui/jobs"))
    assert place_of(served.post("/ui/jobs", {})) == "/ui/jobs?begun=1"
    assert 'id="retry-all"' not in text_of(served.get("/ui/jobs?begun=1"))


class Outlet:
    leaving = False

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> bool:
        self.data += data
        return False

    async def room(self) -> None: ...


def test_a_file_is_a_download_and_never_a_page(folder: Path) -> None:
    async def fetched(reply: Reply) -> bytes:
        outlet = Outlet()
        assert reply.stream is not None
        await reply.stream(outlet)
        return outlet.data

    def pages(templates: Templates) -> Iterator[Route]:
        jobs = Jobs(folder)
        yield from JobsPage(templates, ConsoleJobs(jobs, Uploads(), quotes=True)).routes()  # type: ignore[arg-type]

    reply = House(pages).get("/ui/jobs/files/file-out")
    assert reply.content_type == b"application/octet-stream" and asyncio.run(fetched(reply)) == b"<b>"
    assert header(reply, b"content-disposition") == [b"attachment; filename*=UTF-8''file-out%20%E4%B8%80.jsonl"]
    assert House(pages).get("/ui/jobs/files/file-none").status == 404


def test_a_reader_sees_and_changes_nothing(folder: Path) -> None:
    served = house(folder, here=False)
    served.sign_in(READER)
    assert 'id="retry-all"' not in text_of(served.get("/ui/jobs"))
    page = text_of(served.get("/ui/jobs/job_2"))
    assert 'id="retry"' not in page and "admin key" in page
    for path in ("/ui/jobs", "/ui/jobs/job_2/retry", "/ui/jobs/job_1/cancel"):
        assert served.post(path, {}).status == 403


def test_without_any_it_says_how_to_have_one(tmp_path: Path) -> None:
    assert "respond-async" in text_of(house(tmp_path).get("/ui/jobs"))


def test_a_store_that_cannot_be_used_is_told() -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            async def ask(*_: Any) -> Any:
                raise StoreError("the disk is full")

            return ask

    class Gone:
        store = Broken()

    def pages(templates: Templates) -> Iterator[Route]:
        yield from JobsPage(templates, ConsoleJobs(Gone(), Uploads(), quotes=True)).routes()  # type: ignore[arg-type]

    reply = House(pages).get("/ui/jobs")
    assert reply.status == 503 and "the disk is full" in text_of(reply)
