"""The filler: a model reads the parameters of an action in a query, in a closed form, and what it made up is left out."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pointsman.arbiter.llm.cut import cut, harmless
from pointsman.arbiter.llm.repair import object_in
from pointsman.arbiter.llm.supported import Source, supported
from pointsman.arbiters.llm.engine import Engine, Written
from pointsman.arbiters.llm.engines import engine_of
from pointsman.arbiters.llm.exchange import Unheard
from pointsman.domain.intent import Failure, Filled, Query
from pointsman.domain.json_schema import validator_of
from pointsman.domain.wording import Tongue
from pointsman.ports.backend import Backend

MOST_TOKENS = 256
"""Of the object."""
_TASK: dict[Tongue, str] = {
    "en": "Read the request and write its parameters as one JSON object. Copy values from the request as they stand there. "
    "Leave out what the request does not say. What it is for: {action}. Parameters: {names}.",
    "zh": "阅读请求，把其中的参数写成一个 JSON 对象。值照请求里的原文抄写。请求里没有说的就不要写。"
    "用途：{action}。参数：{names}。",
}


class LlmFiller:
    """`ports.Filler` over one backend. The engine holds the reply to the schema; what comes is repaired once where that is
    unambiguous, held against the schema again, and each value against the query. `bound` and `timeout` as `LlmArbiter`."""

    def __init__(
        self,
        backend: Backend,
        *,
        timeout: float | None = None,
        bound: asyncio.Semaphore | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._engine: Engine = engine_of(backend)
        self._model = backend.target.model
        self._timeout = timeout
        self._bound = bound
        self._clock = clock

    async def fill(self, query: Query, action: str, schema: dict[str, Any]) -> Filled:
        began = self._clock()
        text, _ = cut(query.text)
        written = Written("")
        failure: Failure | None = None
        parameters: dict[str, Any] = {}
        try:
            async with asyncio.timeout(self._timeout), self._bound or contextlib.nullcontext():
                written = await self._engine.write(messages(text, query, action, schema), optional(schema), MOST_TOKENS)
            read = object_in(written.text)
            if read is None:
                raise Unheard("invalid")
            parameters = supported(read, schema, Source(query.text, query.context))
            if not validator_of(optional(schema)).is_valid(parameters):  # what binds one value to another
                parameters = {}
                raise Unheard("invalid")
        except Unheard as unheard:
            failure = unheard.failure
        except TimeoutError:
            failure = "timeout"
        return Filled(
            model=self._model,
            parameters=parameters,
            failure=failure,
            took_ms=round((self._clock() - began) * 1000, 3),
            input_tokens=written.input_tokens or None,
            output_tokens=written.output_tokens or None,
        )


def messages(text: str, query: Query, action: str, schema: Mapping[str, Any]) -> list[dict[str, str]]:
    """What the model is asked."""
    names = ", ".join(_named(name, part) for name, part in schema.get("properties", {}).items())
    known = f"\n{harmless(msgspec.json.encode(query.context).decode())}" if query.context else ""
    return [
        {"role": "system", "content": _TASK[query.tongue].format(action=harmless(action), names=harmless(names))},
        {"role": "user", "content": harmless(text) + known},
    ]


def _named(name: str, schema: Any) -> str:
    about = schema.get("description") if isinstance(schema, Mapping) else None
    return f"{name} ({about})" if isinstance(about, str) else name


def optional(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without a duty to name anything, so that nothing need be made up."""
    return {key: value for key, value in schema.items() if key != "required"} | {"additionalProperties": False}
