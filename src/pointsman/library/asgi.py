"""Rules before the routes of an ASGI application (FastAPI, Starlette, or any other). No framework is imported.

app.add_middleware(RulesMiddleware, rules=rules, paths=("/chat",), text="/message")
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Literal

from pointsman.library.asgi_question import About, Question, ReadText, reader
from pointsman.library.asgi_reply import Answer, MakeReply, answer
from pointsman.library.outcome import Outcome
from pointsman.library.rules import Rules

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

APART = 32 << 10
"""Bytes of a body above which it is read and decided on in a thread, so that nobody else has to wait for it."""
OUTCOME = "pointsman"
"""The key of the application's scope under which it finds the outcome of a request that no rule took."""


class RulesMiddleware:
    """A POST to one of `paths` is answered here if a rule takes its text, and else reaches the application as it came.

    `text` finds the user's text in the JSON body: a JSON pointer (`/message`), or a function of the body that gives a text
    or None; default: OpenAI's `messages` or `prompt`, with all that rules can know of such a request, else the first of the
    fields `message`, `text`, `question`, `query`, `prompt`, `input` that is a text. `reply` says in which form a rule's text
    goes out: `openai` (a completion, a stream of one where the body asks for it), `plain` (text/plain), or a function of
    the reply and the body that gives anything JSON can hold; default: `openai` for bodies in OpenAI's form, else `plain`.
    `about` tells the circumstances of a request, such as the role of who asks, from its scope and body; for a large body
    it is called in a thread.

    Whatever is not understood is the application's own matter, and passes untouched: other methods and paths, web
    sockets, bodies larger than `limit` bytes, compressed ones, what is no JSON or holds no text. The type that a body
    claims to have is not believed, for many applications do not either. What an action raises, the server answers.

    The application finds the outcome (marks, a steering rule's parameters) in `scope["pointsman"]`."""

    def __init__(
        self,
        app: App,
        rules: Rules,
        *,
        paths: Iterable[str] = ("/v1/chat/completions", "/chat"),
        text: str | ReadText | None = None,
        reply: Literal["openai", "plain"] | MakeReply | None = None,
        about: Callable[[Mapping[str, Any], dict[str, Any]], About] | None = None,
        limit: int = 1 << 20,
    ) -> None:
        """Raises ValueError for a `text` or a `reply` that is none of these."""
        if not (reply in (None, "openai", "plain") or callable(reply)):
            raise ValueError(f"reply {reply!r} is not one of: openai, plain, a function")
        self.app = app
        self.rules = rules
        self._paths = frozenset([paths] if isinstance(paths, str) else paths)
        self._read = reader(text)
        self._reply = reply
        self._about = about
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or _path(scope) not in self._paths:
            await self.app(scope, receive, send)
            return
        headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
        if not self._may_read(headers):
            await self.app(scope, receive, send)
            return
        heard, body = await self._listen(receive)
        found = None
        if body is not None:
            if len(body) > APART:
                found = await asyncio.to_thread(self._decide, scope, headers, body)
            else:
                found = self._decide(scope, headers, body)
        if found is None or not found[1].taken:
            if found is not None:
                scope = {**scope, OUTCOME: found[1]}
            await self.app(scope, _again(heard, receive), send)
            return
        question, outcome = found
        await _send(send, answer(await self.rules.acarry_out(outcome), question, self._reply))

    def _may_read(self, headers: dict[bytes, bytes]) -> bool:
        if headers.get(b"content-encoding", b"identity").strip().lower() not in (b"", b"identity"):
            return False
        length = headers.get(b"content-length", b"")
        return not length.isdigit() or int(length[:20]) <= self._limit

    async def _listen(self, receive: Receive) -> tuple[list[Message], bytes | None]:
        """All that came of the request, and its body; None where the client has gone or the body is too large."""
        heard: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            heard.append(message)
            if message["type"] != "http.request":
                return heard, None
            size += len(message.get("body", b""))
            if size > self._limit:
                return heard, None
            more = bool(message.get("more_body", False))
        return heard, b"".join([message.get("body", b"") for message in heard])

    def _decide(self, scope: Scope, headers: dict[bytes, bytes], body: bytes) -> tuple[Question, Outcome] | None:
        """None where the body holds no text that could be decided on. Read as Starlette and FastAPI read it, so that rules
        and application see the same: of two equal keys, the last."""
        try:
            tree = json.loads(body)
        except (ValueError, RecursionError):
            return None
        if not isinstance(tree, dict):
            return None
        question = self._read(headers, tree)
        if question is None:
            return None
        if self._about is not None:
            question = question.told(self._about(scope, tree))
        return question, self.rules.decide_request(question.request, question.language)


def _path(scope: Scope) -> str:
    """Below the place where the application is mounted."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path", "")))


def _again(heard: list[Message], receive: Receive) -> Receive:
    """What was heard, once more, and then what comes."""
    left = iter(heard)

    async def again() -> Message:
        for message in left:
            return message
        return await receive()

    return again


async def _send(send: Send, made: Answer) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": made.headers})
    await send({"type": "http.response.body", "body": made.body})
