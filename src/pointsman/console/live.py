"""Requests as they end, to whoever looks at the console. While nobody does, it costs a request one comparison."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from pointsman.console.kinds import Kind, kind_of
from pointsman.console.visit import Outlet
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.said import Tongue
from pointsman.domain.target import Snapshot

log = logging.getLogger("pointsman")

BEAT = 0.25  # seconds between two batches: at most four a second
MOST = 30  # requests of a batch; of more that ended meanwhile, the newest are shown and the rest is counted
_FIGURES = 2.0  # seconds between two looks at the figures
_RECENT = 60  # of the last that ended are remembered while somebody looks
_BACK = 120.0  # seconds for which a request may have been under way that others served
_QUIET = 15.0  # seconds after which a stream says that it is still there
_LONGEST = 900.0  # seconds of a stream: the browser comes back, and by then its key may be gone
_BEHIND = 4  # batches that a slow browser may be behind before it misses some

Subject = tuple[Tongue, str]
"""In which language somebody looks, and at what stretch of time; "" where no figures are wanted."""
Figures = Callable[[Subject], Awaitable[bytes]]
"""What the page shows of the whole gateway now, as a piece of HTML."""


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """A request as the list shows it. `at` is when it came, in milliseconds since the epoch; `by` is the rule or the target;
    `took` in milliseconds."""

    id: str
    at: int
    kind: Kind
    endpoint: str
    model: str
    by: str
    why: str
    outcome: str
    took: float | None


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """`more` ended as well, and are not among `seen`."""

    seen: Sequence[Seen]
    more: int


def seen_of(record: Record, *, quotes: bool = True) -> Seen:
    """Without `quotes`, nothing that may quote a prompt."""
    decision = record.decision
    return Seen(
        id=record.request.id,
        at=int(record.received * 1000),
        kind=kind_of(None if decision is None else decision.stage, record.outcome),
        endpoint=record.request.endpoint,
        model=record.request.model[:80] if quotes else "",
        by=(decision.rule if decision is not None and decision.rule else record.target) or "",
        why=(str(decision.reason) if decision is not None and quotes else record.error or "")[:200],
        outcome=record.outcome,
        took=record.timings.total,
    )


class Live:
    """A recorder. `others`, where other processes serve, too, gives what ended anywhere since a moment (seconds since the
    epoch), newest first; what this process records is not looked at then. Without
    `quotes`, where prompts are not kept, nothing is told that may quote one."""

    def __init__(
        self, others: Callable[[float], Awaitable[Sequence[Seen]]] | None = None, *, quotes: bool = True
    ) -> None:
        self._others = others
        self._quotes = quotes
        self._new: deque[Record] = deque(maxlen=MOST)
        self._recent: deque[Record] = deque(maxlen=_RECENT)
        self._many = 0
        self._told: set[str] | None = None
        self._watching: dict[asyncio.Queue[bytes], Subject] = {}
        self._beating: asyncio.Task[None] | None = None

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        if self._watching:
            self._many += 1
            self._new.append(record)
            self._recent.append(record)

    def ended(self, request_id: str) -> Record | None:
        """One of the last that somebody saw end: the log may not have it yet."""
        return next((record for record in self._recent if record.request.id == request_id), None)

    @property
    def watching(self) -> int:
        return len(self._watching)

    async def stream(self, outlet: Outlet, subject: Subject, figures: Figures) -> None:
        """Writes until the browser or the gateway goes. All who look are told by one task."""
        mine: asyncio.Queue[bytes] = asyncio.Queue(_BEHIND)
        self._watching[mine] = subject
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(figures))
        last = time.monotonic()
        over = last + _LONGEST
        try:
            outlet.write(b"retry: 2000\n: here\n\n")
            while not outlet.leaving and time.monotonic() < over:
                data = b""
                try:
                    async with asyncio.timeout(1.0):
                        data = await mine.get()
                except TimeoutError:
                    if time.monotonic() - last >= _QUIET:
                        data = b": still here\n\n"
                if data:
                    last = time.monotonic()
                    if not outlet.write(data):
                        await outlet.room()
        finally:
            del self._watching[mine]
            if not self._watching:
                self._beating.cancel()
                self._beating = None
                self._new.clear()
                self._many = 0
                self._told = None

    async def _beat(self, figures: Figures) -> None:
        due = 0.0
        while True:
            try:
                due = await self._tell_all(figures, due)
            except Exception as error:  # its text may quote a prompt; whoever looks is told the next time
                where = "".join(traceback.format_tb(error.__traceback__))
                log.error("the console's live page failed: %s\n%s", type(error).__name__, where)
                await asyncio.sleep(_FIGURES)
            await asyncio.sleep(BEAT if self._others is None else 4 * BEAT)

    async def _tell_all(self, figures: Figures, due: float) -> float:
        """One beat. `due` is when the figures are to be looked at, now and the next time."""
        if time.monotonic() >= due:
            due = time.monotonic() + _FIGURES
            for subject in {each for each in self._watching.values() if each[1]}:
                self._tell(event(b"figures", await figures(subject)), subject)
        batch = self._batch() if self._others is None else self._fresh(await self._others(time.time() - _BACK))
        if batch.seen:
            self._tell(event(b"seen", msgspec.json.encode(batch)))
        return due

    def _fresh(self, seen: Sequence[Seen]) -> Batch:
        """Those among them that nobody was told of; the first time, all are known."""
        fresh = [] if self._told is None else [each for each in seen if each.id not in self._told]
        self._told = {each.id for each in seen}
        return Batch(fresh[:MOST], max(len(fresh) - MOST, 0))

    def _batch(self) -> Batch:
        seen = [seen_of(record, quotes=self._quotes) for record in reversed(self._new)]
        batch = Batch(seen, self._many - len(seen))
        self._new.clear()
        self._many = 0
        return batch

    def _tell(self, data: bytes, subject: Subject | None = None) -> None:
        for queue, theirs in self._watching.items():
            if (subject is None or theirs == subject) and not queue.full():
                queue.put_nowait(data)


def event(name: bytes, data: bytes) -> bytes:
    """A server-sent event; each line of the data is one of its lines."""
    lines = b"".join(b"data: %b\n" % line for line in data.splitlines())
    return b"event: %b\n%b\n" % (name, lines)
