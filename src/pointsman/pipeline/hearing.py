"""Asking arbiters: within their time, so many at once, and never so that a request fails for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from pointsman.arbiter.enhanced import context_of
from pointsman.domain.decision import Decision
from pointsman.domain.intent import Failure, Filled, Heard, Hearing, Query
from pointsman.domain.request import Request
from pointsman.domain.said import Said
from pointsman.domain.wording import Tongue, tongue_of
from pointsman.features.extract import extract
from pointsman.pipeline.arbitration import Matter, to_fill
from pointsman.pipeline.asked import ask
from pointsman.pipeline.drift import Window
from pointsman.pipeline.intent_rules import EMBEDDED
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.report_decision import today_of
from pointsman.pipeline.standing import retold
from pointsman.ports.arbiter import Arbiter, Filler

log = logging.getLogger("pointsman")
LONG = 20_000
"""Characters; what has more is decided on in a thread."""
WAITING = 16
"""For each that is heard so many may wait, within their time."""
T = TypeVar("T", Heard, Filled)


class Ears(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked, as the config has it: arbiters by the names that entries have for them, a second one, and who reads
    parameters. At most `concurrency` queries at a time, and others that wait; `timeout` in seconds for each, waiting
    included. `window`: of how many confidences a mean is taken; `drop`: how far that may sink before it is said."""

    arbiters: Mapping[str, Arbiter] = {}
    second: Arbiter | None = None
    filler: Filler | None = None
    timeout: float = 2.0
    concurrency: int = 4
    window: int = 20
    drop: float = 0.1


class Hearings:
    """What outlives a request: how many queries are under way, and the last confidences of each arbiter. `sunk` is told an
    arbiter whose confidence has."""

    def __init__(self, ears: Ears | None = None, sunk: Callable[[str], None] | None = None) -> None:
        self.install(ears or Ears())
        self._windows: dict[str, Window] = {}
        self.sunk = sunk

    def install(self, ears: Ears) -> None:
        """From here on these are asked; queries under way go on with those before."""
        self._ears, self._room = ears, _Room(ears.concurrency)

    async def ask(self, request: Request, policy: Policy, decision: Decision, before: Hearing | None) -> Hearing:
        """What the decision `wants`, beside what was heard `before`."""
        query, matter = query_of(request, policy)
        arbiter = policy.entries[request.model].arbiter
        first = decision.wants == "hearing" or before is None
        if not first or arbiter != EMBEDDED:
            query = with_context(query, request, policy)
        if first or before is None:
            return await self._first(arbiter, query)
        if decision.wants == "second":
            second = self._ears.second
            heard = _deaf("second", "unavailable") if second is None else await self._heard(second, query)
            return msgspec.structs.replace(before, second=heard)
        about, schema = to_fill(matter, policy, decision.intent or "")
        return msgspec.structs.replace(before, filled=await self._filled(query, about, schema))

    async def _first(self, name: str, query: Query) -> Hearing:
        arbiter = self._ears.arbiters.get(name)
        if arbiter is None:
            return Hearing(first=_deaf(name, "unavailable"))
        heard = await self._heard(arbiter, query)
        window = self._windows.get(name)
        if window is None or window.size != self._ears.window:
            window = self._windows[name] = Window(self._ears.window)
        mean = window.mean
        inside = bool(heard.scores) and heard.intent == heard.scores[0][0]
        if heard.failure is None and inside and window.put(heard.confidence, self._ears.drop):
            en = "%s is less sure than usual: %.2f on the mean of its last %d queries"
            zh = "%s 的把握低于往常：%.2f（最近 %d 次的平均）"
            log.warning(Said(en, zh), name, window.mean, window.size)
            if self.sunk is not None:
                self.sunk(name)
        return Hearing(first=heard, window=mean)

    async def _heard(self, arbiter: Arbiter, query: Query) -> Heard:
        return await self._within(lambda: arbiter.hear(query), lambda failure: _deaf(arbiter.name, failure))

    async def _filled(self, query: Query, about: str, schema: dict[str, Any]) -> Filled:
        filler = self._ears.filler
        if filler is None:
            return Filled(model="", failure="unavailable")
        return await self._within(
            lambda: filler.fill(query, about, schema), lambda failure: Filled(model="", failure=failure)
        )

    async def _within(self, work: Callable[[], Any], failed: Callable[[Failure], T]) -> T:
        room, ears = self._room, self._ears
        if room.inside >= ears.concurrency * (1 + WAITING):
            return failed("shed")
        room.inside += 1
        try:
            async with asyncio.timeout(ears.timeout), room.places:
                done: T = await work()
                return done
        except TimeoutError:
            return failed("timeout")
        finally:
            room.inside -= 1


class _Room:
    """`inside` are those that are heard, and those that wait for it."""

    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.inside = 0


def with_context(query: Query, request: Request, policy: Policy) -> Query:
    """The query with what a language model should know besides."""
    features = extract(request, None, query.text)
    context = context_of(request, features, query.text, today_of(request, policy))
    return msgspec.structs.replace(query, context=context)


def query_of(request: Request, policy: Policy) -> tuple[Query, Matter]:
    """What an arbiter is to hear of a request."""
    asked = ask(request, policy)
    tongue: Tongue = tongue_of(extract(request, None, asked.question).language, policy.document.language)
    _, standing, asked, tongue = retold(request, policy, policy.entries.get(request.model), asked, tongue)
    text = asked.question or ""
    return Query(text=text, tongue=tongue), Matter(request, text, tongue, "low", standing)


def _deaf(arbiter: str, failure: Failure) -> Heard:
    return Heard(arbiter=arbiter, model="", failure=failure)
