"""A model's reply as a step of an action: asked as a client would ask."""

from __future__ import annotations

import asyncio
import contextvars
import secrets
from collections.abc import Callable
from typing import Any

import msgspec

from pointsman.domain.said import Said, said
from pointsman.http.auth import Caller
from pointsman.http.gateway import Gateway
from pointsman.http.jobs.inside import serve_inside
from pointsman.http.jobs.kept import KeptRequest
from pointsman.pipeline.quotas import PART_OF_ANOTHER
from pointsman.ports.action import ActionFailed, Occasion
from pointsman.ports.clock import Clock

MOST_DEEP = 3
"""Model calls that may lead to one another: an entry's rules may have an action done that asks an entry."""
_depth: contextvars.ContextVar[int] = contextvars.ContextVar("depth", default=0)
_PASSING = frozenset((429, 500, 502, 503, 504))


class ModelCalls:
    """`ports.AskModel` over the gateway itself: rules, routing, failover, log are those of any request."""

    def __init__(self, gateway: Callable[[], Gateway], clock: Clock) -> None:
        self._gateway = gateway
        self._clock = clock

    async def __call__(
        self,
        model: str,
        messages: list[dict[str, Any]],
        occasion: Occasion,
        *,
        max_tokens: int | None = None,
        schema: dict[str, Any] | None = None,
        seconds: float = 60.0,
        temperature: float | None = None,
    ) -> str:
        depth = _depth.get()
        if depth >= MOST_DEEP:
            en = "Actions and models asked one another {most} times; that is an endless loop."
            zh = "动作和模型互相调用了 {most} 次，形成了死循环。"
            raise ActionFailed("too_deep", said(en, zh, most=MOST_DEEP))
        body: dict[str, Any] = {"model": model, "messages": messages}
        if max_tokens is not None:
            body["max_tokens"] = max_tokens
        if temperature is not None:
            body["temperature"] = temperature
        if schema is not None:
            form = {"name": "reply", "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        kept = KeptRequest(
            path="/v1/chat/completions",
            body=msgspec.json.encode(body),
            caller=Caller(occasion.caller, role=occasion.role),
            request_id=f"{occasion.request_id}.{secrets.token_hex(3)}",
            received=self._clock.wall(),
        )
        token, part = _depth.set(depth + 1), PART_OF_ANOTHER.set(True)
        try:
            async with asyncio.timeout(seconds):
                reply = await serve_inside(self._gateway(), kept, None)
        except TimeoutError:
            en, zh = "The model did not reply within {seconds:g} s.", "模型在 {seconds:g} 秒内没有回复。"
            raise ActionFailed("timeout", said(en, zh, seconds=seconds), again=True) from None
        finally:
            _depth.reset(token)
            PART_OF_ANOTHER.reset(part)
        answer = msgspec.json.decode(reply.body)
        if reply.status >= 400:
            error = answer["error"]
            why = Said(error["message"], error["message"])
            raise ActionFailed(str(error["code"]), why, again=reply.status in _PASSING)
        return str(answer["choices"][0]["message"].get("content") or "")
