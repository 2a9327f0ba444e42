"""What an action does in the world, as the pipeline sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec

from pointsman.domain.action import ActionSpec
from pointsman.domain.attempt import Outcome
from pointsman.domain.wording import Tongue

Tell = Callable[[int, int], Awaitable[None]]
"""Takes how much is done, and of how much."""


class MadeFile(msgspec.Struct, frozen=True):
    """A file that an action made: its key in the file store, the name that people see, `size` in bytes."""

    key: str
    name: str
    media_type: str
    size: int


class Attached(msgspec.Struct, frozen=True):
    """A file that came with the message itself, or that an earlier step made: one of `content` and `key`."""

    name: str
    media_type: str = "application/octet-stream"
    content: bytes | None = None
    key: str | None = None


async def nobody(done: int, of: int) -> None:
    """Nobody wants to know how far it is."""


class Occasion(msgspec.Struct, frozen=True, kw_only=True):
    """For whom and where: the request's id, the language to speak, and the URL under which the client reached the gateway
    (`http://host:port`), for links. `caller` owns the uploads that parameters may name. `effect` names what is to be done
    once even where several do it (`req_X.0.1`, fit to be part of a key); None: nobody else does it. `files` are those that
    parameters of the format `file` may name besides uploads. `tell` is told how far it is. `gpu_memory`: megabytes that the
    rule which had it done declares; None: as the action does."""

    request_id: str
    tongue: Tongue
    base_url: str
    caller: str = "anonymous"
    user: str | None = None
    role: str | None = None
    effect: str | None = None
    now: float = 0.0
    files: Mapping[str, Attached] = {}
    tell: Tell = nobody
    gpu_memory: int | None = None


class Effect(msgspec.Struct, frozen=True):
    """What was done, told to the person. `outcome` is refused where nothing was done on purpose. `asks`: the text is a
    question, and the person's next message may answer it. `values` are for the steps after it and for programs: JSON.
    `error` "uncertain": a call went out, and nobody knows whether it was carried out; it is never tried again."""

    text: str
    outcome: Outcome = "ok"
    error: str | None = None
    asks: bool = False
    values: dict[str, Any] = {}
    files: tuple[MadeFile, ...] = ()


class ActionFailed(Exception):
    """It did not work out, and the person is told why. `code` is a word for programs (`timeout`, `too_large`, `refused`,
    `bad_file`, …); `message` says it in both languages; `detail` is for the operator's log. `again`: another try may go
    better. `refused`: nothing was done on purpose, by a rule of the action's own."""

    def __init__(
        self, code: str, message: str, *, detail: str | None = None, again: bool = False, refused: bool = False
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail = detail
        self.again = again
        self.refused = refused


class Action(Protocol):
    """Cancelling `run` undoes what is unfinished and leaves nothing running. What a person caused is an Effect with its
    words, or ActionFailed. Where `occasion.effect` is given, what may go better the next time is raised."""

    @property
    def spec(self) -> ActionSpec: ...

    def check(self, parameters: dict[str, Any]) -> None:
        """Whether `run` would take these, from a client that named the action itself. Raises PointsmanError (400)."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect: ...


class AskModel(Protocol):
    """A routed model call, as a step of an action."""

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
        """The text of the reply. `model` is what a client could name. Raises ActionFailed."""


class Uploaded(Protocol):
    """The uploads of callers."""

    async def __call__(self, file_id: str, caller: str) -> tuple[str, int, AsyncIterator[bytes]] | None:
        """Name, size and content; None where that caller has no such file."""
