"""The gateway's own replies as completions: what a rule answers looks to every client like a model's answer."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.features.tokens import estimate_tokens

_SHORT = 1000
"""Characters of a text up to which its JSON is kept."""


def completion(request: Request, text: str, created: int, input_tokens: int) -> dict[str, Any]:
    """A whole chat.completion or text_completion. Tokens are estimates: no model has counted them."""
    chat = request.endpoint == "chat"
    body: dict[str, Any] = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    return {
        "id": _id(request),
        "object": "chat.completion" if chat else "text_completion",
        "created": created,
        "model": request.model,
        "choices": [{"index": 0, **body, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(text, input_tokens),
    }


def completion_data(request: Request, text: str, created: int, input_tokens: int) -> bytes:
    """The same as JSON. What does not change from one reply to the next is written once for those that are given again and
    again."""
    write = _known_rest if len(text) <= _SHORT else _rest
    kind, rest = write(request.endpoint == "chat", request.model, text, input_tokens)
    return b'{"id":%b,"object":"%b","created":%d,%b' % (msgspec.json.encode(_id(request)), kind, created, rest)


def _rest(chat: bool, model: str, text: str, input_tokens: int) -> tuple[bytes, bytes]:
    """What kind of object it is, and all that follows upon when it was made."""
    request = Request("", "chat" if chat else "completions", model, ())
    whole = completion(request, text, 0, input_tokens)
    rest = {key: value for key, value in whole.items() if key not in ("id", "object", "created")}
    return str(whole["object"]).encode(), msgspec.json.encode(rest)[1:]


_known_rest = lru_cache(maxsize=256)(_rest)


def events(request: Request, text: str, created: int) -> list[bytes]:
    """The same as stream events, without the closing ones: role, text, finish."""
    if request.endpoint == "chat":
        return [
            chunk(
                request, created, [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
            ),
            chunk(request, created, [{"index": 0, "delta": {"content": text}, "finish_reason": None}]),
            chunk(request, created, [{"index": 0, "delta": {}, "finish_reason": "stop"}]),
        ]
    return [
        chunk(request, created, [{"index": 0, "text": text, "finish_reason": None}]),
        chunk(request, created, [{"index": 0, "text": "", "finish_reason": "stop"}]),
    ]


def chunk(request: Request, created: int, choices: list[dict[str, Any]], **more: Any) -> bytes:
    """One SSE event."""
    kind = "chat.completion.chunk" if request.endpoint == "chat" else "text_completion"
    body = {
        "id": _id(request),
        "object": kind,
        "created": created,
        "model": request.model,
        "choices": choices,
        **more,
    }
    return b"data: " + msgspec.json.encode(body) + b"\n\n"


def trace_event(request: Request, created: int, trace: dict[str, Any]) -> bytes:
    """The extra event of a traced stream: an empty delta that carries the `pointsman` object."""
    empty: dict[str, Any] = {"delta": {}} if request.endpoint == "chat" else {"text": ""}
    choice = {"index": 0, **empty, "finish_reason": None}
    return chunk(request, created, [choice], pointsman=trace)


def usage(text: str, input_tokens: int) -> dict[str, int]:
    output = estimate_tokens(text)
    return {"prompt_tokens": input_tokens, "completion_tokens": output, "total_tokens": input_tokens + output}


def trace_of(request: Request, decision: Decision, target: str | None) -> dict[str, Any]:
    """The `pointsman` object: the whole decision, and what served it."""
    return {"request_id": request.id, "target": target, "decision": decision}


def _id(request: Request) -> str:
    return ("chatcmpl-" if request.endpoint == "chat" else "cmpl-") + request.id.removeprefix("req_")
