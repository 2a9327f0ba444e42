"""Jobs of one process: their store, who does them here, and what is told of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from pointsman.admission.pressure import CAUSES
from pointsman.app.job_store import open_store
from pointsman.app.pressure import parking_rules
from pointsman.config.schema import Config, parse_span
from pointsman.domain.errors import PointsmanError
from pointsman.domain.hosts import read_hosts
from pointsman.domain.job import Job, Submission
from pointsman.domain.lifecycle import Place
from pointsman.domain.said import Said, said
from pointsman.http.gateway import Gateway
from pointsman.http.jobs.handing_on import HandingOn, failures_told
from pointsman.http.jobs.handlers import ActionHandler, RequestHandler
from pointsman.http.jobs.shown import shown
from pointsman.http.openai.batches import batch_object
from pointsman.outbound.calls import HttpOutbound
from pointsman.outbound.webhook import WebhookSender
from pointsman.pipeline.batches.cancel import cancel
from pointsman.pipeline.delivery.ordering import Deliveries
from pointsman.pipeline.job_worker import JobWorker, Terms, call_off
from pointsman.pipeline.parking import Parking, Sample
from pointsman.pipeline.passage import Handler
from pointsman.pipeline.webhooks import WebhookHandler, notices_of
from pointsman.ports.action import Action
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.ports.outbound import Refused

log = logging.getLogger("pointsman")

_PURGING = 600.0  # seconds between two looks for jobs that are kept no longer


class Jobs:
    """`gateway` serves requests that are jobs, `actions` do those that name one; `sample` says how busy the machine is;
    `more` gives handlers of further kinds. `start` begins to do jobs, where the config has this process do any. Raises
    Problem where the store cannot be used."""

    def __init__(
        self,
        config: Config,
        gateway: Callable[[], Gateway],
        actions: Mapping[str, Action],
        clock: Clock,
        sample: Sample,
        more: Callable[[Jobs], Mapping[str, Handler]] = lambda jobs: {},
    ) -> None:
        self.store: JobStore = open_store(config)
        self._clock = clock
        self._outbound: HttpOutbound | None = None
        self._webhooks: WebhookSender | None = None
        self._keep = 0.0
        self._dangers: list[Said] = []
        self.deliveries = Deliveries(lambda: self.store, clock)
        onward = HandingOn(self.deliveries)
        handlers: dict[str, Handler] = {
            "request": RequestHandler(gateway, onward),
            "action": ActionHandler(actions, onward),
            "webhook": WebhookHandler(lambda: self._webhooks, self._show, clock),
            **more(self),
        }
        self.parking = Parking(self.store, clock, worker_name(), sample)
        self._worker = JobWorker(self.store, handlers, clock, terms_of(config), worker_name(), _told, self.parking)
        self._tasks: list[asyncio.Task[None]] = []
        self.install(config)

    @property
    def problems(self) -> list[Said]:
        """Why no jobs are done now, if none are, and what endangers them."""
        found = list(self._dangers)
        if self.parking.problem is not None:
            found.insert(0, self.parking.problem)
        if self._worker.problem is not None:
            found.insert(0, said("no jobs can be done: {why}", "无法执行任务：{why}", why=self._worker.problem))
        return found

    @property
    def pressed(self) -> tuple[dict[str, bool], int]:
        """Which pressure holds, and how many jobs are parked for it."""
        pressure = self.parking.pressure
        return {cause: pressure.holds and pressure.cause == cause for cause in CAUSES}, self.parking.parked

    def install(self, config: Config) -> None:
        """From here on jobs are done by these settings, those apart that count from the start on."""
        self._worker.terms = terms_of(config)
        self.parking.rules = parking_rules(config)
        self._keep = parse_span(config.jobs.keep)
        secret = config.jobs.webhook_secret
        if self._outbound is not None:
            self._outbound.close()
        self._outbound = HttpOutbound(read_hosts(config.jobs.webhook_hosts), "jobs.webhook_hosts")
        self._webhooks = WebhookSender(self._outbound, secret) if secret else None

    def start(self, ready: Callable[[], Awaitable[None]]) -> None:
        """Jobs wait for `ready`."""

        async def work() -> None:
            await ready()
            await self._worker.run()

        if self._worker.terms.concurrency:
            self._tasks += [asyncio.create_task(work()), asyncio.create_task(self.parking.run())]
        self._tasks += [asyncio.create_task(self._check()), asyncio.create_task(self._purge())]

    async def rest(self, seconds: float) -> None:
        """No more jobs are begun here; those under way have so many seconds to end."""
        await self._worker.rest(seconds)

    async def stop(self) -> None:
        """What is under way goes back to the store."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(StoreError):  # then they wait until somebody finds them
            await self.parking.close()
        await self.store.close()
        if self._outbound is not None:
            self._outbound.close()

    async def call_off(self, job_id: str) -> Job | None:
        """Ends it; gives it as it is then. A batch ends once what was done of it is delivered. Raises StoreError."""
        now, op = self._clock.wall(), secrets.token_hex(8)
        if job_id.startswith("batch_"):
            return await cancel(self.store, job_id, now, op, _told, self.stop_work)
        job = await call_off(self.store, job_id, now, op, _told)
        self._worker.call_off(job_id)
        return job

    def stop_work(self, job_id: str) -> None:
        """Somebody ended it; if it is being done here, that stops at once."""
        self._worker.call_off(job_id)

    async def vet(self, url: str) -> None:
        """Whether a webhook may go there. Raises PointsmanError (400)."""
        if self._webhooks is None:
            raise PointsmanError(_NO_SECRET, code="no_webhook_secret", param="webhook")
        try:
            await self._webhooks.check(url)
        except Refused as refused:
            raise PointsmanError(refused.message, code="webhook_refused", param="webhook") from None

    async def _show(self, job_id: str) -> dict[str, Any] | None:
        job = await self.store.get(job_id)
        if job is None:
            return None
        steps = await self.store.trace(job_id) if job.error else None
        data = batch_object(job) if job.kind == "batch" else shown(job, steps)
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data, enc_hook=str))
        return plain

    async def _check(self) -> None:
        try:
            self._dangers = await self.store.check()
        except StoreError as error:  # the worker finds it too
            log.error(_NO_STORE, error)
        for danger in self._dangers:
            log.warning("%s", danger)

    async def _purge(self) -> None:
        while True:
            gone: list[Job] = []
            with contextlib.suppress(StoreError):  # the worker says so
                gone = await self.store.purge(time.time() - self._keep)
            await asyncio.sleep(0.05 if gone else min(_PURGING, max(self._keep / 4, 1.0)))


def _told(job: Job, place: Place, at: float) -> tuple[Submission, ...]:
    """Who is told of a job's end."""
    return (*notices_of(job, place, at), *failures_told(job, place, at))


def terms_of(config: Config) -> Terms:
    jobs = config.jobs
    return Terms(
        concurrency=jobs.concurrency,
        lease=jobs.lease,
        poll=jobs.poll,
        failures=jobs.failures,
        lost=jobs.lost,
        backoff=jobs.backoff,
        patience=parse_span(jobs.patience),
        queues=tuple(dict.fromkeys(jobs.queues)),
    )


def worker_name() -> str:
    """Tells this process from others, for people."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


_NO_STORE = Said("the job store cannot be used: %s", "任务存储无法使用：%s")
_NO_SECRET = Said(
    "webhooks need jobs.webhook_secret in the config, which signs them",
    "发送 webhook 需要在配置里设置 jobs.webhook_secret，用来签名",
)
