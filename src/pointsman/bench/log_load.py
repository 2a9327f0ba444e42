"""`python -m pointsman.bench.log_load SUBJECT KIND CHARACTERS SECONDS`: what a request log takes, in a process of its own.

KIND `soon`: requests that are over before the journal looks at them. `noted`: each is under way for 0.55 s, so that it is
noted and then recorded. `mixed`: every second one is. So many end each second (`RATE`), each with a prompt of its own of so
many characters. SUBJECT is `pointsman` (log and journal, prompts sealed), or one of `log_peers`, which note nothing.
Prints JSON: `cpu_us` is the processor time a request of all threads, with the last write and the close, less that of the
same loop with nothing to write to."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from pointsman.bench.log_peers import Lines, Put, Rows
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.features import Features
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.handle import DIED, Progress
from pointsman.pipeline.journalling import keep_journal
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.clock import SystemClock
from pointsman.store import log_filing as _loaded  # noqa: F401  # as it is in a gateway that has served for a while
from pointsman.store.log_writer import LogWriter

RATE = 2500
_SOON, _NOTED = (0.0, 0.0), (0.2, 0.55)
_KINDS = {"soon": (_SOON,), "noted": (_NOTED,), "mixed": (_SOON, _NOTED)}
"""Seconds from a request's begin until a target replies, and until the reply has ended; requests take turns."""
_TICK = 0.004  # seconds between two turns of the loop
_KEEP = 30 * 86_400.0
_POOL = 400_000  # characters that prompts are cut from
POLICY = PolicyDocument("bench", (), {}, (), (), (), (), None, 2)
_HASH = POLICY.hash
SNAPSHOT = Snapshot()
_TARGETS = (TargetChoice("big@big", "route code"), TargetChoice("spare@spare", "fallback"))


class _Log(Protocol):
    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None: ...

    def close(self) -> None: ...


_SUBJECTS: dict[str, Callable[[Path], _Log]] = {
    "pointsman": lambda folder: LogWriter(folder, "sealed", _KEEP),
    "lines": Lines,
    "rows": Rows,
}


class _Run:
    """As much of a `Run` as the journal looks at."""

    def __init__(self, request: Request, began: float) -> None:
        self.request = request
        self.began = began
        self.is_job = False
        self.noted: Progress | None = None
        self.attempts: tuple[Attempt, ...] = ()
        self.target: str | None = None
        self.decision = decided(request)

    @property
    def progress(self) -> Progress:
        return self.decision, len(self.attempts), self.target

    @property
    def decided_by(self) -> tuple[PolicyDocument, Snapshot]:
        return POLICY, SNAPSHOT

    def open(self) -> None:
        self.attempts = (Attempt("big@big", 0.3, 512.5, 200),)
        self.target = "big@big"

    def cut_off(self) -> Record:
        return self._record("failed", 502, DIED, Timings(0.3, 512.5))

    def ended(self) -> Record:
        return self._record("ok", 200, None, Timings(0.3, 512.5, 1600.25), 489, 30)

    def _record(self, outcome: Any, status: int, error: str | None, times: Timings, *tokens: int) -> Record:
        used, made = tokens or (None, None)
        return Record(
            self.request, self.request.now, outcome, self.decision, status=status, error=error, target=self.target,
            attempts=self.attempts, timings=times, input_tokens=used, output_tokens=made,
        )  # fmt: skip


class _Pipeline:
    """As much of it as the journal looks at."""

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.under_way: dict[str, _Run] = {}


def decided(request: Request) -> Decision:
    """As a policy would have that sends it to a model."""
    characters = len(request.turns[-1].text)
    tokens = characters // 3
    return Decision(
        stage="model",
        reason="no rule took it; route code leads to model-heavy",
        targets=_TARGETS,
        max_retries=2,
        policy=_HASH,
        snapshot="bench",
        features=Features(
            tokens + 20, tokens, characters, "en", 1, False, False, False, 0, False, False, "chat", "inferred"
        ),
    )


def requests_of(count: int, characters: int) -> list[Request]:
    """Words of two scripts, a quarter of them Chinese, of which no two prompts have many in common."""
    chance = random.Random(count)  # noqa: S311
    words: list[str] = []
    size = 0
    while size < _POOL:
        if chance.random() < 0.25:
            words.append("".join(chr(0x4E00 + chance.randrange(3000)) for _ in range(chance.randint(4, 12))))
        else:
            words.append("".join(chance.choices("etaoinshrdlucmfwygpbvk", k=chance.randint(2, 9))))
        size += len(words[-1]) + 1
    pool = " ".join(words)
    system = Turn("system", "You are a careful assistant who answers in the language of the question.")

    def prompt() -> str:
        start = chance.randrange(_POOL - characters)
        return pool[start : start + characters]

    return [
        Request(
            f"req_{chance.getrandbits(128):032x}", "chat", "auto", (system, Turn("user", prompt())), stream=True,
            now=time.time(), caller="bench",
        )
        for _ in range(count)
    ]  # fmt: skip


class _Lane:
    """Requests of one kind, which begin, are replied to, and end in the same order."""

    def __init__(self, opens: float, lasts: float) -> None:
        self.opens, self.lasts = opens, lasts
        self.waiting: deque[_Run] = deque()
        self.replying: deque[_Run] = deque()

    def ended(self, now: float) -> Iterator[_Run]:
        waiting, replying = self.waiting, self.replying
        while waiting and waiting[0].began <= now - self.opens:
            run = waiting.popleft()
            run.open()
            replying.append(run)
        while replying and replying[0].began <= now - self.lasts:
            yield replying.popleft()


async def _drive(kind: str, requests: list[Request], put: Put, journal: LogWriter | None) -> None:
    """All of them begin, get further and end when they are due."""
    pipeline = _Pipeline()
    keeping = journal and asyncio.create_task(keep_journal(cast(Pipeline, pipeline), journal))
    clock, under_way = pipeline.clock, pipeline.under_way
    lanes: Sequence[_Lane] = [_Lane(*times) for times in _KINDS[kind]]
    begun = 0
    start = clock.monotonic()
    while requests or under_way:
        now = clock.monotonic()
        for _ in range(min(len(requests), int((now - start) * RATE) - begun)):
            run = _Run(requests.pop(), now)
            under_way[run.request.id] = run
            lanes[begun % len(lanes)].waiting.append(run)
            begun += 1
        for lane in lanes:
            for run in lane.ended(now):
                del under_way[run.request.id]
                put(run.ended(), POLICY, SNAPSHOT)
        await asyncio.sleep(_TICK)
    if keeping:
        keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeping


def _without(kind: str, requests: list[Request]) -> float:
    """CPU seconds of the process."""
    _settle()
    began = time.process_time()
    asyncio.run(_drive(kind, requests, lambda *_: None, None))
    return time.process_time() - began


def _with(subject: str, kind: str, requests: list[Request]) -> float:
    """The same, with that log."""
    count = len(requests)
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as folder:
        log = _SUBJECTS[subject](Path(folder))
        time.sleep(0.3)  # its thread has begun
        _settle()
        began = time.process_time()
        asyncio.run(_drive(kind, requests, log.put, log if isinstance(log, LogWriter) else None))
        log.close()
        spent = time.process_time() - began
        assert not isinstance(log, LogWriter) or (log.written, log.dropped) == (count, 0)
        return spent


def _settle() -> None:
    """The garbage collector passes over what was there before, as the gateway's does."""
    gc.collect()
    gc.freeze()


def main(subject: str, kind: str, characters: int, seconds: float) -> None:
    count = max(1, round(RATE * seconds))
    before = _without(kind, requests_of(count, characters))
    spent = _with(subject, kind, requests_of(count, characters))
    after = _without(kind, requests_of(count, characters))
    sys.stdout.write(json.dumps({"cpu_us": (spent - (before + after) / 2) / count * 1e6}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
