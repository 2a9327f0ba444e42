"""`/v1/chat/completions` and `/v1/completions`: through the pipeline, and back as a stream or as one object."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request
from pointsman.execution.rewrite import rewrite
from pointsman.http.decision_headers import decision_headers, target_header
from pointsman.http.event_stream import EventStream
from pointsman.http.exchange import Client
from pointsman.http.openai import reply
from pointsman.http.openai.aggregate import Aggregate
from pointsman.http.openai.read import read_chat, read_completion
from pointsman.http.openai.reasoning import renamed
from pointsman.http.openai.trace_event import BeforeDone
from pointsman.http.strict_json import Body, parse_body
from pointsman.pipeline.handle import Exchange, Pipeline, Relaying, Reply, Step
from pointsman.ports.backend import Call

DONE = b"data: [DONE]\n\n"
_HOPS = ("traceparent", "tracestate")


class Generate:
    """Serves both endpoints. Streams of the entries in `forced_usage` end with usage unasked; `reasoning_field` renames
    the field of a model's thoughts; `default_model` serves requests that name none."""

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        heartbeat_after: float,
        forced_usage: frozenset[str],
        reasoning_field: str | None,
        default_model: str,
    ) -> None:
        self._pipeline = pipeline
        self._heartbeat_after = heartbeat_after
        self._forced_usage = forced_usage
        self._reasoning_field = reasoning_field
        self._default_model = default_model

    async def chat(self, client: Client, data: bytes) -> None:
        body = parse_body(data)
        request = read_chat(body.tree, client, self._default_model)
        await self._serve(client, request, body, "/chat/completions", body.tree["messages"])

    async def completions(self, client: Client, data: bytes) -> None:
        body = parse_body(data)
        request = read_completion(body.tree, client, self._default_model)
        prompt = body.tree["prompt"]
        await self._serve(client, request, body, "/completions", prompt if isinstance(prompt, str) else None)

    async def _serve(self, client: Client, request: Request, body: Body, path: str, prompt: Any) -> None:
        force = client.caller.usage == "force" or (client.caller.usage is None and request.model in self._forced_usage)
        steps = self._pipeline.handle(
            request, Exchange(prompt, True, _calls(client, request, body, path, force), client.base_url)
        )
        if self._reasoning_field:
            steps = renamed(steps, self._reasoning_field)
        traced = client.header(b"x-pointsman-trace") == "1"
        try:
            if request.stream:
                await self._stream(client, request, steps, traced, force or _asks_usage(body.tree))
            else:
                await self._whole(client, request, steps, traced)
        finally:
            await steps.aclose()

    async def _whole(self, client: Client, request: Request, steps: AsyncGenerator[Step, None], traced: bool) -> None:
        decision = await anext(steps)
        assert isinstance(decision, Decision)
        target: str | None = None
        client.question_language = decision.features.language if decision.features else None
        client.extra += decision_headers(decision)
        result: Any
        if decision.stage == "l0":
            assert decision.features
            text = await _text(steps)
            result = reply.completion(request, text, int(time.time()), decision.features.input_tokens)
        else:
            aggregate = Aggregate()
            plain: list[bytes] | None = None
            async for step in steps:
                if isinstance(step, Relaying):
                    target = step.target
                    client.extra.append(target_header(target))
                    if step.content_type and "json" in step.content_type:
                        plain = []  # an engine that answered at once though it was asked for a stream
                elif isinstance(step, bytes):
                    if plain is None:
                        aggregate.feed(step)
                    else:
                        plain.append(step)
            if plain is not None and not traced:
                await client.reply(200, b"".join(plain))
                return
            result = msgspec.json.decode(b"".join(plain)) if plain is not None else aggregate.result()
        if traced:
            result = {**result, "pointsman": reply.trace_of(request, decision, target)}
        await client.json(200, result)

    async def _stream(
        self, client: Client, request: Request, steps: AsyncGenerator[Step, None], traced: bool, usage: bool
    ) -> None:
        out = EventStream(client, self._heartbeat_after)
        try:
            decision = await anext(steps)
            assert isinstance(decision, Decision)
            client.question_language = decision.features.language if decision.features else None
            out.headers = decision_headers(decision)
            created = int(time.time())
            if decision.stage == "l0":
                await self._canned(out, request, decision, await _text(steps), created, traced, usage)
                return
            trace = reply.trace_of(request, decision, None)
            before = BeforeDone(lambda: reply.trace_event(request, created, trace)) if traced else None
            async for step in steps:
                if isinstance(step, bytes):
                    data = before.feed(step) if before else step
                    if data:
                        await out.write(data)
                elif isinstance(step, Relaying):
                    out.headers = decision_headers(decision, step.target)
                    trace["target"] = step.target
            await out.finish(before.flush() if before else b"")
        except PointsmanError as error:
            client.extra += [] if client.began else out.headers
            await out.fail(error)
        finally:
            await out.close()

    @staticmethod
    async def _canned(
        out: EventStream, request: Request, decision: Decision, text: str, created: int, traced: bool, usage: bool
    ) -> None:
        assert decision.features
        events = reply.events(request, text, created)
        if usage:
            figures = reply.usage(text, decision.features.input_tokens)
            events.append(reply.chunk(request, created, [], usage=figures))
        if traced:
            events.append(reply.trace_event(request, created, reply.trace_of(request, decision, None)))
        await out.write(b"".join(events))
        await out.finish(DONE)


async def _text(steps: AsyncGenerator[Step, None]) -> str:
    """The gateway's own reply."""
    text = ""
    async for step in steps:
        if isinstance(step, Reply):
            text = step.text
    return text


def _asks_usage(tree: dict[str, Any]) -> bool:
    options = tree.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _calls(client: Client, request: Request, body: Body, path: str, force: bool) -> Any:
    """The engine's request: the client's bytes, with the model's name there, and a stream asked for with usage where
    the gateway needs it (to fill in `usage` of one whole reply) or must add it."""
    changes: dict[str, Any] = {}
    if not request.stream:
        changes["stream"] = True
    if force or not request.stream:
        changes["stream_options"] = {**(body.tree.get("stream_options") or {}), "include_usage": True}
    headers = tuple((name, value) for name in _HOPS if (value := client.header(name.encode())))
    authorization = client.header(b"authorization")
    if authorization:
        headers = (*headers, ("authorization", authorization))

    def call_for(model: str, more: dict[str, Any]) -> Call:
        return Call(path, rewrite(body.fields, {**more, **changes, "model": model}), headers)

    return call_for
