"""The decision on one request, and the same made again with what was learnt since: what arbiters heard, an engine's own
count, the targets as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from pointsman.admission.limits import is_near
from pointsman.apart import apart
from pointsman.domain.decision import Decision
from pointsman.domain.intent import Hearing
from pointsman.domain.meaning import Meaning
from pointsman.domain.request import Request
from pointsman.domain.said import Said
from pointsman.domain.target import Load, Snapshot
from pointsman.domain.wording import Tongue
from pointsman.pipeline.decide import decide, only
from pointsman.pipeline.ends import Exchange
from pointsman.pipeline.hearing import LONG, Hearings
from pointsman.pipeline.meanings import Meanings
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.sessions import Sessions, goes_on, session_of
from pointsman.pipeline.settled import Settled, key_of
from pointsman.ports.backend import Backend, BackendFailure
from pointsman.ports.clock import Clock

COUNT_TIMEOUT = 2.0  # seconds for an engine to count tokens
RULES_BUDGET = 0.05
"""Seconds that the rules may take of a request; then it goes on as if none had taken it, and says so."""
Loads = Callable[[Iterable[str]], Mapping[str, Load]]
_TONGUES: tuple[Tongue, Tongue] = ("en", "zh")


class Deciding:
    """Of one request, by one policy. `snapshot` is what it is decided by, `exact` an engine's count of the prompt, `took`
    how many milliseconds it was until it was decided the last time. `loads` tells what targets have to do now, where they
    are scored; `session` is the name of its conversation then, None where it has none that could be known. `settled` are
    answers of the same policy that are kept."""

    def __init__(
        self,
        request: Request,
        policy: Policy,
        snapshot: Snapshot,
        clock: Clock,
        loads: Loads | None = None,
        sessions: Sessions | None = None,
        settled: Settled | None = None,
    ) -> None:
        self.request = request
        self.snapshot = snapshot
        self.exact: int | None = None
        self.took: float | None = None
        self.ruled: float | None = None
        """The same of its first decision, where there was another."""
        self.known: Decision | None = None
        """As far as it is decided."""
        self._policy = policy
        self._settled = settled
        self._clock = clock
        self._began = clock.monotonic()
        self._hearing: Hearing | None = None
        self._meaning: Meaning | None = None
        scored = policy.is_scored(request)
        self._ask_loads = loads if scored else None
        self._loads: Mapping[str, Load] = {}
        self._sessions = sessions
        self.session = session_of(request) if scored and sessions is not None else None
        self._last: str | None = None
        if self.session is not None and sessions is not None and goes_on(request):
            self._last = sessions.last(self.session)

    @property
    def decision(self) -> Decision:
        assert self.known is not None
        return self.known

    def now(self) -> Decision:
        """Decides. Raises PointsmanError."""
        key = key_of(self.request) if self.known is None and self._settled is not None else None
        if key is None or self._settled is None:
            self._look()
            return self.keep(self._decide())
        decision = self._settled.get(key, self.snapshot)
        if decision is None:
            self._look()
            decision = self._decide()
            self._settled.keep(key, decision, self.snapshot)
        return self.keep(decision)

    async def apart(self) -> Decision:
        """The same in a thread."""
        self._look()
        return self.keep(await apart(self._decide))

    def keep(self, decision: Decision) -> Decision:
        """It is this one."""
        if self.known is not None and self.ruled is None:
            self.ruled = self.took
        self.known = decision
        self._hearing, self._meaning = decision.hearing, decision.meaning
        self.took = (self._clock.monotonic() - self._began) * 1000
        return decision

    async def heard_out(self, hearings: Hearings, meanings: Meanings) -> Decision:
        """Once arbiters and the embedding model were asked what it wants to know: each of them once, at most."""
        while (wants := self.decision.wants) is not None:
            if wants == "meaning":
                self._meaning = await meanings.ask(self.request, self._policy)
            else:
                self._hearing = await hearings.ask(self.request, self._policy, self.decision, self._hearing)
            await self.apart() if self._is_long else self.now()
        return self.decision

    async def remembered(self) -> Decision:
        """Once the store was asked for the session's target, where this process does not know it and it could matter."""
        decision = self.decision
        if self._sessions is None or self.session is None or self._last is not None:
            return decision
        if decision.stage != "model" or len(decision.targets) < 2 or not goes_on(self.request):
            return decision
        self._last = await self._sessions.recall(self.session)
        if all(choice.target != self._last for choice in decision.targets):
            return decision
        return await self.apart() if self._is_long else self.now()

    async def counted(self, target: str, exchange: Exchange, backends: Mapping[str, Backend]) -> Decision:
        """With the count of that target's own engine; as it was, where none is to be had in time."""
        prompt = exchange.prompt_for(self._policy.targets[target])
        if prompt is None:
            return self.decision
        try:
            async with asyncio.timeout(COUNT_TIMEOUT):
                self.exact = await backends[target].count_tokens(prompt)
        except (BackendFailure, TimeoutError):
            return self.decision
        return self.decision if self.exact is None else await self.apart()

    async def anew(self, snapshot: Snapshot) -> Decision:
        """By the targets as they are now; the one before stays where no target can be had."""
        self.snapshot = snapshot
        self._look()
        decision = await apart(self._decide)
        if decision.stage == "model" and not decision.error:
            self.known = decision
        return self.decision

    def reasons(self) -> Said:
        """Why, in each language."""
        return Said(*(self._decide(tongue).reason for tongue in _TONGUES))

    @property
    def _is_long(self) -> bool:
        """Whether it has so much text that the event loop must not wait for it."""
        features = self.decision.features
        return features is not None and features.characters > LONG

    def near_limit(self) -> str | None:
        """A target whose limit is so near to the estimate that only its engine can tell. Engines count text only, so prompts
        with tools or images stay with the estimate."""
        decision = self.decision
        features = decision.features
        if features is None or features.tools or features.images:
            return None
        if decision.stage == "model" or decision.rule == "guard.length":
            for choice in (*decision.targets, *decision.left_out):
                if is_near(features.input_tokens, self.snapshot.state(choice.target).facts.context_length):
                    return choice.target
        return None

    def _look(self) -> None:
        """What targets have to do now is what it is decided by from here on."""
        if self._ask_loads is not None:
            self._loads = self._ask_loads(self._policy.targets)

    def _decide(self, tongue: Tongue | None = None) -> Decision:
        """The first time rules have a budget of time; again, they look as far as they did then."""
        return decide(
            self.request,
            self._policy,
            self.snapshot,
            seed=self._policy.seed_of(self.request),
            exact_tokens=self.exact,
            tongue=tongue,
            spent=self._budget() if self.known is None else only(self.known.rules_cut),
            hearing=self._hearing,
            loads=self._loads,
            last=self._last,
            meaning=self._meaning,
        )

    def _budget(self) -> Callable[[int], bool]:
        now = self._clock.monotonic
        end = now() + RULES_BUDGET
        return lambda looked: now() > end
