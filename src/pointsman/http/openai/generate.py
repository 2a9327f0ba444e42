"""`/v1/chat/completions` and `/v1/completions`: through the pipeline, and back as a stream or as one object."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import msgspec

from pointsman.apart import apart
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request
from pointsman.domain.target import Target
from pointsman.execution.rewrite import rewrite
from pointsman.http.decision_headers import decision_headers
from pointsman.http.event_stream import HEADERS, EventStream
from pointsman.http.exchange import Client
from pointsman.http.openai import reply
from pointsman.http.openai.attached import attached_in
from pointsman.http.openai.hops import passed_on
from pointsman.http.openai.read import read_chat, read_completion
from pointsman.http.openai.repeat import Again
from pointsman.http.openai.served import served_lines, served_trace
from pointsman.http.openai.sinks import StreamedReply, WholeReply
from pointsman.http.strict_json import APART, Body, parse_body
from pointsman.masking import Masking, RequestMask, Unmasker
from pointsman.pipeline.handle import Run
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.action import Attached
from pointsman.ports.backend import Call

DONE = b"data: [DONE]\n\n"


class Asked(msgspec.Struct, frozen=True):
    """What execution and the reply need of the client's own request; `pipeline.ends.Exchange`. `prompt` is the member
    of the body whose tokens are to be counted. `usage`: a stream ends with figures; `force`: though the client did not ask.
    `traced`: the decision comes with the reply. `mask` is None where no engine gets masked requests."""

    client: Client
    request: Request
    body: Body
    path: str
    prompt: str | None
    force: bool
    mask: RequestMask | None = None

    @property
    def must_stream(self) -> bool:
        return True

    @property
    def base_url(self) -> str:
        return self.client.base_url

    @property
    def traced(self) -> bool:
        return self.client.fields.get(b"x-pointsman-trace") == b"1"

    @property
    def usage(self) -> bool:
        options = self.body.tree.get("stream_options")
        return self.force or (isinstance(options, dict) and options.get("include_usage") is True)

    @property
    def repeat(self) -> Again:
        return Again(self.client, self.request, self.body, self.usage)

    @property
    def apart(self) -> Callable[[Iterable[Target]], None] | None:
        return self.mask.prepare if self.mask is not None and self.client.size > APART else None

    def attached(self) -> dict[str, Attached]:
        return attached_in(self.body.tree.get("messages", ()))

    def prompt_for(self, target: Target) -> Any:
        if self.prompt is None:
            return None
        masked = self.mask.body(target) if self.mask else None
        if masked is not None and self.prompt in masked.changes:
            return msgspec.json.decode(masked.changes[self.prompt])
        return self.body.tree[self.prompt]

    def masked(self, target: Target) -> dict[str, int] | None:
        masked = self.mask.body(target) if self.mask else None
        return masked.counts if masked else None

    def unmasker(self, target: Target) -> Unmasker | None:
        """What puts the values back into that target's reply; None where nothing is to be put back."""
        return self.mask.unmasker(target) if self.mask else None

    def call_for(self, target: Target, more: dict[str, Any], whole: bool) -> Call:
        """The client's bytes, with the model's name there, and a stream asked for with usage where the gateway needs it
        (to fill in `usage` of one whole reply) or must add it; with placeholders, where the target is to see no values."""
        streams = self.body.tree.get("stream") is True
        whole = whole and not streams
        changes = {**more, "model": target.model}
        if self.mask is not None and (masked := self.mask.body(target)) is not None:
            changes = {**masked.changes, **changes}
        if not streams and not whole:
            changes["stream"] = True
        if (self.force or not streams) and not whole:
            changes["stream_options"] = {**(self.body.tree.get("stream_options") or {}), "include_usage": True}
        return Call(self.path, rewrite(self.body.fields, changes), passed_on(self.client), whole=whole)


Read = Callable[[Client, bytes], tuple[Request, Asked]]


class Generate:
    """Serves both endpoints. Streams of the entries in `forced_usage` end with usage unasked; `reasoning_field` renames
    the field of a model's thoughts; `default_model` serves requests that name none; `masking` says what engines must not
    see.

    What a rule answers in words goes out before the call returns; else it returns what has to be awaited."""

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        heartbeat_after: float,
        forced_usage: frozenset[str],
        reasoning_field: str | None,
        default_model: str,
        masking: Masking | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._heartbeat_after = heartbeat_after
        self._forced_usage = forced_usage
        self._reasoning_field = reasoning_field
        self._default_model = default_model
        self._masking = masking

    def chat(self, client: Client, data: bytes) -> Awaitable[None] | None:
        return self._begin(client, data, self._read_chat)

    def completions(self, client: Client, data: bytes) -> Awaitable[None] | None:
        return self._begin(client, data, self._read_completion)

    def check_chat(self, client: Client, data: bytes) -> None:
        """Whether `chat` would take that body. Raises PointsmanError."""
        self._pipeline.check(self._read_chat(client, data)[0])

    def check_completion(self, client: Client, data: bytes) -> None:
        """The same of `completions`."""
        self._pipeline.check(self._read_completion(client, data)[0])

    def _read_chat(self, client: Client, data: bytes) -> tuple[Request, Asked]:
        body = parse_body(data)
        request = read_chat(body.tree, client, self._default_model)
        return request, self._asked(client, request, body, "/chat/completions", "messages")

    def _read_completion(self, client: Client, data: bytes) -> tuple[Request, Asked]:
        body = parse_body(data)
        request = read_completion(body.tree, client, self._default_model)
        prompt = "prompt" if isinstance(body.tree["prompt"], str) else None
        return request, self._asked(client, request, body, "/completions", prompt)

    def _asked(self, client: Client, request: Request, body: Body, path: str, prompt: str | None) -> Asked:
        usage = client.caller.usage
        force = usage == "force" or (usage is None and request.model in self._forced_usage)
        mask = RequestMask(self._masking, body.fields, json=request.structured) if self._masking else None
        return Asked(client, request, body, path, prompt, force, mask)

    def _begin(self, client: Client, data: bytes, read: Read) -> Awaitable[None] | None:
        if len(data) > APART or client.passage is not None:
            return self._begin_apart(client, data, read)
        request, asked = read(client, data)
        return self._serve(client, self._pipeline.begin(request), asked)

    async def _begin_apart(self, client: Client, data: bytes, read: Read) -> None:
        request, asked = await apart(read, client, data)
        rest = self._serve(client, await self._pipeline.begin_apart(request, client.passage), asked)
        if rest is not None:
            await rest

    def _serve(self, client: Client, run: Run, asked: Asked) -> Awaitable[None] | None:
        text = run.text
        if text is not None:
            self._answer(client, run, asked, text)
            return None
        return (self._stream if run.request.stream else self._whole)(client, run, asked)

    def _answer(self, client: Client, run: Run, asked: Asked, text: str) -> None:
        """A text of the gateway's own: the whole response."""
        _introduce(client, run, None)
        if run.request.stream:
            client.start(200, HEADERS)
            client.finish(_events(run, asked, text))
            return
        created, tokens = int(time.time()), _input_tokens(run)
        if not asked.traced and type(text) is str:
            client.reply(200, reply.completion_data(run.request, text, created, tokens))
            return
        result = reply.completion(run.request, text, created, tokens)
        client.json(200, {**result, "pointsman": _trace(run, None)} if asked.traced else result)

    async def _whole(self, client: Client, run: Run, asked: Asked) -> None:
        whole = WholeReply(self._reasoning_field, lambda name: asked.unmasker(run.target(name)))
        try:
            text = await run.carry_out(asked, whole)
            if text is not None:
                self._answer(client, run, asked, text)
                return
            data = None if asked.traced else whole.data()
            result = None if data is not None else whole.object()
        except PointsmanError:
            _introduce(client, run, whole.target)
            raise
        _introduce(client, run, whole.target)
        if data is not None:
            client.reply(200, data)
        elif result is not None:
            client.json(200, {**result, "pointsman": _trace(run, whole.target)} if asked.traced else result)

    async def _stream(self, client: Client, run: Run, asked: Asked) -> None:
        out = EventStream(client, self._heartbeat_after, lambda: run.place)
        out.headers = _headers(run, None)
        trace = partial(_trace_event, run) if asked.traced else None
        streamed = StreamedReply(
            client,
            out,
            partial(_headers, run),
            trace,
            self._reasoning_field,
            lambda name: asked.unmasker(run.target(name)),
        )
        try:
            text = await run.carry_out(asked, streamed)
            if text is None:
                streamed.finish()
            else:
                out.headers = _headers(run, None)
                out.finish(_events(run, asked, text))
        except PointsmanError as error:
            out.headers = _headers(run, None)
            out.fail(error)
        finally:
            out.stop()


def _events(run: Run, asked: Asked, text: str) -> bytes:
    """A text of the gateway's own as a whole stream."""
    request, created = run.request, int(time.time())
    events = reply.events(request, text, created)
    if asked.usage:
        events.append(reply.chunk(request, created, [], usage=reply.usage(text, _input_tokens(run))))
    if asked.traced:
        events.append(_trace_event(run, None))
    return b"".join((*events, DONE))


def _introduce(client: Client, run: Run, target: str | None) -> None:
    """What was decided, in the headers of an answer that is no stream."""
    decision = run.decision
    client.question_language = decision.features.language if decision.features else None
    client.extra += decision_headers(decision, target) + served_lines(run)


def _headers(run: Run, target: str | None) -> bytes:
    return decision_headers(run.decision, target) + served_lines(run)


def _input_tokens(run: Run) -> int:
    features = run.decision.features
    return features.input_tokens if features else 0


def _trace(run: Run, target: str | None) -> dict[str, Any]:
    return {**reply.trace_of(run.request, run.shown, target), **served_trace(run)}


def _trace_event(run: Run, target: str | None) -> bytes:
    return reply.trace_event(run.request, int(time.time()), _trace(run, target))
