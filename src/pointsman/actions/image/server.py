"""A server that draws, as both engines need it: its address, calls to it, pictures out of its answers."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from pointsman.actions.image import failures
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed, Tell
from pointsman.ports.outbound import Answer, Headers, NotAnswered, Outbound, Refused

ROOM = 1 << 20
"""Bytes of an answer besides its pictures."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be drawn; `seconds` is how long it may take."""

    prompt: str
    negative: str
    width: int
    height: int
    count: int
    seed: int | None
    seconds: float


class Drawn(msgspec.Struct, frozen=True):
    """The bytes of a picture, unjudged; its seed, and how the server read the prompt, where it says so."""

    content: bytes
    seed: int | None = None
    revised: str | None = None


class Draws(Protocol):
    """An engine. `draw` raises ActionFailed; cancelled, it has the server stop."""

    async def draw(self, order: Order, tell: Tell) -> list[Drawn]: ...


class Server:
    """`base` as the config has it; `name` is its host, for people; `most` bytes of a picture are taken."""

    def __init__(self, base: str, outbound: Outbound, headers: Headers, most: int) -> None:
        self.base = base.rstrip("/")
        self.name = urlsplit(base).netloc
        self.most = most
        self._outbound = outbound
        self._headers = headers

    async def call(self, method: str, path: str, body: Any = None, *, seconds: float, pictures: int = 0) -> Answer:
        """A call whose answer holds so many pictures. Raises ActionFailed for anything but a whole 200."""
        most = pictures * (self.most * 4 // 3 + 4) + ROOM
        answer = await self.ask(method, path, body, seconds=seconds, most=most)
        if answer.ended == "too_large":
            raise failures.too_large(most)
        if answer.ended != "whole":
            raise failures.broken_off() if answer.ended == "broken" else failures.not_answered(_late(), self.name)
        if answer.status != 200:
            raise failures.refused_answer(answer, self.name)
        return answer

    async def ask(self, method: str, path: str, body: Any = None, *, seconds: float, most: int = ROOM) -> Answer:
        """A call, whatever its answer. Raises ActionFailed where there is none."""
        data = b"" if body is None else msgspec.json.encode(body)
        headers = (*self._headers, ("accept", "application/json"))
        if data:
            headers = (*headers, ("content-type", "application/json"))
        try:
            return await self._outbound.ask(
                method, self.base + path, headers, data, seconds=max(seconds, 0.1), most=most
            )
        except NotAnswered as error:
            raise failures.not_answered(error, self.name) from None
        except Refused as error:
            raise ActionFailed("setup", error.message, detail=error.message) from None
        except ValueError as error:  # a key with a line break
            raise failures.no_picture(f"a header that HTTP cannot carry: {error}") from None

    async def fetch(self, url: str, *, seconds: float) -> bytes:
        """The picture behind a link that the server gave; no key goes with it. Raises ActionFailed."""
        try:
            answer = await self._outbound.ask("GET", url, (), seconds=max(seconds, 0.1), most=self.most)
        except (Refused, NotAnswered) as error:
            raise failures.not_fetched(str(error)) from None
        except ValueError as error:
            raise failures.not_fetched(f"{error}") from None
        if answer.ended == "too_large":
            raise failures.too_large(self.most)
        if answer.status != 200 or answer.ended != "whole":
            raise failures.not_fetched(f"status {answer.status}, {answer.ended}")
        return answer.body

    def decoded(self, text: str) -> bytes:
        """Base64, bare or as a data URL. Raises ActionFailed."""
        if text.startswith("data:"):
            text = text.partition(",")[2]
        try:
            content = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise failures.no_picture(f"no base64: {error}") from None
        if len(content) > self.most:
            raise failures.too_large(self.most)
        return content


def _late() -> NotAnswered:
    return NotAnswered("timeout", Said("the answer did not end in time", "应答没有及时结束"), sent=True)
