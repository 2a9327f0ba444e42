"""`/v1/embeddings` and `/v1/rerank`: to the model that the client names, and its answer back as it came."""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from pointsman.apart import apart
from pointsman.domain.request import Request
from pointsman.domain.target import Target
from pointsman.execution.rewrite import rewrite
from pointsman.http.decision_headers import decision_headers
from pointsman.http.exchange import Client
from pointsman.http.openai.hops import passed_on
from pointsman.http.openai.read import read_embedding, read_rerank
from pointsman.http.openai.reply import trace_of
from pointsman.http.openai.served import served_lines, served_trace
from pointsman.http.openai.sinks import Pieces
from pointsman.http.strict_json import APART, Body, parse_body
from pointsman.masking import Masking, RequestMask
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.action import Attached
from pointsman.ports.backend import Call


class Asked(msgspec.Struct, frozen=True):
    """What execution needs of the client's own request; `pipeline.ends.Exchange`."""

    client: Client
    body: Body
    path: str
    changes: dict[str, Any]
    mask: RequestMask | None = None
    must_stream: bool = False
    repeat: None = None

    @property
    def base_url(self) -> str:
        return self.client.base_url

    @property
    def apart(self) -> Callable[[Iterable[Target]], None] | None:
        return self.mask.prepare if self.mask is not None and self.client.size > APART else None

    def attached(self) -> dict[str, Attached]:
        return {}

    def prompt_for(self, target: Target) -> None:
        return None

    def masked(self, target: Target) -> dict[str, int] | None:
        masked = self.mask.body(target) if self.mask else None
        return masked.counts if masked else None

    def call_for(self, target: Target, more: dict[str, Any], whole: bool) -> Call:
        masked = self.mask.body(target) if self.mask else None
        changes = {**(masked.changes if masked else {}), **more, **self.changes, "model": target.model}
        return Call(self.path, rewrite(self.body.fields, changes), passed_on(self.client))


class Relay:
    """Both endpoints pass no rules: there is no question of a user in them."""

    def __init__(self, pipeline: Pipeline, masking: Masking | None = None) -> None:
        self._pipeline = pipeline
        self._masking = masking

    async def embeddings(self, client: Client, data: bytes) -> None:
        """`base64` is made here, from the engine's floats: not every engine knows it, and the official Python client
        asks for nothing else."""
        body = await _parsed(data)
        request = read_embedding(body.tree, client)
        encoded = body.tree.get("encoding_format") == "base64"
        changes = {"encoding_format": "float"} if encoded else {}
        await self._serve(client, request, body, "/embeddings", changes, _to_base64 if encoded else None)

    async def rerank(self, client: Client, data: bytes) -> None:
        """`top_n: null` (Dify) means all, which engines say by leaving it out."""
        body = await _parsed(data)
        request = read_rerank(body.tree, client)
        await self._serve(client, request, body, "/rerank", {} if body.tree.get("top_n") else {"top_n": None}, None)

    def check_embedding(self, client: Client, data: bytes) -> None:
        """Whether `embeddings` would take that body. Raises PointsmanError."""
        self._pipeline.check(read_embedding(parse_body(data).tree, client))

    def check_rerank(self, client: Client, data: bytes) -> None:
        """The same of `rerank`."""
        self._pipeline.check(read_rerank(parse_body(data).tree, client))

    async def _serve(
        self,
        client: Client,
        request: Request,
        body: Body,
        path: str,
        changes: dict[str, Any],
        convert: Callable[[bytes], bytes] | None,
    ) -> None:
        if len(client.body) > APART or client.passage is not None:
            run = await self._pipeline.begin_apart(request, client.passage)
        else:
            run = self._pipeline.begin(request)
        mask = RequestMask(self._masking, body.fields, json=False) if self._masking else None
        pieces = Pieces()
        try:
            await run.carry_out(Asked(client, body, path, changes, mask), pieces)
        finally:
            decision = run.decision
            client.question_language = decision.features.language if decision.features else None
            client.extra += decision_headers(decision, pieces.target) + served_lines(run)
        answer = pieces.joined
        if mask is not None and pieces.target and (unmasker := mask.unmasker(run.target(pieces.target))) is not None:
            unmask = unmasker.data
            answer = await apart(unmask, answer) if len(answer) > APART else unmask(answer)
        if convert:
            answer = await apart(convert, answer) if len(answer) > APART else convert(answer)
        if client.header(b"x-pointsman-trace") == "1":
            answer = _traced(answer, {**trace_of(request, decision, pieces.target), **served_trace(run)})
        client.reply(200, answer, (pieces.content_type or "application/json").encode("latin-1"))


def _traced(answer: bytes, trace: dict[str, Any]) -> bytes:
    """The answer with one more member, where it is an object."""
    try:
        body = msgspec.json.decode(answer, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return answer
    return msgspec.json.encode({**body, "pointsman": trace})


def _to_base64(answer: bytes) -> bytes:
    """Every embedding as little-endian float32 in base64, the rest of the answer untouched."""
    try:
        body = msgspec.json.decode(answer, type=dict[str, msgspec.Raw])
        items = [
            msgspec.json.decode(item, type=dict[str, Any])
            for item in msgspec.json.decode(
                body["data"], type=list[msgspec.Raw]
            )  # one by one: no other thread waits long
        ]
        for item in items:
            if isinstance(item["embedding"], list):
                numbers = array("f", item["embedding"])
                if sys.byteorder == "big":
                    numbers.byteswap()
                item["embedding"] = base64.b64encode(numbers.tobytes()).decode()
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, OverflowError):
        return answer
    return msgspec.json.encode({**body, "data": items})


async def _parsed(data: bytes) -> Body:
    return await apart(parse_body, data) if len(data) > APART else parse_body(data)
