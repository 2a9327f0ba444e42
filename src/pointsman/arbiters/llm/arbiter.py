"""The arbiter: a model of the config weighs the labels of a closed set, and says nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import re
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec

from pointsman.arbiter.calibration import confidence
from pointsman.arbiter.llm.cut import cut
from pointsman.arbiter.llm.prompt import VERSION, Asked, Prompts
from pointsman.arbiters.llm.engine import Engine, Weighed
from pointsman.arbiters.llm.engines import engine_of
from pointsman.arbiters.llm.exchange import Unheard
from pointsman.domain.intent import MOST_SCORES, OPEN_ENDED, Calibration, Failure, Heard, Intent, Query
from pointsman.domain.wording import Tongue
from pointsman.ports.backend import Backend

VOTES = 3
"""Orders of the labels where an engine gives no probabilities: each is one vote."""
_ODD = re.compile(r"[^A-Za-z0-9._/-]")
"""Not in the name of a file, which calibrations are kept in."""
_LEAST, _LEAST_PRIOR = 1e-6, 1e-4


class LlmArbiter:
    """`ports.Arbiter` over one backend. The intents' labels and `open_ended` are scored by the model's probabilities, summed
    over all ways to spell them; what it would say to an empty query is taken off, so that the order of the labels and their
    names do not decide. `orders`: the labels in so many orders, the mean of all counts. No text that the model makes leaves
    it, so nothing that a query says can bring about another answer than one of these labels.

    Bounds from outside: `bound`, a semaphore, counts one query; `timeout` in seconds for one query, waiting included.
    `calibration` holds where it was fitted on this `model`."""

    def __init__(
        self,
        name: str,
        backend: Backend,
        intents: Sequence[Intent],
        *,
        outside: Sequence[str] = (),
        orders: int = 1,
        calibration: Calibration | None = None,
        timeout: float | None = None,
        bound: asyncio.Semaphore | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._name = name
        self._backend = backend
        self._engine: Engine = engine_of(backend)
        self._prompts = Prompts(intents, outside)
        self._orders = max(1, orders)
        self._timeout = timeout
        self._bound = bound
        self._clock = clock
        made_of = [VERSION, backend.target.model, list(intents), list(outside), self._orders]
        self._model = f"{_ODD.sub('_', backend.target.model)}-{_digest(made_of)}"
        self._calibration = Calibration()
        if calibration is not None and calibration.model == self._model:
            self._calibration = calibration
        self._priors: dict[tuple[Tongue, int, int], Mapping[str, float]] = {}
        self._asking: dict[tuple[Tongue, int, int], asyncio.Task[Mapping[str, float]]] = {}
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def model(self) -> str:
        """What a calibration is fitted on: the model, the intents, and how they are asked about."""
        return self._model

    async def ready(self) -> bool:
        return not self._closed and (await self._backend.probe()).health == "up"

    async def aclose(self) -> None:
        self._closed = True
        for task in [*self._running, *self._asking.values()]:
            task.cancel()

    async def hear(self, query: Query) -> Heard:
        began = self._clock()
        text, was_cut = cut(query.text)
        try:
            weighed = await self._inside(self._shares(text, query.tongue, query.context))
            failure: Failure | None = None
        except Unheard as unheard:
            weighed, failure = Weighed({}), unheard.failure
        except TimeoutError:
            weighed, failure = Weighed({}), "timeout"
        heard = Heard(
            arbiter=self._name,
            model=self._told_model(),
            scores=self._scores(weighed.shares),
            outside=round(weighed.shares.get(OPEN_ENDED, 0.0), 6),
            failure=failure,
            cut=was_cut,
            took_ms=round((self._clock() - began) * 1000, 3),
            input_tokens=weighed.input_tokens or None,
            output_tokens=weighed.output_tokens or None,
        )
        intent, sure = confidence(heard, self._calibration)
        return msgspec.structs.replace(heard, intent=intent, confidence=sure)

    def _told_model(self) -> str:
        plain = self._calibration == Calibration()
        return self._model if plain else f"{self._model}/{_digest(self._calibration)}"

    def _scores(self, shares: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
        named = [(self._prompts.intent(label), round(share, 6)) for label, share in shares.items()]
        return tuple(sorted(named, key=lambda score: (-score[1], score[0]))[:MOST_SCORES])

    async def _inside(self, work: Coroutine[Any, Any, Weighed]) -> Weighed:
        """Within the bounds. Raises Unheard, TimeoutError; cancelling it cancels the work."""
        if self._closed:
            work.close()
            raise Unheard("unavailable")
        task = asyncio.create_task(self._bounded(work))
        self._running.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                raise
            raise Unheard("unavailable") from None
        finally:
            self._running.discard(task)

    async def _bounded(self, work: Coroutine[Any, Any, Weighed]) -> Weighed:
        try:
            async with asyncio.timeout(self._timeout), self._bound or contextlib.nullcontext():
                return await work
        finally:
            work.close()  # where it was not begun

    async def _shares(self, text: str, tongue: Tongue, context: Mapping[str, Any]) -> Weighed:
        """Once more where the engine turns out to give votes only. Raises Unheard."""
        weighs = self._engine.weighs
        weighed = await self._averaged(text, tongue, context)
        if weighs and not self._engine.weighs:
            weighed = await self._averaged(text, tongue, context)
        return weighed

    async def _averaged(self, text: str, tongue: Tongue, context: Mapping[str, Any]) -> Weighed:
        weighs = self._engine.weighs
        orders = self._orders if weighs else max(VOTES, self._orders)
        sums: dict[str, float] = {}
        read = written = 0
        for number in range(orders):
            asked = self._prompts.of(text, tongue, context, number, orders)
            prior: Mapping[str, float] = {}
            if weighs and asked.fixed and len(asked.labels) > 1:
                prior = await self._prior((tongue, number, orders), asked)
            weighed = await self._engine.weigh(asked.messages(), asked.labels)
            read, written = read + weighed.input_tokens, written + weighed.output_tokens
            for label, share in (without(weighed.shares, prior) if prior else weighed.shares).items():
                sums[label] = sums.get(label, 0.0) + share
            if weighs and not self._engine.weighs:
                break  # what was said so far is no probability
        total = sum(sums.values())
        if total <= 0.0:
            raise Unheard("invalid")
        return Weighed({label: sums.get(label, 0.0) / total for label in asked.labels}, read, written)

    async def _prior(self, key: tuple[Tongue, int, int], asked: Asked) -> Mapping[str, float]:
        """What the model says to nothing, asked once. A query that is given up meanwhile leaves it to the next: then the
        beginning of all prompts is in the engine's cache, too."""
        if (known := self._priors.get(key)) is not None:
            return known
        task = self._asking.get(key)
        if task is None:
            task = self._asking[key] = asyncio.create_task(self._ask_prior(key, asked))
            task.add_done_callback(lambda done: self._asked(key, done))
        return await asyncio.shield(task)

    async def _ask_prior(self, key: tuple[Tongue, int, int], asked: Asked) -> Mapping[str, float]:
        weighed = await self._engine.weigh(asked.messages(""), asked.labels)
        if self._engine.weighs:
            self._priors[key] = weighed.shares
        return weighed.shares

    def _asked(self, key: tuple[Tongue, int, int], task: asyncio.Task[Mapping[str, float]]) -> None:
        self._asking.pop(key, None)
        if not task.cancelled():
            task.exception()  # whoever waited has it


def without(shares: Mapping[str, float], prior: Mapping[str, float]) -> dict[str, float]:
    """Shares over a prior, together 1: contextual calibration."""
    odds = {
        label: math.log(max(share, _LEAST)) - math.log(max(prior.get(label, 0.0), _LEAST_PRIOR))
        for label, share in shares.items()
    }
    most = max(odds.values())
    weights = {label: math.exp(value - most) for label, value in odds.items()}
    total = sum(weights.values())
    return {label: weight / total for label, weight in weights.items()}


def _digest(data: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(data)).hexdigest()[:12]
