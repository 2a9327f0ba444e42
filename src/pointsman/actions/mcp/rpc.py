"""JSON-RPC as MCP has it: messages to and from a server, versions of the protocol, and what may go wrong."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman import __version__
from pointsman.domain.said import Said

HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that begin with `initialize`, the newest first."""
STATELESS = "2026-07-28"
"""The version whose every request says for itself who asks, and in which version."""
MOST = 16 << 20
"""Bytes of one message, of a line or of an HTTP answer."""
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
UNSUPPORTED_VERSION = -32022
CLIENT = {"name": "pointsman", "version": __version__}
_META = "io.modelcontextprotocol/"
_ABSENT = msgspec.Raw(b"")
Kind = Literal["not_started", "protocol", "lost", "too_large", "refused", "unreachable", "timeout"]


class McpFailure(Exception):
    """A server is of no use now. `sent`: the request had gone out, so that it may have been carried out. The message is
    for people, in both languages; `detail`, such as the server's last words, is for the operator's log."""

    def __init__(self, kind: Kind, message: Said, *, sent: bool, detail: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.sent = sent
        self.detail = detail

    def again(self, *, sent: bool) -> McpFailure:
        """The same, for somebody else."""
        return McpFailure(self.kind, self.message, sent=sent, detail=self.detail)


class RpcError(Exception):
    """The server answered that request with an error, in words of its own."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class Incoming(msgspec.Struct, frozen=True):
    """A message of a server: an answer (`result` or `error`, and the `id` of the request), a request of its own (`method`
    and `id`), or a notice (`method`)."""

    id: int | str | None = None
    method: str | None = None
    result: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT

    @property
    def is_error(self) -> bool:
        return bytes(self.error) not in (b"", b"null")

    @property
    def is_answer(self) -> bool:
        return self.method is None and (self.is_error or bool(bytes(self.result)))

    @property
    def is_request(self) -> bool:
        return self.method is not None and self.id is not None


class _Error(msgspec.Struct, frozen=True):
    code: int | float = 0
    message: str = ""


_incoming = msgspec.json.Decoder(Incoming | list[Incoming])
_error = msgspec.json.Decoder(_Error)
_object = msgspec.json.Decoder(dict[str, Any])


def read(data: bytes) -> list[Incoming] | None:
    """The messages in it, several where they come as a batch (2025-03-26); None: it is no JSON-RPC."""
    try:
        found = _incoming.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    messages = found if isinstance(found, list) else [found]
    return messages if messages and all(one.is_answer or one.method is not None for one in messages) else None


def result_of(answer: Incoming) -> dict[str, Any]:
    """Raises RpcError, and ValueError for a result that is no object."""
    if answer.is_error:
        try:
            error = _error.decode(answer.error)
        except (msgspec.MsgspecError, RecursionError):
            raise ValueError("an error without a code and a message") from None
        raise RpcError(int(error.code), error.message)
    try:
        return _object.decode(answer.result)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from None


def request(number: int, method: str, params: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def notice(method: str, params: dict[str, Any] | None = None) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})


def reply_to(asked: Incoming) -> bytes:
    """What a server gets that asks for something: nothing is offered here (no sampling, no elicitation, no roots) but a
    sign of life."""
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": asked.id}
    if asked.method == "ping":
        return msgspec.json.encode({**answer, "result": {}})
    refusal = {"code": METHOD_NOT_FOUND, "message": f"this client does not offer {(asked.method or '')[:100]}"}
    return msgspec.json.encode({**answer, "error": refusal})


def stateless_meta() -> dict[str, Any]:
    """What goes along with every request of the stateless version."""
    return {
        f"{_META}protocolVersion": STATELESS,
        f"{_META}clientInfo": CLIENT,
        f"{_META}clientCapabilities": {},
    }
