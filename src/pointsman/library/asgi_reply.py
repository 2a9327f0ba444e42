"""A rule's reply → an HTTP response."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from pointsman.domain.decision import Decision
from pointsman.features.extract import extract
from pointsman.http.decision_headers import decision_headers
from pointsman.http.openai.reply import chunk, completion, events, usage
from pointsman.library.asgi_question import Question
from pointsman.library.outcome import Reply

MakeReply = Callable[[Reply, dict[str, Any]], Any]
_DONE = b"data: [DONE]\n\n"


class Answer(msgspec.Struct, frozen=True):
    """A response of status 200, whole."""

    headers: list[tuple[bytes, bytes]]
    body: bytes


def answer(reply: Reply, question: Question, form: Literal["openai", "plain"] | MakeReply | None) -> Answer:
    """In the form asked for; where none is, in that of the question."""
    if callable(form):
        made = form(reply, question.body)
        return _answer(reply, b"application/json", json.dumps(made, ensure_ascii=False).encode())
    if form == "plain" or (form is None and not question.is_openai):
        return _answer(reply, b"text/plain; charset=utf-8", reply.text.encode(errors="replace"))
    request = msgspec.structs.replace(question.request, model=question.model)
    created, text = int(time.time()), reply.text
    tokens = extract(request).input_tokens
    if not request.stream:
        body = msgspec.json.encode(completion(request, text, created, tokens))
        return _answer(reply, b"application/json", body)
    pieces = events(request, text, created)
    options = question.body.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") is True:
        pieces.append(chunk(request, created, [], usage=usage(text, tokens)))
    more = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
    return _answer(reply, b"text/event-stream; charset=utf-8", b"".join((*pieces, _DONE)), more)


def _answer(reply: Reply, kind: bytes, body: bytes, more: list[tuple[bytes, bytes]] | None = None) -> Answer:
    outcome = reply.outcome
    decision = Decision("l0", outcome.reason, rule=outcome.rule, policy=outcome.rules)
    lines = decision_headers(decision).split(b"\r\n")
    ours = [(name, value) for name, _, value in (line.partition(b": ") for line in lines if line)]
    length = (b"content-length", str(len(body)).encode())
    return Answer([(b"content-type", kind), length, *(more or ()), *ours], body)
