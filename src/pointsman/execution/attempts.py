"""Retries and fallback: targets in turn until one gives its first byte; after it nothing is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from pointsman.domain.attempt import Attempt
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.execution.answer import backend_error, judge
from pointsman.execution.first_event import error_in, has_event, is_nothing, read_first_event
from pointsman.ports.backend import Backend, BackendFailure, Call, Stream
from pointsman.ports.clock import Clock

PAUSE = 0.25  # seconds before the same target is tried again; doubled each time
LONGEST_PAUSE = 2.0
_STATUS = {"first_byte_timeout": 504, "idle_timeout": 504}


class Opened(msgspec.Struct):
    """A good response whose first bytes have arrived. `streams`: it is a stream of events."""

    target: str
    stream: Stream
    first: bytes
    streams: bool


class Watch(Protocol):
    """Who keeps the breakers."""

    def sent(self, target: str) -> None: ...

    def told(self, attempt: Attempt) -> None: ...


class Turnstile(Protocol):
    """Lets one request in to one target at a time."""

    async def enter(self, targets: Sequence[str]) -> str:
        """The first of these that it may go to now, once it is its turn. Raises PointsmanError."""
        ...

    def holding(self, targets: Sequence[str]) -> Sequence[str]:
        """Those of them that could take it if nobody else were there."""
        ...

    def leave(self) -> None: ...


class Unwatched:
    """Nobody does."""

    def sent(self, target: str) -> None:
        """Not noted."""

    def told(self, attempt: Attempt) -> None:
        """Not noted."""


async def open_first(
    targets: Sequence[str],
    backends: Mapping[str, Backend],
    call_for: Callable[[str], Call],
    *,
    max_retries: int,
    clock: Clock,
    began: float,
    attempts: list[Attempt],
    must_stream: bool,
    watch: Watch,
    turnstile: Turnstile,
    pool_of: Callable[[str], str],
) -> Opened:
    """Try `targets` in turn, then again from the first, at most `1 + max_retries` times in all. Every try is appended to
    `attempts` and told to `watch`, also the one that a cancellation cuts off. `must_stream`: unless the call is for a whole
    reply, an answer without an event is a failure. `turnstile` lets in: where the target whose turn it is has no room,
    others of its pool do as well; the place is held when this returns, and given back where it raises. A target that
    could never take the request is passed over; where none could, `turnstile` says so of all. Where a node of a target
    cannot be reached and it has others, it is tried again at once: that counts as a try. Raises PointsmanError: the
    client's own fault at once, else the last failure when no try is left."""
    last: PointsmanError | None = None
    holding = turnstile.holding(targets) if len(targets) > 1 else targets
    targets = holding or targets
    left = list(targets)
    for number in range(1 + max_retries):
        if not left:
            wait = last.retry_after if last and last.retry_after else PAUSE * 2 ** (number // len(targets) - 1)
            await asyncio.sleep(min(wait, LONGEST_PAUSE))
            left = list(targets)
        alike = left if len(left) < 2 or not holding else [name for name in left if pool_of(name) == pool_of(left[0])]
        target = await turnstile.enter(alike)
        left.remove(target)
        start = clock.monotonic()
        status: int | None = None
        failure: PointsmanError | None = None
        kind: str | None = None
        stream: Stream | None = None
        done = elsewhere = False
        watch.sent(target)
        try:
            backend = backends[target]
            call = call_for(target)
            stream = await backend.open(call)
            status = stream.status
            judgement = judge(status)
            if judgement == "good":
                streams = must_stream and not call.whole
                opened = await _begin(target, backend, stream, start - clock.monotonic(), streams)
                if isinstance(opened, Opened):
                    done = True
                    return opened
                kind = "http"
                code = opened.get("code")
                status = code if isinstance(code, int) and 400 <= code < 600 else 500
                judgement = judge(status)
                failure = backend_error(target, status, {"error": opened})
            else:
                body = await stream.read(1 << 20)
                failure = backend_error(target, status, body, _retry_after(stream))
                kind = "http" if judgement == "next" else None
            if judgement == "final":
                raise failure
        except BackendFailure as error:
            kind, elsewhere = error.kind, error.elsewhere
            failure = PointsmanError(
                said("{target}: {message}", "{target}：{message}", target=target, message=error.message),
                status=_STATUS.get(error.kind, 502 if error.kind != "connect" else 503),
                type="timeout_error" if error.kind in _STATUS else "api_error",
                code=error.kind,
                src="backend",
            )
        finally:
            if stream is not None and not done:
                stream.close()
            if not done:
                turnstile.leave()
            attempt = Attempt(
                target=target,
                began_ms=round((start - began) * 1000, 3),
                took_ms=round((clock.monotonic() - start) * 1000, 3),
                status=status,
                failure=kind,
                message=str(failure.message) if failure else None,
            )
            attempts.append(attempt)
            watch.told(attempt)
        last = failure
        if elsewhere:
            left.insert(0, target)
    assert last is not None
    raise last


async def _begin(target: str, backend: Backend, stream: Stream, spent: float, streams: bool) -> Opened | dict[str, Any]:
    """The response, once its first event (or, where no stream is due, its first bytes) shows that it is a reply; else
    the error that it holds. `spent` is minus the seconds since the call. Raises BackendFailure."""
    rest = stream.chunks()
    try:
        first = await rest.__anext__()  # the stream's own clock watches over the first byte
    except StopAsyncIteration:
        first = b""
    if not streams:
        return Opened(target, stream, first, False)
    try:
        if not has_event(first):
            async with asyncio.timeout(max(backend.first_byte + spent, 0.001)):
                first = await read_first_event(first, rest)
    except TimeoutError:
        message = said(
            "no first byte of a reply within {seconds:g} s",
            "{seconds:g} 秒内没有收到回复的第一个字节",
            seconds=backend.first_byte,
        )
        raise BackendFailure("first_byte_timeout", message) from None
    content_type = stream.header("content-type") or "text/event-stream"
    if "event-stream" not in content_type and "json" not in content_type:
        return {
            "message": said(
                "answered with {type} and not with a stream of events",
                "返回的是 {type}，而不是事件流",
                type=content_type[:80],
            )
        }
    error = error_in(first)
    if error is not None:
        return error
    if is_nothing(first):
        return {"message": Said("an empty stream", "空的流")}
    return Opened(target, stream, first, True)


def _retry_after(stream: Stream) -> float | None:
    """Seconds; None where the header is missing, a date, or no number that can be waited for."""
    value = stream.header("retry-after")
    try:
        seconds = float(value) if value else 0.0
    except ValueError:
        return None
    return seconds if 0 < seconds < 86_400 else None
