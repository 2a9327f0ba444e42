"""Asking the embedding model what a request's text means: within its time, a few at once, and never so that a request
fails for it."""

from __future__ import annotations

import asyncio
from functools import partial

from pointsman.apart import apart
from pointsman.domain.intent import Failure
from pointsman.domain.meaning import Meaning, coordinates
from pointsman.domain.request import Request
from pointsman.features.conversation import matter
from pointsman.pipeline.hearing import LONG, query_of
from pointsman.pipeline.policy import Policy
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Embed, Vector
from pointsman.routing.classifier.meaning import TOKENS, read

MOST = 8
"""Texts that the model has not done yet, those that nobody waits for any more among them; who comes then goes without."""
_AGAIN = 5.0
"""Seconds in which a model that broke off is not asked."""


class Meanings:
    """What outlives a request. `embed` does one text after the other, also those that were given up: `MOST` is what keeps
    them from piling up."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[list[Vector]]] = set()
        self._silent_until = 0.0
        self.install(None, 1.0)

    def install(self, embed: Embed | None, timeout: float) -> None:
        """From here on this one is asked, `timeout` seconds at most; None: there is none."""
        self._embed, self._timeout = embed, timeout
        self._silent_until = 0.0

    async def ask(self, request: Request, policy: Policy) -> Meaning:
        """By the embedding model that the policy's classifier names."""
        rule = policy.document.classifier
        embedder = rule.embedder or "" if rule is not None else ""
        loop = asyncio.get_running_loop()
        began = loop.time()
        embed = self._embed
        if embed is None or embed.model is None or began < self._silent_until:
            return Meaning(embedder=embedder, failure="unavailable")
        if embed.model != embedder:
            return Meaning(embedder=embedder, failure="invalid")
        if len(self._under_way) >= MOST:
            return Meaning(embedder=embedder, failure="shed")
        text = partial(_text_of, request, policy)
        found = await self._within(embed, await apart(text) if _is_long(request) else text(), began)
        took = round((loop.time() - began) * 1000, 3)
        if isinstance(found, bytes):
            return Meaning(embedder=embedder, vector=found, took_ms=took)
        return Meaning(embedder=embedder, failure=found, took_ms=took)

    async def _within(self, embed: Embed, text: str, began: float) -> bytes | Failure:
        task = asyncio.create_task(embed([text], query=True, tokens=TOKENS))
        self._under_way.add(task)
        task.add_done_callback(self._over)
        loop = asyncio.get_running_loop()
        await asyncio.wait({task}, timeout=max(began + self._timeout - loop.time(), 0.0))
        if not task.done():
            return "timeout"
        if task.cancelled() or task.exception() is not None:
            return "unavailable"
        return coordinates(task.result()[0])

    def _over(self, task: asyncio.Task[list[Vector]]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and isinstance(task.exception(), ActionFailed):
            self._silent_until = asyncio.get_running_loop().time() + _AGAIN


def _is_long(request: Request) -> bool:
    return sum(len(turn.text) for turn in request.turns) > LONG


def _text_of(request: Request, policy: Policy) -> str:
    return read(matter(request, query_of(request, policy)[0].text))
