"""Nodes for tests, without a network: what each answers is set by the test, and what was sent to it can be looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pointsman.domain.node import NodeReport
from pointsman.domain.target import BackendState, ModelFacts, Target
from pointsman.pipeline.replicas.line import Around
from pointsman.pipeline.replicas.pool import Pool, PoolSettings
from pointsman.ports.backend import BackendFailure, Call, EngineLoad, Stream
from pointsman.ports.ephemeral import Ephemeral

TARGET = Target("m@nodes", "medium", "m", "nodes", "vllm")
LISTED = b'{"data":[{"id":"m"}]}'


class Reply:
    """A stream that ends when `over` is set."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        self.status = status
        self.headers: Sequence[tuple[str, str]] = ()
        self.closed = False
        self._body = body
        self.over = asyncio.Event()

    def header(self, name: str) -> str | None:
        return None

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._body
        await self.over.wait()
        if self.closed:
            raise BackendFailure("reset", "closed early")

    async def pour(self, sink: Callable[[bytes], bool], room: Callable[[], Awaitable[None]]) -> None:
        async for chunk in self.chunks():
            sink(chunk)

    async def read(self, limit: int = 1 << 20) -> bytes:
        return self._body

    def close(self) -> None:
        self.closed = True
        self.over.set()


class Engine:
    """One node's. `state` is what probes find; `fails` what calls raise, `status` what they answer."""

    def __init__(self, report: NodeReport, slots: int | None = 2) -> None:
        self.report = report
        self.state = BackendState(TARGET.name, "up", ModelFacts(context_length=1000, slots=slots))
        self.there = True
        self.fails: str | None = None
        self.status = 200
        self.listed = LISTED
        self.told: EngineLoad | None = None
        self.calls: list[Call] = []
        self.replies: list[Reply] = []
        self.closed = False

    @property
    def target(self) -> Target:
        return TARGET

    @property
    def first_byte(self) -> float:
        return 60.0

    @property
    def whole(self) -> bool:
        return False

    @property
    def upstream(self) -> Mapping[str, int]:
        return {"requests": len(self.calls)}

    async def open(self, call: Call) -> Stream:
        if call.path == "/models":
            return Reply(self.listed)
        self.calls.append(call)
        if self.fails is not None:
            raise BackendFailure(self.fails, "out of order")
        self.replies.append(Reply(b"{}", self.status))
        return self.replies[-1]

    async def probe(self) -> BackendState:
        return self.state

    async def reachable(self, seconds: float) -> bool:
        return self.there

    async def load(self) -> EngineLoad | None:
        return self.told

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        return len(messages)

    async def close(self) -> None:
        self.closed = True


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class House:
    """A pool over scripted nodes."""

    def __init__(
        self,
        *names: str,
        slots: int | None = 2,
        shared: Ephemeral | None = None,
        me: str = "me",
        around: Callable[[], Around] | None = None,
        limit: int | None = None,
        slow_start: float = 0.0,
    ) -> None:
        self.clock = Clock()
        self.engines: dict[str, Engine] = {}
        self.slots = slots
        self.changes = 0
        self.seed = 0
        self.pool = Pool(
            TARGET,
            self._make,
            self.clock,
            PoolSettings(limit, slow_start=slow_start),
            me,
            shared,
            around or Around,
            self._changed,
            self._draw,
        )
        self.pool.install([report(name) for name in names])

    def _make(self, report: NodeReport) -> Engine:
        if report.engine not in (None, "vllm"):
            raise ValueError(f"{report.name} runs {report.engine}")
        self.engines[report.name] = Engine(report, self.slots)
        return self.engines[report.name]

    def _changed(self) -> None:
        self.changes += 1

    def _draw(self) -> int:
        self.seed += 1
        return self.seed

    async def look(self, *names: str) -> None:
        """These, or all, are probed now."""
        for name in names or tuple(self.pool.members):
            member = self.pool.members[name]
            await member.look()
            if member.due:
                await member.try_again()
        self.pool._tell()

    def set_health(self, name: str, health: Any, problem: str | None = None) -> None:
        engine = self.engines[name]
        engine.state = replace(engine.state, health=health, problem=problem)


def report(name: str, **more: Any) -> NodeReport:
    return NodeReport(name, f"http://{name}/v1", more.pop("incarnation", "i"), **more)
