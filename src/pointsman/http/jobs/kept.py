"""What is kept of a request that is done later, and of its reply."""

from __future__ import annotations

import msgspec

from pointsman.http.auth import Caller
from pointsman.http.exchange import Client

_LEFT_OUT = frozenset(
    (
        b"authorization",
        b"x-api-key",
        b"cookie",
        b"connection",
        b"content-length",
        b"content-type",
        b"expect",
        b"idempotency-key",
        b"origin",
        b"prefer",
        b"transfer-encoding",
    )
)
"""Headers that are of the connection that brought them, or secrets: no key is ever kept."""


class Onward(msgspec.Struct, frozen=True, kw_only=True):
    """Where what comes of a job goes: channels of delivery, and those that are told where nothing does. `language` is the
    one to speak there, None: the question's. `schedule` is the name of the one that asked."""

    deliver: tuple[str, ...] = ()
    on_failure: tuple[str, ...] = ()
    language: str | None = None
    schedule: str | None = None


NOWHERE = Onward()


class KeptRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`path` is the endpoint's, `headers` those that mean something later, `received` seconds since the epoch,
    `request_id` the id that the request has in traces and in the log. `loopback`: it came from this machine. `rules_only`:
    it is done by a rule, or not at all."""

    path: str
    body: bytes
    caller: Caller
    request_id: str
    received: float
    headers: tuple[tuple[bytes, bytes], ...] = ()
    loopback: bool = False
    rules_only: bool = False
    onward: Onward = NOWHERE


class KeptAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action that a client named itself. `parameters` is a JSON object."""

    action: str
    parameters: bytes
    request_id: str
    language: str
    base_url: str
    role: str | None = None
    user: str | None = None
    onward: Onward = NOWHERE


class KeptReply(msgspec.Struct, frozen=True):
    """A response, whole. Names of headers are in lower case."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        return next((value for known, value in self.headers if known == name), None)


encode = msgspec.msgpack.Encoder().encode
request_of = msgspec.msgpack.Decoder(KeptRequest).decode
action_of = msgspec.msgpack.Decoder(KeptAction).decode
reply_of = msgspec.msgpack.Decoder(KeptReply).decode


def kept(client: Client, path: str, body: bytes, onward: Onward = NOWHERE) -> KeptRequest:
    """This client's request for that endpoint."""
    return KeptRequest(
        path=path,
        body=body,
        caller=client.caller,
        request_id=client.request_id,
        received=client.received,
        headers=tuple((name, value) for name, value in client.fields.items() if name not in _LEFT_OUT),
        loopback=client.loopback,
        onward=onward,
    )
