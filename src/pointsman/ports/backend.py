"""One inference server, as the pipeline sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from pointsman.domain.target import BackendState, Target


class Call(msgspec.Struct, frozen=True):
    """One HTTP exchange with an engine. `path` is below the backend's base URL (`/chat/completions`), or with `root` below
    the server's own root, where engines have what OpenAI's API has not; `body` goes out as it is; `headers` are extra ones,
    names in lower case. Time-outs in seconds; `idle` is the longest silence between bytes; a backend's own settings cut
    them. `whole`: the answer comes at once, when the engine is done. `node` is the one of a pool's nodes at which the caller
    holds a slot. `held_back`: nothing of the reply reaches the client before its end, so it may be asked for again."""

    path: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "POST"
    first_byte: float = 86_400.0
    idle: float = 86_400.0
    whole: bool = False
    root: bool = False
    node: str | None = None
    held_back: bool = False


class Stream(Protocol):
    """A response whose head has arrived. Iterate `chunks()` to the end, or `pour` it, or call `close()`: closing early drops
    the connection, which is how an engine learns that nobody waits any more."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...

    def header(self, name: str) -> str | None: ...

    def chunks(self) -> AsyncIterator[bytes]: ...

    async def pour(self, sink: Callable[[bytes], bool], room: Callable[[], Awaitable[None]]) -> None:
        """Hands every chunk to `sink` as it comes; where that answers False, waits for `room` first. Returns at the end."""

    async def read(self, limit: int = 32 << 20) -> bytes: ...

    def close(self) -> None: ...


class BackendFailure(Exception):
    """The engine could not be reached or broke off: no usable response. `kind` is one of connect, first_byte_timeout,
    idle_timeout, reset, protocol. `sent` says whether any byte of the response had arrived, `elsewhere` that the target has
    other nodes, which may be tried at once."""

    def __init__(self, kind: str, message: str, *, sent: bool = False, elsewhere: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.sent = sent
        self.elsewhere = elsewhere


class EngineLoad(msgspec.Struct, frozen=True, gc=False):
    """What an engine says of itself, None where it does not: requests that it works on, those that wait inside it, how
    often it took a request's cache away since its start, and how full its cache is (0 to 1)."""

    running: int | None = None
    waiting: int | None = None
    preemptions: int | None = None
    kv_cache_usage: float | None = None


class Backend(Protocol):
    """What the pipeline may ask of an inference server. Every method may raise BackendFailure; none retries."""

    @property
    def target(self) -> Target: ...

    @property
    def first_byte(self) -> float:
        """Seconds until the first byte of a reply is due."""
        ...

    @property
    def whole(self) -> bool:
        """Whether the engine stops when the client of a reply without a stream hangs up, so that it may be asked for one."""
        ...

    @property
    def upstream(self) -> Mapping[str, int]:
        """Since the start: requests begun, connections opened, requests on reused ones, requests retried."""
        ...

    async def open(self, call: Call) -> Stream: ...

    async def probe(self) -> BackendState: ...

    async def load(self) -> EngineLoad | None:
        """How much it has to do; None where it does not tell."""
        ...

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        """Tokens of the prompt by the engine's own tokenizer, or None where the engine cannot count."""
        ...

    async def close(self) -> None: ...


class NodeBackend(Backend, Protocol):
    """One of several servers behind a target."""

    async def reachable(self, seconds: float) -> bool:
        """Whether its machine says anything within so many seconds: it takes or refuses a new connection, or sends
        something on another. Never raises."""
        ...
