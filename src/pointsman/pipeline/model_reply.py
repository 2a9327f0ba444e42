"""The models' part in one request: targets are tried, one of them replies, and its bytes go to the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.node import NodeChoice
from pointsman.domain.request import Request
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.execution.attempts import Opened, Watch, open_first
from pointsman.execution.first_event import error_in
from pointsman.pipeline.ends import Exchange, Sink
from pointsman.pipeline.gate import Pass, cells_of
from pointsman.pipeline.keeping import Keeping
from pointsman.pipeline.quotas import Allowance
from pointsman.ports.backend import BackendFailure, Call
from pointsman.recording.meter import Meter

if TYPE_CHECKING:
    from pointsman.pipeline.pipeline import Pipeline


class ModelReply:
    """`attempts` are all that were made, `opened` the one that replies; `masked` is what its target does not see, known
    before its bytes flow. `turn` is the place at the gate. What holds something is given back by `close`."""

    def __init__(self, pipeline: Pipeline, request: Request, began: float) -> None:
        self._pipeline = pipeline
        self._policy, self._backends = pipeline.policy, pipeline.backends
        self._request = request
        self._began = began
        self.attempts: list[Attempt] = []
        self.meter = Meter()
        self.opened: Opened | None = None
        self.masked: dict[str, int] | None = None
        self.turn: Pass | None = None

    @property
    def ttft(self) -> float | None:
        """Milliseconds to the first content of a stream."""
        opened, first_at = self.opened, self.meter.first_at
        return (first_at - self._began) * 1000 if opened and opened.streams and first_at is not None else None

    def queue(self, decision: Decision, snapshot: Snapshot, allowance: Allowance | None) -> None:
        """It is to have a place at the gate, once for all its tries, and what it may come to is taken of its key's quota."""
        if self.turn is None:
            tokens = decision.features.input_tokens if decision.features is not None else 0
            largest: int | None = None
            for choice in decision.targets:
                limit = snapshot.state(choice.target).facts.context_length
                if limit is not None and (largest is None or limit > largest):
                    largest = limit
            cells = cells_of(tokens, self._request, largest)
            if allowance is not None:
                allowance.spend(cells if self._request.endpoint in ("chat", "completions") else tokens)
            self.turn = self._pipeline.gate.pass_for(self._request, cells)

    async def open(self, decision: Decision, exchange: Exchange) -> Opened:
        """The first target that begins a good reply; those that broke one off come last. Raises PointsmanError."""
        assert self.turn is not None
        targets, backends = self._policy.targets, self._backends
        body_changes = decision.parameters.get("body") or {}
        names = [choice.target for choice in decision.targets]
        if self.attempts:
            broke = [attempt.target for attempt in self.attempts if attempt.broke]
            names.sort(key=broke.count)
        self.opened = await open_first(
            names,
            backends,
            lambda name: self._placed(exchange.call_for(targets[name], body_changes, backends[name].whole)),
            max_retries=decision.max_retries - len(self.attempts),
            clock=self._pipeline.clock,
            began=self._began,
            attempts=self.attempts,
            must_stream=exchange.must_stream,
            watch=_Noting(self._pipeline.watch, self.attempts, self.turn),
            turnstile=self.turn,
            pool_of=lambda name: targets[name].tier,
        )
        return self.opened

    async def relay(self, exchange: Exchange, sink: Sink, keeping: Keeping | None) -> dict[str, Any] | None:
        """The reply, to its end. The error that ended it, where one did that the client was given as it came: its target
        has failed then. Raises BackendFailure where it breaks off."""
        opened = self.opened
        assert opened is not None
        meter, stream = self.meter, opened.stream
        self.masked = exchange.masked(self._policy.targets[opened.target])
        content_type = stream.header("content-type")

        def pass_on(data: bytes) -> bool:
            meter.feed(data)
            return sink.feed(data)

        pass_all = pass_on if keeping is None else keeping.also(pass_on)
        meter.first_at = self._pipeline.clock.monotonic()
        sink.begin(opened.target, content_type)
        if not pass_all(opened.first):
            await sink.room()
        await stream.pour(pass_all, sink.room)
        if opened.streams and not meter.complete and "json" not in (content_type or ""):
            broken = Said("the stream ended before the reply did", "回复还没有结束，流就断了")
            raise BackendFailure("reset", broken, sent=True)
        if opened.streams and (error := error_in(meter.last_event)) is not None:
            if keeping is not None:
                keeping.forget()
            self._broke(str(error.get("message", "")), "http")
            return error
        if keeping is not None:
            keeping.end(opened.target, content_type, self._pipeline.clock.monotonic())
        return None

    def let_go(
        self, failure: BackendFailure | PointsmanError, most_retries: int, sink: Sink, keeping: Keeping | None
    ) -> str | None:
        """The reply broke off: its target has failed. Why, where another one may be tried since nothing of it has reached
        the client, and then all of it is forgotten; else None."""
        if isinstance(failure, PointsmanError):
            if failure.src != "backend" or failure.status < 500:
                return None
            kind = failure.code
        else:
            kind = failure.kind
        self._broke(str(failure), kind)
        if len(self.attempts) > most_retries or not sink.restart():
            return None
        self.close()
        self.opened, self.meter = None, Meter()
        if keeping is not None:
            keeping.forget()
        return kind

    def close(self) -> None:
        """Drops the engine's connection and the place at the gate. Safe to call twice."""
        if self.opened is not None:
            self.opened.stream.close()
        if self.turn is not None:
            self.turn.leave()

    def used(self, estimate: int, input_tokens: int | None, output_tokens: int | None) -> int:
        """Tokens of its key's quota; the estimate of the prompt where the engine gave no figures."""
        if self.opened is None:
            return 0
        return (estimate if input_tokens is None else input_tokens) + (output_tokens or 0)

    def _broke(self, message: str, kind: str) -> None:
        """The target that replies has failed after all."""
        attempts, now = self.attempts, self._pipeline.clock.monotonic()
        took = round((now - self._began) * 1000 - attempts[-1].began_ms, 3)
        attempts[-1] = replace(attempts[-1], took_ms=took, failure=kind, message=message, broke=True)
        self._pipeline.watch.told(attempts[-1])

    def _placed(self, call: Call) -> Call:
        """The same call, to the node at which there is a slot for it, within the trace that the request belongs to."""
        if self.turn is not None and self.turn.choice is not None:
            call = replace(call, node=self.turn.choice.node, held_back=not self._request.stream)
        trace = self._pipeline.trace
        return call if trace is None else trace(call, self._request, len(self.attempts))


class _Noting:
    """Who watches hears which node was tried, and so does the record."""

    def __init__(self, watch: Watch, attempts: list[Attempt], turn: Pass) -> None:
        self._watch = watch
        self._attempts = attempts
        self._turn = turn
        self._choice: NodeChoice | None = None

    def sent(self, target: str) -> None:
        self._choice = self._turn.choice
        self._watch.sent(target)

    def told(self, attempt: Attempt) -> None:
        if self._choice is not None:
            attempt = self._attempts[-1] = replace(attempt, node=self._choice.node, choice=self._choice)
        self._watch.told(attempt)
