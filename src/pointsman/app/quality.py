"""What feedback moves: read from the log again and again, together with what other gateways have in theirs.

All processes of one gateway read the same log, so all of them work out the same. Gateways with logs of their own tell each
other their sums of days through the store, where that is one which they share (`store: redis://…`)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from hashlib import sha256
from pathlib import Path

import msgspec

from pointsman.app.askers import Askers
from pointsman.app.job_store import sqlite_file
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config, parse_span
from pointsman.domain.feedback import Asker, Feedback, Served, Signs, Word
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.pipeline.moved_quality import MovedQuality
from pointsman.pipeline.signs import ReplyWatch
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError
from pointsman.routing.feedback import DAY, FADED, FeedbackRules
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained
from pointsman.store.log_writer import LogWriter

log = logging.getLogger("pointsman")

_EVERY = 10.0  # seconds between two looks
_SOON = 1.0  # after a feedback that came here
_SHARE = 50.0  # times as long as a look took, nothing is looked at
_KEPT = 900.0  # seconds that others remember what was told them
_PREFIX = "quality/"
_ROWS = 50_000  # of sums that others are told, the newest
_EARLY = 1000  # feedbacks on replies under way that are remembered
_ENDPOINTS = ("chat", "completions")

Sums = tuple[list[Word], list[Signs]]
_decode = msgspec.msgpack.Decoder(tuple[list[Word], list[Signs]]).decode


class QualityFeed:
    """A recorder, and the task that reads. `shared` is the store that gateways have in common."""

    def __init__(
        self, config: Config, moved: MovedQuality, writer: LogWriter, askers: Askers, shared: Ephemeral
    ) -> None:
        self._folder = data_dir(config)
        self._moved = moved
        self._writer = writer
        self._askers = askers
        self._shared = None if sqlite_file(config) is not None else shared
        self._key = key_of(self._folder)
        self._watch = ReplyWatch()
        self._watching = False
        self._early: dict[str, tuple[Feedback, float]] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._problem: str | None = None
        self._seen: object = None  # what the last estimate was made of

    def install(self, config: Config, document: PolicyDocument) -> None:
        """From here on these rules and this table hold."""
        self._moved.rules = rules = feedback_rules(config)
        self._moved.table = document.quality
        self._watching = rules.bound > 0 and (rules.asked_again > 0 or rules.hung_up > 0)
        self._wake.set()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        decision = record.decision
        if decision is None or decision.stage != "model" or record.target is None:
            return
        request = record.request
        if request.endpoint in _ENDPOINTS:
            task = None if decision.features is None else decision.features.task_type
            served = Served.by(record.target, task)
            self._askers.replied(request.id, served)
            if self._early and (early := self._early.pop(request.id, None)) is not None:
                self._writer.put_feedback(*early, served)
            if self._watching and not record.cached:
                self._watch.put(record, served)

    def heard(self, feedback: Feedback, asker: Asker) -> None:
        """A feedback has come here: look soon. One that came before its reply was whole counts once it is."""
        if asker.served is None and len(self._early) < _EARLY:
            self._early[feedback.request_id] = feedback, asker.asked
        self._wake.set()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """What callers did until now is written."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._writer.put_signs(await asyncio.to_thread(self._watch.seen))

    async def _run(self) -> None:
        pause = 0.0
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()
                await asyncio.sleep(_SOON)  # until the log has it
            self._wake.clear()
            began = time.monotonic()
            self._writer.put_signs(await asyncio.to_thread(self._watch.seen))
            if self._moved.rules.bound > 0:
                await self._look(time.time())
            elif self._moved.moved:
                self._moved.take(())
                self._seen = None
            pause = max(_EVERY, _SHARE * (time.monotonic() - began))

    async def _look(self, now: float) -> None:
        today = int(now // DAY)
        first = today - int(FADED * self._moved.rules.half_life)
        try:
            own = await asyncio.to_thread(logged, self._folder, first, today)
        except LogError as error:
            self._say_once(explained(error))
            return
        others = await self._told(own)
        self._problem = None
        seen = own, others, today, self._moved.rules, self._moved.table
        if seen != self._seen:
            words, signs = [*own[0], *others[0]], [*own[1], *others[1]]
            self._moved.take(await asyncio.to_thread(self._moved.work_out, words, signs, today))
            self._seen = seen

    async def _told(self, own: Sums) -> Sums:
        """What other gateways know; they are told what this one does."""
        if self._shared is None:
            return [], []
        try:
            await self._shared.put(self._key, packed(own), _KEPT)
            return of_others(await self._shared.scan(_PREFIX), self._key)
        except StoreError as error:
            self._say_once(error.args[0])
            return [], []

    def _say_once(self, why: str) -> None:
        if self._problem is None:
            log.warning(Said("what feedback moves cannot be worked out: %s", "无法计算反馈对质量的修正：%s"), why)
        self._problem = why


def feedback_rules(config: Config) -> FeedbackRules:
    given = config.quality.feedback
    return FeedbackRules(
        half_life=parse_span(given.half_life) / DAY,
        bound=given.bound,
        per_caller=given.per_caller,
        rating=given.rating,
        adopted=given.adopted,
        edited=given.edited,
        retried=given.retried,
        asked_again=given.asked_again,
        hung_up=given.hung_up,
    )


def logged(folder: Path, first: int, last: int) -> Sums:
    """What the log in that folder has of these days: of what callers did, that of whole days, so that it moves nothing more
    than once a day. Raises LogError."""
    try:
        reader = LogReader(folder)
    except FileNotFoundError:
        return [], []
    try:
        return reader.words(first, last), reader.signs(first, last - 1)
    finally:
        reader.close()


def key_of(folder: Path) -> str:
    """By which a gateway's sums are known among others: all processes that write one log have one."""
    place = f"{socket.gethostname()}\n{folder.resolve()}"
    return _PREFIX + sha256(place.encode()).hexdigest()[:16]


def packed(own: Sums) -> bytes:
    words, signs = (sorted(rows, key=lambda row: -row.day)[:_ROWS] for rows in own)
    return msgspec.msgpack.encode((words, signs))


def of_others(told: dict[str, bytes], own: str) -> Sums:
    """Of all gateways but the one with that key; what another version wrote otherwise is left out."""
    words: list[Word] = []
    signs: list[Signs] = []
    for key, value in told.items():
        if key != own:
            with contextlib.suppress(msgspec.DecodeError):
                more_words, more_signs = _decode(value)
                words += more_words
                signs += more_signs
    return words, signs


async def scanned(shared: Ephemeral, folder: Path) -> Sums:
    """What other gateways know, for a verb that looks. Raises StoreError."""
    return of_others(await shared.scan(_PREFIX), key_of(folder))
