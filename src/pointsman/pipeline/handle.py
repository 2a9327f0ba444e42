"""One request, from decision to record. The whole flow is on this page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pointsman.admission.ticket import Place
from pointsman.apart import apart
from pointsman.domain.attempt import Outcome
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import CacheOutcome, Record, Timings
from pointsman.domain.request import Request
from pointsman.domain.said import Said, said
from pointsman.domain.target import Snapshot, Target
from pointsman.domain.wording import tongue_of
from pointsman.pipeline.acting import shown
from pointsman.pipeline.deciding import Deciding
from pointsman.pipeline.delivery.ordering import handed_on
from pointsman.pipeline.ends import CUT, Exchange, Sink, no_reply, stopped
from pointsman.pipeline.hearing import query_of
from pointsman.pipeline.keeping import Keeping, keeping_of
from pointsman.pipeline.model_reply import ModelReply
from pointsman.pipeline.quotas import Allowance
from pointsman.pipeline.reply_cache import Kept
from pointsman.pipeline.report_decision import resumed_report
from pointsman.pipeline.request_passage import RequestPassage
from pointsman.ports.action import Effect, Occasion, nobody
from pointsman.ports.backend import BackendFailure

if TYPE_CHECKING:
    from pointsman.pipeline.pipeline import Pipeline

DIED = "gateway_died"
"""The error of a request that its gateway did not live to end."""
Progress = tuple[Decision | None, int, str | None]
"""The decision, how many targets were tried, which one replies."""


class Run:
    """One request under way: what it began with, and what became of it. The record is put in any case, once. `cache` says
    whether a kept reply served it and `age` for how many seconds that had been kept; like `masked` they are final with the
    decision. `noted` is how far it had got when the journal took note of it."""

    def __init__(self, pipeline: Pipeline, request: Request, passage: RequestPassage | None = None) -> None:
        self._pipeline = pipeline
        self._passage = passage
        self._policy, self._backends = pipeline.policy, pipeline.backends
        self._began = pipeline.clock.monotonic()
        self._allowance: Allowance | None = None
        self._caches = pipeline.caches
        self.cache: CacheOutcome | None = None
        self.noted: Progress | None = None
        self.age: float | None = None
        self._outcome: Outcome = "cancelled"
        self._status, self._code = 499, "client_closed"
        with_question = pipeline.questions.recall(request)
        self.request = with_question if with_question is not request and self._answers(with_question) else request
        gate, sessions = pipeline.gate, pipeline.sessions
        self._reply = ModelReply(pipeline, self.request, self._began)
        self._deciding = Deciding(
            self.request, self._policy, pipeline.snapshot(), pipeline.clock, gate.loads, sessions, pipeline.settled
        )
        pipeline.under_way[request.id] = self

    def _answers(self, request: Request) -> bool:
        """Whether it answers the gateway's question before it."""
        return bool(resumed_report(request, self._policy)) or query_of(request, self._policy)[1].standing is not None

    def decide(self) -> None:
        """Raises PointsmanError; then the record is put."""
        try:
            self._allowance = self._pipeline.quotas.begin(self.request.caller)
            self._deciding.now()
        except BaseException as error:
            self._broke_off(error)
            self._record()
            raise

    async def decide_apart(self) -> None:
        """The same in a thread, and as a step of the job that it may be."""
        passage = self._passage
        try:
            self._allowance = self._pipeline.quotas.begin(self.request.caller)
            if passage is None:
                await self._deciding.apart()
            else:
                kept = await passage.begin_deciding(self._policy.hash)
                passage.admit(await self._deciding.apart() if kept is None else self._deciding.keep(kept))
                await passage.decided(await self._deciding.heard_out(self._pipeline.hearings, self._pipeline.meanings))
        except BaseException as error:
            self._broke_off(error)
            self._record()
            raise

    @property
    def began(self) -> float:
        """When, by the pipeline's clock."""
        return self._began

    @property
    def waited(self) -> float:
        """Seconds that it stood at the gate."""
        turn = self._reply.turn
        return turn.waited if turn is not None else 0.0

    @property
    def loaded(self) -> str | None:
        """The target whose model was loaded while it stood there."""
        turn = self._reply.turn
        return turn.loaded if turn is not None else None

    @property
    def allowance(self) -> Allowance | None:
        """What is left of its key's quota; None where nothing limits it."""
        return self._allowance

    @property
    def place(self) -> Place | None:
        """Where it stands at the gate; None where it does not wait there."""
        turn = self._reply.turn
        return turn.place if turn is not None else None

    @property
    def masked(self) -> dict[str, int] | None:
        """How many values of each kind the target did not see."""
        return self._reply.masked

    @property
    def is_job(self) -> bool:
        """Whether a job store knows of it, too."""
        return self._passage is not None

    @property
    def progress(self) -> Progress:
        """How far it got; another one than before where it went on."""
        return self._deciding.known, len(self._reply.attempts), self._replier

    @property
    def decided_by(self) -> tuple[PolicyDocument, Snapshot]:
        return self._policy.document, self._deciding.snapshot

    @property
    def decision(self) -> Decision:
        """Final when the sink begins, or at the end of `carry_out`."""
        return self._deciding.decision

    @property
    def shown(self) -> Decision:
        """The same as people may see it."""
        return shown(self.decision, self._policy.document.actions)

    def target(self, name: str) -> Target:
        """One of the policy that it was decided by."""
        return self._policy.targets[name]

    @property
    def text(self) -> str | None:
        """The reply, where the decision holds it: nothing is left to do then, and the record is put. None: `carry_out`."""
        decision = self.decision
        if decision.text is None or decision.rule == "guard.length":
            return None
        effect = self._effect_of(decision)
        self._record()
        return effect.text

    async def carry_out(self, exchange: Exchange, sink: Sink) -> str | None:
        """The text that a rule's action gives; None where a model answered, whose bytes went to `sink`. Cancelling it drops
        the engine's connection. Raises PointsmanError."""
        try:
            decision = self.decision
            if decision.wants is not None:
                decision = await self._deciding.heard_out(self._pipeline.hearings, self._pipeline.meanings)
            if self._passage is None and self._deciding.session is not None:
                decision = await self._deciding.remembered()
            if (prepare := exchange.apart) is not None:
                await apart(prepare, [self.target(choice.target) for choice in decision.targets])
            if (near := self._deciding.near_limit()) is not None:
                decision = await self._deciding.counted(near, exchange, self._backends)
            if decision.error:
                raise no_reply(decision, await apart(self._deciding.reasons))
            if decision.stage != "model":
                return (await self._act(decision, exchange)).text
            keeping = await self._keeping(decision, exchange) if self._caches else None
            if keeping is not None and keeping.kept is not None:
                await self._replay(keeping.kept, exchange, sink)
                return None
            reply = self._reply
            reply.queue(decision, self._deciding.snapshot, self._allowance)
            while True:
                opened = await reply.open(decision, exchange)
                try:
                    error = await reply.relay(exchange, sink, keeping)
                    break
                except (BackendFailure, PointsmanError) as failure:
                    kind = reply.let_go(failure, decision.max_retries, sink, keeping)
                    if kind is None:
                        raise
                    decision = await self._decided_anew(opened.target, kind)
            if error is None:
                self._ended("ok", 200, "")
            else:
                code = error.get("code")
                status = code if isinstance(code, int) and 400 <= code < 600 else 502
                self._ended("failed", status, "backend_error")
            return None
        except BackendFailure as error:
            self._ended("failed", 502, error.kind)
            raise PointsmanError(
                said(
                    "{target} broke off: {message}",
                    "{target} 中断了回复：{message}",
                    target=self._replier or Said("the backend", "后端"),
                    message=error.message,
                ),
                status=502,
                type="api_error",
                code=error.kind,
                src="backend",
            ) from None
        except asyncio.CancelledError as error:
            if error.args != (CUT,):
                raise
            cut = stopped()
            self._broke_off(cut)
            raise cut from None
        except BaseException as error:
            self._broke_off(error)
            raise
        finally:
            self._reply.close()
            self._record()

    @property
    def _replier(self) -> str | None:
        """The target whose reply it is."""
        opened = self._reply.opened
        return None if opened is None else opened.target

    async def _decided_anew(self, failed: str, kind: str) -> Decision:
        """By the state of the targets as it is now: the one that failed broke its reply off, by that kind of failure."""
        decision = await self._deciding.anew(self._pipeline.snapshot())
        if self._passage is not None:
            await self._passage.sent_again(decision, failed, kind)
        return decision

    async def _keeping(self, decision: Decision, exchange: Exchange) -> Keeping | None:
        """Where the entry keeps replies: with the kept one, if there is one that will do."""
        cache, repeat = self._caches.get(self.request.model), exchange.repeat
        if cache is None or repeat is None:
            return None
        keeping = await keeping_of(cache, self.request, decision, repeat)
        keeping.look(self._pipeline.clock.monotonic(), repeat.counted)
        self.cache = keeping.outcome
        return keeping

    async def _replay(self, kept: Kept, exchange: Exchange, sink: Sink) -> None:
        """As if its target had answered again."""
        assert exchange.repeat is not None
        self.age = self._pipeline.clock.monotonic() - kept.at
        content_type, data = exchange.repeat.replay(kept)
        sink.begin(kept.target, content_type)
        if not sink.feed(data):
            await sink.room()
        self._ended("ok", 200, "")

    async def _act(self, decision: Decision, exchange: Exchange) -> Effect:
        """Carries out what a rule decided. A text that is ready needs no action."""
        if decision.text is not None:
            return self._effect_of(decision)
        language = decision.features.language if decision.features else "en"
        effect_name = self._passage.effect if self._passage is not None else None
        tongue = tongue_of(language, self._policy.document.language)
        if decision.asked:  # of the conversation that asked, not of an address alone
            tongue = query_of(self.request, self._policy)[0].tongue
        occasion = Occasion(
            request_id=self.request.id,
            tongue=tongue,
            base_url=exchange.base_url,
            caller=self.request.caller,
            user=self.request.user,
            role=self.request.caller_role,
            effect=effect_name,
            now=self.request.now,
            files=exchange.attached() if self.request.files else {},
            tell=nobody if self._passage is None else self._passage.tell,
            gpu_memory=self._policy.gpu_memory.get(decision.rule or ""),
        )
        effect = await self._pipeline.actions[decision.action or ""].run(decision.parameters, occasion)
        if self._passage is not None:
            self._passage.made = effect
        if decision.deliver and effect.outcome == "ok" and self._pipeline.deliver is not None:
            effect = await handed_on(self._pipeline.deliver, effect, occasion, decision.deliver)
        return self._done(effect)

    def _effect_of(self, decision: Decision) -> Effect:
        parameters = decision.parameters
        outcome: Outcome = "refused" if parameters.get("refused") else "ok"
        return self._done(Effect(parameters["text"], outcome, asks=decision.clarification is not None))

    def _done(self, effect: Effect) -> Effect:
        handed = self.decision.hands_over and effect.outcome == "ok"
        self._ended("handed_over" if handed else effect.outcome, 200, effect.error or "")
        if effect.asks:
            self._pipeline.questions.remember(self.request, effect.text)
        return effect

    def _broke_off(self, error: BaseException) -> None:
        """A cancellation leaves the outcome that every run begins with."""
        if isinstance(error, PointsmanError):
            self._ended("failed", error.status, error.code)
        elif isinstance(error, Exception):
            self._ended("failed", 500, "internal")

    def _ended(self, outcome: Outcome, status: int, code: str) -> None:
        self._outcome, self._status, self._code = outcome, status, code

    def _record(self) -> None:
        self._pipeline.under_way.pop(self.request.id, None)
        record = self.record()
        if record.outcome == "ok" and record.target is not None and self._deciding.session is not None:
            self._pipeline.sessions.served(self._deciding.session, record.target)
        if self._allowance is not None:
            features = record.decision.features if record.decision is not None else None
            estimate = features.input_tokens if features is not None else 0
            self._allowance.end(self._reply.used(estimate, record.input_tokens, record.output_tokens))
        if self._passage is not None:
            self._passage.outcome, self._passage.error = record.outcome, record.error
        self._pipeline.recorder.put(record, self._policy.document, self._deciding.snapshot)

    def record(self) -> Record:
        """What became of it, as of now."""
        opened, meter, turn = self._reply.opened, self._reply.meter, self._reply.turn
        tokens: tuple[int | None, int | None, int | None, bool] = (None, None, None, False)
        if opened is not None:
            if self._outcome == "cancelled" and meter.finished:
                self._ended("ok", 200, "")
            tokens = meter.usage()
        total = (self._pipeline.clock.monotonic() - self._began) * 1000
        queued = None if turn is None else turn.waited * 1000
        times = Timings(self._deciding.took, self._reply.ttft, total, queued, self._deciding.ruled)
        return self._recorded(self._outcome, self._status, self._code, times, tokens)

    def cut_off(self) -> Record:
        """What is to be said of it if the gateway dies: nobody knows when that was, nor what had come."""
        times = Timings(self._deciding.took, self._reply.ttft)
        return self._recorded("failed", 502, DIED, times, (None, None, None, False))

    def _recorded(
        self,
        outcome: Outcome,
        status: int,
        error: str,
        timings: Timings,
        tokens: tuple[int | None, int | None, int | None, bool],
    ) -> Record:
        return Record(
            request=self.request,
            received=self.request.now,
            outcome=outcome,
            decision=self._logged,
            exact_tokens=self._deciding.exact,
            status=status,
            error=error or None,
            attempts=tuple(self._reply.attempts),
            target=self._replier,
            timings=timings,
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cached_tokens=tokens[2],
            output_estimated=tokens[3],
            masked=self.masked,
            cache=self.cache,
            engine_times=self._reply.meter.engine_times() if tokens[1] is not None else None,
        )

    @property
    def _logged(self) -> Decision | None:
        """The decision as the log has it: the very same one where there is nothing to hide."""
        decision = self._deciding.known
        return decision and shown(decision, self._policy.document.actions)
