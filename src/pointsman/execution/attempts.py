"""Retries and fallback: targets in turn until one gives its first byte; after it nothing is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import msgspec

from pointsman.domain.attempt import Attempt
from pointsman.domain.errors import PointsmanError
from pointsman.execution.answer import backend_error, judge, stream_error
from pointsman.ports.backend import Backend, BackendFailure, Call, Stream
from pointsman.ports.clock import Clock

PAUSE = 0.25  # seconds before the same target is tried again; doubled each time
LONGEST_PAUSE = 2.0
_STATUS = {"first_byte_timeout": 504, "idle_timeout": 504}


class Opened(msgspec.Struct):
    """A good response whose first bytes have arrived."""

    target: str
    stream: Stream
    first: bytes
    rest: AsyncIterator[bytes]


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
) -> Opened:
    """Try `targets` in turn, then again from the first, at most `1 + max_retries` times in all. Every try is appended to
    `attempts`, also the one that a cancellation cuts off. `must_stream`: an answer without a byte is a failure.
    Raises PointsmanError: the client's own fault at once, else the last failure when no try is left."""
    last: PointsmanError | None = None
    for number in range(1 + max_retries):
        target = targets[number % len(targets)]
        if number >= len(targets):
            wait = last.retry_after if last and last.retry_after else PAUSE * 2 ** (number // len(targets) - 1)
            await asyncio.sleep(min(wait, LONGEST_PAUSE))
        start = clock.monotonic()
        status: int | None = None
        failure: PointsmanError | None = None
        kind: str | None = None
        stream: Stream | None = None
        done = False
        try:
            stream = await backends[target].open(call_for(target))
            status = stream.status
            judgement = judge(status)
            if judgement == "good":
                rest = stream.chunks()
                first = await anext(rest, b"")
                error = stream_error(first) if must_stream else None
                if error is None and (first or not must_stream):
                    done = True
                    return Opened(target, stream, first, rest)
                kind = "http"
                said = msgspec.json.encode({"error": error}) if error else b'{"error":{"message":"an empty stream"}}'
                code = error.get("code") if error else None
                status = code if isinstance(code, int) and 400 <= code < 600 else 500
                judgement = judge(status)
                failure = backend_error(target, status, said)
            else:
                body = await stream.read(1 << 20)
                failure = backend_error(target, status, body, _retry_after(stream))
                kind = "http" if judgement == "next" else None
            if judgement == "final":
                raise failure
        except BackendFailure as error:
            kind = error.kind
            failure = PointsmanError(
                f"{target}: {error.message}",
                status=_STATUS.get(error.kind, 502 if error.kind != "connect" else 503),
                type="timeout_error" if error.kind in _STATUS else "api_error",
                code=error.kind,
                src="backend",
            )
        finally:
            if stream is not None and not done:
                stream.close()
            attempts.append(
                Attempt(
                    target=target,
                    began_ms=round((start - began) * 1000, 3),
                    took_ms=round((clock.monotonic() - start) * 1000, 3),
                    status=status,
                    failure=kind,
                    message=failure.message if failure else None,
                )
            )
        last = failure
    assert last is not None
    raise last


def _retry_after(stream: Stream) -> float | None:
    value = stream.header("retry-after")
    try:
        return float(value) if value else None
    except ValueError:
        return None
