"""Batches done step by step: a worker whose every step a test may let fail, with time that only the test moves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pointsman.domain.batch import Order, encoded, progress_of, status_of
from pointsman.domain.job import QUEUES, Change, Held, Job, Submission
from pointsman.domain.lifecycle import step
from pointsman.domain.upload import Upload
from pointsman.http.auth import Caller
from pointsman.http.jobs.kept import KeptReply, KeptRequest, encode, request_of
from pointsman.http.openai.batch_lines import BatchLines
from pointsman.pipeline.batches.handler import BatchHandler, Limits
from pointsman.pipeline.passage import Finished, Passage, Waiting
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.job_store import Fenced, Wanted
from pointsman.store.files.local import LocalFiles
from pointsman.store.jobs.memory import MemoryJobStore

CHAT = "/v1/chat/completions"
BATCH = "batch_01"
LEASE = 10.0


class Killed(BaseException):
    """The worker's end, between two of its steps."""


class Time:
    now = 1_000_000.0

    def wall(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


class Deadly:
    """Counts the steps that go through it, and kills at number `at`: before it is done, or after."""

    def __init__(self) -> None:
        self.at = 0
        self.after = False
        self.count = 0
        self.steps: list[str] = []

    async def step(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        self.count += 1
        self.steps.append(name)
        if self.count == self.at and not self.after:
            raise Killed(name)
        done = await do()
        if self.count == self.at:
            raise Killed(name)
        return done


class DeadlyStore(MemoryJobStore):
    """Only what the batch's own handler does is counted."""

    def __init__(self, deadly: Deadly, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.deadly = deadly
        self.counting = False

    async def submit(self, submissions: Sequence[Submission]) -> Any:
        return await self._counted("submit", lambda: MemoryJobStore.submit(self, submissions))

    async def advance(self, held: Held, change: Change) -> Any:
        return await self._counted("advance", lambda: MemoryJobStore.advance(self, held, change))

    async def _counted(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        return await self.deadly.step(name, do) if self.counting else await do()


class DeadlyFiles(LocalFiles):
    def __init__(self, deadly: Deadly, folder: Path) -> None:
        super().__init__(folder)
        self.deadly = deadly
        self.counting = False

    async def publish(self, key: str, content: bytes | Path) -> bool:
        if not self.counting:
            return await LocalFiles.publish(self, key, content)
        done: bool = await self.deadly.step("publish", lambda: LocalFiles.publish(self, key, content))
        return done


Reply = Callable[[KeptRequest], KeptReply | Exception]


def echo(kept: KeptRequest) -> KeptReply:
    """The body again; its `status`, if it has one. Spread over lines, as some engines answer."""
    body = json.loads(kept.body)
    headers = ((b"x-pointsman-request-id", kept.request_id.encode()),)
    return KeptReply(
        body.get("status", 200), headers, json.dumps({"said": body}, indent=1, ensure_ascii=False).encode()
    )


class House:
    """One batch of `lines`. `done` counts how often each request was carried out."""

    def __init__(self, folder: Path, reply: Reply = echo, limits: Limits | None = None) -> None:
        self.time = Time()
        self.deadly = Deadly()
        self.store = DeadlyStore(self.deadly, self.time.monotonic)
        self.files = DeadlyFiles(self.deadly, folder / "files")
        self.uploads = Uploads(self.files, folder / "scratch", self.time)
        self.reply = reply
        self.done: Counter[str] = Counter()
        self.stopped: list[str] = []
        self.handler = BatchHandler(
            self.store, self.uploads, BatchLines(), self.time, lambda: limits or Limits(), self.stopped.append
        )
        self.kills = 0

    async def order(self, lines: Sequence[bytes], window: float = 86_400.0) -> None:
        self.uploads.scratch.mkdir(parents=True, exist_ok=True)
        path = self.uploads.scratch / "given"
        path.write_bytes(b"\n".join(lines))
        upload = Upload(id="file-1", size=1, created=self.time.now, filename="in", purpose="batch", caller="ann")
        await self.uploads.keep(upload, path)
        ask = KeptRequest(
            path="", body=b"", caller=Caller("ann", group="g"), request_id="", received=1.0, loopback=True
        )
        order = Order(
            input_file="file-1",
            endpoint=CHAT,
            window="24h",
            expires=self.time.now + window,
            keep=3600.0,
            ask=encode(ask),
            language="en",
        )
        body = encoded(order)
        await self.store.submit(
            [Submission(id=BATCH, queue="batch", kind="batch", caller="ann", created=self.time.now, body=body)]
        )

    async def batch(self) -> Job:
        job = await self.store.get(BATCH)
        assert job is not None
        return job

    async def work(self, until: Callable[[Job], bool] = lambda job: job.over, rounds: int = 200) -> Job:
        """Takes what there is to be done, a job at a time, until that holds of the batch."""
        for _ in range(rounds):
            if until(await self.batch()):
                return await self.batch()
            jobs = await self.store.claim(QUEUES, "w", 1, LEASE)
            for job in jobs:
                await self._take(job)
            if not jobs:
                self.time.now += LEASE + 1  # whoever was killed is given up
        raise AssertionError(f"not done after {rounds} rounds: {await self.batch()}")

    async def _take(self, job: Job) -> None:
        passage = Passage(job, self.store, self.time, "w")
        self.store.counting = self.files.counting = job.kind == "batch"
        try:
            if job.expires is not None and self.time.now > job.expires:
                done: Finished | Waiting = Finished(outcome="expired")
            elif job.kind == "batch":
                done = await self.handler.handle(passage)
            else:
                done = await self._request(passage)
            await self._settle(passage, done)
        except Killed:
            self.kills += 1
        except Fenced:
            pass
        finally:
            self.store.counting = self.files.counting = False

    async def _request(self, passage: Passage) -> Finished:
        await passage.begin("a request")
        reply = self.reply(request_of(passage.job.body))
        if isinstance(reply, Exception):
            raise reply
        self.done[passage.job.id] += 1
        return Finished(outcome="ok" if reply.status < 400 else "failed", result=encode(reply))

    async def _settle(self, passage: Passage, done: Finished | Waiting) -> None:
        if isinstance(done, Waiting):
            await passage.make(passage.change((("parked", None),), (step(passage.place, "parked"),)))
            return
        place = step(passage.place, "ended", done.outcome)
        change = passage.change((("ended", done.outcome),), (place,))
        await passage.make(replace(change, result=done.result, error=done.error))

    # Looking

    async def result(self) -> dict[str, Any]:
        """Status, counts, output and errors of the batch, which is over."""
        job = await self.batch()
        progress = progress_of(job)
        return {
            "status": status_of(job),
            "counts": (progress.total, progress.completed, progress.failed),
            "output": await self.lines(progress.output_file),
            "errors": await self.lines(progress.error_file),
        }

    async def lines(self, file_id: str | None) -> list[dict[str, Any]] | None:
        if file_id is None:
            return None
        upload = await self.uploads.find(file_id)
        assert upload is not None and (upload.purpose, upload.caller) == ("batch_output", "ann")
        data = b"".join([piece async for piece in self.uploads.pieces(file_id)])
        assert len(data) == upload.size and data.endswith(b"\n")
        return [json.loads(line) for line in data[:-1].split(b"\n")]

    async def check_traces(self) -> None:
        """Each of them is a legal way, without a gap."""
        for job in await self.store.ls(Wanted(), 100_000):
            steps = await self.store.trace(job.id)
            place = replace(job.place, state="received", disposition="active", outcome=None, asked=0)
            assert [entry.number for entry in steps] == [*range(1, len(steps) + 1)]
            for entry in steps[1:]:
                outcome = job.place.outcome if entry.event == "ended" else None
                place = step(place, entry.event, outcome)  # type: ignore[arg-type]
                assert (place.state, place.disposition) == (entry.state, entry.disposition)

    def scraps(self) -> list[Path]:
        """What is left of files that were never finished."""
        return list(self.uploads.scratch.iterdir())


def requests(count: int, **body: Any) -> list[bytes]:
    return [
        json.dumps(
            {"custom_id": f"r{n}", "method": "POST", "url": CHAT, "body": {"n": n, "text": "一", **body}}
        ).encode()
        for n in range(1, count + 1)
    ]
