"""What outlives a request, and how one begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pointsman.domain.request import Request
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.domain.wording import Tongue
from pointsman.execution.attempts import Unwatched, Watch
from pointsman.pipeline.decide import decide
from pointsman.pipeline.delivery.ordering import Deliver
from pointsman.pipeline.ends import no_reply
from pointsman.pipeline.gate import Gate
from pointsman.pipeline.handle import Run
from pointsman.pipeline.hearing import Hearings
from pointsman.pipeline.meanings import Meanings
from pointsman.pipeline.open_questions import OpenQuestions
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.quotas import Quotas
from pointsman.pipeline.reply_cache import ReplyCache
from pointsman.pipeline.request_passage import RequestPassage
from pointsman.pipeline.sessions import Sessions
from pointsman.pipeline.settled import Settled
from pointsman.ports.action import Action
from pointsman.ports.backend import Backend, Call
from pointsman.ports.clock import Clock
from pointsman.ports.recorder import Recorder

_TONGUES: tuple[Tongue, Tongue] = ("en", "zh")


class Pipeline:
    """Holds what outlives a request. `policy` and `backends` are swapped as one by `install`. `deliver`, once it is set,
    sends on what rules want sent on."""

    def __init__(
        self, snapshot: Callable[[], Snapshot], recorder: Recorder, clock: Clock, actions: Mapping[str, Action]
    ) -> None:
        self.snapshot = snapshot
        self.recorder = recorder
        self.clock = clock
        self.actions = actions
        self.questions = OpenQuestions()
        self.hearings = Hearings()
        self.meanings = Meanings()
        self.watch: Watch = Unwatched()
        self.gate = Gate(clock, snapshot)
        self.quotas = Quotas(clock)
        self.sessions = Sessions(clock)
        self.deliver: Deliver | None = None
        self.trace: Callable[[Call, Request, int], Call] | None = None
        """Puts the attempt with that number, from 0, into its trace; None: what the client sent goes on as it is."""
        self.policy: Policy
        self.settled: Settled
        self.backends: Mapping[str, Backend] = {}
        self.caches: Mapping[str, ReplyCache] = {}
        self.under_way: dict[str, Run] = {}

    def install(
        self, policy: Policy, backends: Mapping[str, Backend], caches: Mapping[str, ReplyCache] | None = None
    ) -> None:
        """From here on new requests are decided by `policy`; those under way keep theirs. `caches` are by the names of
        the entries that keep replies."""
        self.policy = policy
        self.settled = Settled(policy)
        self.backends = backends
        self.caches = caches or {}

    def check(self, request: Request) -> None:
        """Whether there is any sense in keeping it for later. Raises PointsmanError where the client named nothing that
        exists, or the config has nothing that could serve it, up or down."""
        snapshot = self.snapshot()
        decision = decide(request, self.policy, snapshot)
        if decision.error and decision.wants is None:
            why = Said(*(decide(request, self.policy, snapshot, tongue=tongue).reason for tongue in _TONGUES))
            raise no_reply(decision, why)

    def begin(self, request: Request) -> Run:
        """Decides. What is to be done then is `Run.text`, or else `Run.carry_out`; one of them must be used. Raises
        PointsmanError where the client named nothing that exists."""
        run = self._run(request, None)
        run.decide()
        return run

    async def begin_apart(self, request: Request, passage: RequestPassage | None = None) -> Run:
        """The same for a request with so much text that the event loop must not wait for it, or one that is a job: decided
        in a thread."""
        run = self._run(request, passage)
        await run.decide_apart()
        return run

    def _run(self, request: Request, passage: RequestPassage | None) -> Run:
        return Run(self, request, passage)
