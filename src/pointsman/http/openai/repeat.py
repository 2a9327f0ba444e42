"""The same request again: what makes two requests the same, and a kept reply in the form that the second one wants."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from pointsman.domain.request import Request
from pointsman.http.exchange import Client
from pointsman.http.strict_json import APART, Body
from pointsman.pipeline.keeping import Wish
from pointsman.pipeline.reply_cache import Kept

EVENTS = "text/event-stream"
_FORM = ("stream", "stream_options", "user")  # of the body: how the reply comes, and for whom it is
_SCOPE = (b"authorization", b"x-openwebui-user-id", b"x-pointsman-task")


class Again(msgspec.Struct, frozen=True):
    """`pipeline.keeping.Repeat`. `usage`: a stream is to end with figures."""

    client: Client
    request: Request
    body: Body
    usage: bool

    @property
    def wish(self) -> Wish:
        """Calls of tools are to be made anew, what is behind an image's address may have changed, and who asks for several
        choices wants them to differ."""
        tree, request = self.body.tree, self.request
        if request.tools or any(turn.images or turn.tool_calls or turn.role == "tool" for turn in request.turns):
            return "none"
        if tree.get("n") not in (None, 1) or tree.get("best_of") not in (None, 1):
            return "none"
        said = (self.client.header(b"cache-control") or "").lower()
        if "no-store" in said:
            return "none"
        return "renew" if "no-cache" in said or "max-age=0" in said else "use"

    @property
    def large(self) -> bool:
        return self.client.size > APART

    @property
    def counted(self) -> bool:
        return self.usage or not self.request.stream

    def identity(self) -> bytes:
        """The body without what is only its form, however its members are ordered and spaced, and what headers say of the
        one who asks."""
        said = {name: value for name, value in self.body.tree.items() if name not in _FORM}
        digest = hashlib.sha256(msgspec.json.encode(said, order="deterministic"))
        scope = [self.client.fields.get(name) for name in _SCOPE]
        digest.update(msgspec.msgpack.encode([*scope, self.body.tree.get("user")]))
        return digest.digest()

    def replay(self, kept: Kept) -> tuple[str, bytes]:
        if not self.request.stream:
            return kept.content_type or (EVENTS if kept.streams else "application/json"), kept.data
        if not kept.streams:
            return EVENTS, events_of(kept.data, self.usage)
        return kept.content_type or EVENTS, kept.data if self.usage else without_usage(kept.data)


def events_of(data: bytes, usage: bool) -> bytes:
    """A whole reply as a stream: one event with what was said, one with its end, one with the figures where they are
    wanted."""
    reply: dict[str, Any] = msgspec.json.decode(data)
    kind = "text_completion" if reply.get("object") == "text_completion" else "chat.completion.chunk"
    top = {name: value for name, value in reply.items() if name not in ("choices", "usage")} | {"object": kind}
    choices = reply.get("choices") or []
    events = [
        {**top, "choices": [_piece(choice) for choice in choices]},
        {**top, "choices": [_end(choice) for choice in choices]},
    ]
    if usage:
        events.append({**top, "choices": [], "usage": reply.get("usage")})
    return b"".join([b"data: %b\n\n" % msgspec.json.encode(event) for event in events]) + b"data: [DONE]\n\n"


def _piece(choice: dict[str, Any]) -> dict[str, Any]:
    piece = {**choice, "finish_reason": None}
    if "message" in piece:
        piece["delta"] = piece.pop("message")
    return piece


def _end(choice: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"delta": {}} if "message" in choice else {"text": ""}
    return {"index": choice.get("index", 0), **said, "finish_reason": choice.get("finish_reason")}


def without_usage(data: bytes) -> bytes:
    """A stream without the event that only holds figures: who did not ask for it may not know that `choices` can be
    empty. All else stays byte for byte."""
    if b'"usage"' not in data:
        return data
    gap = b"\r\n\r\n" if b"\r\n\r\n" in data else b"\n\n"
    return gap.join([event for event in data.split(gap) if not _only_usage(event)])


def _only_usage(event: bytes) -> bool:
    if b'"usage"' not in event or not event.startswith(b"data:"):
        return False
    try:
        body = msgspec.json.decode(event[5:])
    except msgspec.DecodeError:
        return False
    return isinstance(body, dict) and body.get("choices") == [] and bool(body.get("usage"))
