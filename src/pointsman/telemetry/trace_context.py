"""W3C trace context: whose trace a request belongs to, and the ids of the spans that are told of it.

All ids follow from the request's own id and the client's header: nothing has to be remembered between the moment at which a
call is sent to an engine and the moment at which its span is told."""

from __future__ import annotations

import re
from hashlib import blake2b

import msgspec

_HEADER = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_SAMPLED = 1
_NOBODY, _NOWHERE = "0" * 32, "0" * 16
LONGEST_STATE = 512
"""Characters of a tracestate that are passed on."""


class Context(msgspec.Struct, frozen=True, gc=False):
    """`parent` is the client's span, None where there was none. `sampled`: its spans are told."""

    trace_id: bytes
    parent: bytes | None
    sampled: bool


def read(header: str | None) -> Context | None:
    """The client's own `traceparent`; None where there is none that is valid, which is as if it had not been sent."""
    found = None if header is None else _HEADER.fullmatch(header.strip())
    if found is None:
        return None
    version, trace, span, flags, more = found.groups()
    if version == "ff" or (version == "00" and more) or trace == _NOBODY or span == _NOWHERE:
        return None
    return Context(bytes.fromhex(trace), bytes.fromhex(span), bool(int(flags, 16) & _SAMPLED))


def context_of(request_id: str, header: str | None, share: float) -> Context:
    """Of a request: the client's trace, told if the client's is; else one of its own, told for that share of all."""
    given = read(header)
    if given is not None:
        return given
    trace = blake2b(request_id.encode(), digest_size=16, person=b"trace").digest()
    return Context(trace, None, int.from_bytes(trace[8:]) < share * 2.0**64)


def span_id(request_id: str, name: str) -> bytes:
    """Of that part of the request."""
    return blake2b(f"{request_id}/{name}".encode(), digest_size=8, person=b"span").digest()


def attempt_name(number: int) -> str:
    """Of the attempt with that number, from 0."""
    return f"attempt.{number}"


def header_of(context: Context, span: bytes) -> str:
    """The `traceparent` for who is called within that span."""
    return f"00-{context.trace_id.hex()}-{span.hex()}-{_SAMPLED if context.sampled else 0:02x}"
