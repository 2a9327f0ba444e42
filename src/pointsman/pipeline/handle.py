"""One request, from decision to record. The whole flow is on this page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

import msgspec

from pointsman.admission.limits import is_near
from pointsman.domain.attempt import Attempt, Outcome
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.domain.said import Said, said
from pointsman.domain.target import Snapshot
from pointsman.domain.wording import Tongue, tongue_of
from pointsman.execution.attempts import Opened, open_first
from pointsman.pipeline.decide import decide
from pointsman.pipeline.open_questions import OpenQuestions
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.report_decision import resumed_report
from pointsman.ports.action import Action, Effect, Occasion
from pointsman.ports.backend import Backend, BackendFailure, Call
from pointsman.ports.clock import Clock
from pointsman.ports.recorder import Recorder
from pointsman.recording.meter import Meter

COUNT_TIMEOUT = 2.0  # seconds for an engine to count tokens
_TONGUES: tuple[Tongue, Tongue] = ("en", "zh")


class Exchange(msgspec.Struct, frozen=True):
    """What execution needs of the client's own request: its conversation as the client wrote it (for exact counts), and
    `call_for`, which turns (target's model name, changes by a rule) into the call that an engine gets. `streams`: the
    engine's answer comes as a stream of events. `base_url` is where the client reached the gateway."""

    prompt: Any
    streams: bool
    call_for: Callable[[str, dict[str, Any]], Call]
    base_url: str = ""


class Relaying(msgspec.Struct, frozen=True):
    """An engine answered; its bytes follow."""

    target: str
    status: int
    content_type: str | None


class Reply(msgspec.Struct, frozen=True):
    """The gateway's own words to the person: the whole reply."""

    text: str


Step = Decision | Reply | Relaying | bytes


class Pipeline:
    """Holds what outlives a request. `policy` and `backends` are swapped as one by `install`."""

    def __init__(
        self, snapshot: Callable[[], Snapshot], recorder: Recorder, clock: Clock, actions: Mapping[str, Action]
    ) -> None:
        self._snapshot = snapshot
        self._recorder = recorder
        self._clock = clock
        self._actions = actions
        self._questions = OpenQuestions()
        self.policy: Policy
        self._backends: Mapping[str, Backend] = {}

    def install(self, policy: Policy, backends: Mapping[str, Backend]) -> None:
        """From here on new requests are decided by `policy`; those under way keep theirs."""
        self.policy = policy
        self._backends = backends

    async def handle(self, request: Request, exchange: Exchange) -> AsyncGenerator[Step, None]:
        """Yields the decision first; then Reply for a rule's, Relaying and the engine's bytes for a model's. Closing the
        iterator, or cancelling the task that reads it, drops the engine's connection. Raises PointsmanError."""
        policy, backends, snapshot = self.policy, self._backends, self._snapshot()
        began, received = self._clock.monotonic(), self._clock.wall()
        decision: Decision | None = None
        opened: Opened | None = None
        exact: int | None = None
        decided_ms: float | None = None
        attempts: list[Attempt] = []
        meter = Meter()
        outcome: Outcome = "cancelled"
        status, code = 499, "client_closed"
        try:
            with_question = self._questions.recall(request)
            if with_question is not request and resumed_report(with_question, policy):
                request = with_question
            decision = decide(request, policy, snapshot)
            if decision.stage == "model" or decision.rule == "guard.length":
                exact = await self._count_near_limit(decision, exchange, backends, snapshot)
                if exact is not None:
                    decision = decide(request, policy, snapshot, exact_tokens=exact)
            decided_ms = (self._clock.monotonic() - began) * 1000
            yield decision
            if decision.error:
                en, zh = (decide(request, policy, snapshot, exact_tokens=exact, tongue=t).reason for t in _TONGUES)
                raise _no_reply(decision, Said(en, zh))
            if decision.stage == "l0":
                effect = await self._act(decision, request, exchange, policy)
                outcome, status, code = effect.outcome, 200, effect.error or ""
                if effect.asks:
                    self._questions.remember(request, effect.text)
                yield Reply(effect.text)
            else:
                body_changes = decision.parameters.get("body") or {}
                opened = await open_first(
                    [choice.target for choice in decision.targets],
                    backends,
                    lambda target: exchange.call_for(policy.targets[target].model, body_changes),
                    max_retries=decision.max_retries,
                    clock=self._clock,
                    began=began,
                    attempts=attempts,
                    must_stream=exchange.streams,
                )
                meter.feed(opened.first, self._clock.monotonic())
                relaying = Relaying(opened.target, opened.stream.status, opened.stream.header("content-type"))
                yield relaying
                yield opened.first
                async for chunk in opened.rest:
                    meter.feed(chunk, self._clock.monotonic())
                    yield chunk
                if exchange.streams and not meter.complete and "json" not in (relaying.content_type or ""):
                    raise BackendFailure(
                        "reset", Said("the stream ended before the reply did", "回复还没有结束，流就断了"), sent=True
                    )
                outcome, status, code = "ok", 200, ""
        except PointsmanError as error:
            outcome, status, code = "failed", error.status, error.code
            raise
        except BackendFailure as error:
            outcome, status, code = "failed", 502, error.kind
            raise PointsmanError(
                said(
                    "{target} broke off: {message}",
                    "{target} 中断了回复：{message}",
                    target=opened.target if opened else Said("the backend", "后端"),
                    message=error.message,
                ),
                status=502,
                type="api_error",
                code=error.kind,
                src="backend",
            ) from None
        except Exception:
            outcome, status, code = "failed", 500, "internal"
            raise
        finally:
            if opened is not None:
                opened.stream.close()
            if outcome == "cancelled" and meter.finished:
                outcome, status, code = "ok", 200, ""
            tokens = meter.usage() if opened else (None, None, None, False)
            ttft = (meter.first_at - began) * 1000 if meter.first_at else None
            total = (self._clock.monotonic() - began) * 1000
            record = Record(
                request=request,
                received=received,
                outcome=outcome,
                decision=decision,
                exact_tokens=exact,
                status=status,
                error=code or None,
                attempts=tuple(attempts),
                target=opened.target if opened else None,
                timings=Timings(decided_ms, ttft, total),
                input_tokens=tokens[0],
                output_tokens=tokens[1],
                cached_tokens=tokens[2],
                output_estimated=tokens[3],
            )
            self._recorder.put(record, policy.document, snapshot)

    async def _act(self, decision: Decision, request: Request, exchange: Exchange, policy: Policy) -> Effect:
        """Carries out what a rule decided. A text that is ready needs no action."""
        parameters = decision.parameters
        if "text" in parameters:
            outcome: Outcome = "refused" if parameters.get("refused") else "ok"
            return Effect(parameters["text"], outcome, asks=decision.clarification is not None)
        language = decision.features.language if decision.features else "en"
        occasion = Occasion(request.id, tongue_of(language, policy.document.language), exchange.base_url)
        return await self._actions[decision.action or ""].run(parameters, occasion)

    async def _count_near_limit(
        self, decision: Decision, exchange: Exchange, backends: Mapping[str, Backend], snapshot: Snapshot
    ) -> int | None:
        """The engine's own count, where the estimate is too near the limit of a target to be trusted. Engines count text
        only, so prompts with tools or images stay with the estimate."""
        features = decision.features
        if features is None or exchange.prompt is None or features.tools or features.images:
            return None
        for choice in (*decision.targets, *decision.left_out):
            context = snapshot.state(choice.target).facts.context_length
            if is_near(features.input_tokens, context):
                try:
                    return await asyncio.wait_for(backends[choice.target].count_tokens(exchange.prompt), COUNT_TIMEOUT)
                except (BackendFailure, TimeoutError):
                    return None
        return None


def _no_reply(decision: Decision, why: Said) -> PointsmanError:
    if decision.error == "context_length_exceeded":
        return PointsmanError(why, status=400, code="context_length_exceeded", param="messages")
    if decision.error == "keep_local":
        return PointsmanError(why, status=403, type="permission_error", code="keep_local", param="model")
    return PointsmanError(why, status=503, type="overloaded_error", code="no_target")
