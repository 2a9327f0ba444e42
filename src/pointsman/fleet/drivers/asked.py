"""An engine's own API, asked through its adapter."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

import msgspec

from pointsman.domain.said import Said, said
from pointsman.fleet.load_faults import fault_of
from pointsman.ports.backend import Backend, BackendFailure, Call
from pointsman.ports.model_driver import LoadFailure

T = TypeVar("T")
LOOK = 10.0
"""Seconds that a question may take which moves nothing."""
_MOST = 8 << 20


class _Message(msgspec.Struct):
    message: str


class _Error(msgspec.Struct):
    error: str | _Message


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes

    def read(self, type: type[T]) -> T | None:
        """Of a 200; None where it is not of that type."""
        try:
            return msgspec.json.decode(self.body, type=type) if self.status == 200 else None
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    @property
    def error(self) -> str:
        """What an engine says went wrong, at most a line or two."""
        try:
            found = msgspec.json.decode(self.body, type=_Error).error
            text = found if isinstance(found, str) else found.message
        except (msgspec.DecodeError, UnicodeDecodeError):
            text = self.body.decode("utf-8", "replace")
        return " ".join(text.split())[:300] or f"status {self.status}"


class Asked:
    """`model` is the target's, for sentences."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.model = backend.target.model

    async def ask(self, method: str, path: str, fields: dict[str, Any] | None = None, limit: float = LOOK) -> Answer:
        """`path` is below the server's root. Raises LoadFailure where nobody answers in time; a status is an answer."""
        body = b"" if fields is None else msgspec.json.encode(fields)
        call = Call(path, body, method=method, first_byte=limit, idle=limit, whole=True, root=True)
        try:
            async with asyncio.timeout(limit):
                stream = await self._backend.open(call)
                return Answer(stream.status, await stream.read(_MOST))
        except TimeoutError:
            raise LoadFailure("timeout", self._late(path, limit)) from None
        except BackendFailure as failure:
            text = failure.message
            message = text if isinstance(text, Said) else Said(text, f"“{text}”")
            if failure.kind in ("first_byte_timeout", "idle_timeout"):
                raise LoadFailure("timeout", message) from None
            raise LoadFailure("refused", message) from None

    def refusal(self, doing: Said, answer: Answer) -> LoadFailure:
        """Of a status that nobody wanted; memory that was short is told from other reasons by its words."""
        fault = fault_of(None, [answer.error])
        text = said(
            "{model} {doing}: the engine says {why}",
            "{model} {doing}：引擎说{why}",
            model=self.model,
            doing=doing,
            why=Said(f'"{answer.error}" (status {answer.status})', f"“{answer.error}”（状态码 {answer.status}）"),
        )
        if fault is not None and fault.kind == "memory":
            return LoadFailure("memory", text)
        return LoadFailure("missing" if answer.status == 404 else "refused", text)

    def unconfirmed(self, limit: float, what: Said) -> LoadFailure:
        """The engine was told to let the model go, and has it still."""
        return LoadFailure(
            "unconfirmed",
            said(
                "{model} was to be unloaded, and {limit:g} s later {what}",
                "已要求卸载 {model}，但 {limit:g} 秒后{what}",
                model=self.model,
                limit=limit,
                what=what,
            ),
        )

    def _late(self, path: str, limit: float) -> Said:
        return said(
            "{model}: the engine did not answer {path} within {limit:g} s",
            "{model}：引擎在 {limit:g} 秒内没有回答 {path}",
            model=self.model,
            path=path,
            limit=limit,
        )


NOT_LOADED = Said("could not be loaded", "无法加载")
NOT_UNLOADED = Said("could not be unloaded", "无法卸载")
