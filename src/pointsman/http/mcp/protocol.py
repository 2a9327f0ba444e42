"""MCP as the server speaks it: versions, JSON-RPC messages, what is wrong with one."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import msgspec

from pointsman import __version__
from pointsman.domain.said import Said, said
from pointsman.http.exchange import Client

HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that begin with `initialize`, the newest first."""
STATELESS = "2026-07-28"
"""The version whose every request says for itself who asks, and in which version."""
ASSUMED = "2025-03-26"
"""The version of those who do not say one."""
MOST_TOGETHER = 20
"""Messages of a batch, which only that version knows."""
SERVER = {"name": "pointsman", "title": "Pointsman", "version": __version__}
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
_STATUS = dict.fromkeys((PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION), 400)
_META = "io.modelcontextprotocol/"
_CODED = ("=?base64?", "?=")


class Wrong(Exception):
    """What a message is refused with. `status` is that of the HTTP answer to it alone."""

    def __init__(self, code: int, message: Said, data: Any = None, *, status: int = 200) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status


class Call(msgspec.Struct, frozen=True):
    """One request of a client: `version` is what both speak."""

    id: int | str | float
    method: str
    params: dict[str, Any]
    version: str

    @property
    def stateless(self) -> bool:
        return self.version == STATELESS


def version_of(client: Client) -> str:
    """What its headers say. Raises Wrong."""
    named = client.header(b"mcp-protocol-version")
    if named is None:
        return ASSUMED
    if named not in (*HANDSHAKES, STATELESS):
        raise unsupported(named)
    return named


def call_of(message: Any, client: Client, version: str) -> Call | None:
    """The request that it is; None: it wants no answer. Raises Wrong."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Wrong(INVALID_REQUEST, _NO_MESSAGE, status=400)
    method, number = message.get("method"), message.get("id")
    if method is None and ("result" in message or "error" in message):
        return None  # nothing was asked of the client
    if not isinstance(method, str):
        raise Wrong(INVALID_REQUEST, _NO_MESSAGE, status=400)
    if "id" not in message:
        return None
    if isinstance(number, bool) or not isinstance(number, int | str | float):
        raise Wrong(INVALID_REQUEST, Said("id must be text or a number", "id 必须是文本或数字"), status=400)
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise Wrong(INVALID_PARAMS, Said("params must be an object", "params 必须是对象"))
    return Call(number, method, params, _said_in(params, client, version) or version)


def _said_in(params: dict[str, Any], client: Client, header: str) -> str | None:
    """The version that a request of the stateless kind names, which must be that of its header. Raises Wrong."""
    meta = params.get("_meta")
    named = meta.get(f"{_META}protocolVersion") if isinstance(meta, dict) else None
    if named is None:
        if header == STATELESS:
            raise Wrong(
                INVALID_PARAMS,
                said("_meta.{it} is missing", "缺少 _meta.{it}", it=f"{_META}protocolVersion"),
                status=400,
            )
        return None
    if not isinstance(named, str):
        raise Wrong(INVALID_PARAMS, Said("the protocol version must be text", "协议版本必须是文本"), status=400)
    if client.header(b"mcp-protocol-version") != named:
        raise mismatch("mcp-protocol-version", named)
    if named != STATELESS:
        raise unsupported(named)
    return named


def check_headers(call: Call, client: Client) -> None:
    """What goes before a stateless request in headers must be what it says. Raises Wrong."""
    if client.header(b"mcp-method") != call.method:
        raise mismatch("mcp-method", call.method)
    name = call.params.get("name")
    if call.method == "tools/call" and isinstance(name, str) and _decoded(client.header(b"mcp-name")) != name:
        raise mismatch("mcp-name", name)


def mismatch(header: str, value: str) -> Wrong:
    en, zh = 'the header {header} must be "{value}", as in the message', "请求头 {header} 必须与消息一致：“{value}”"
    return Wrong(HEADER_MISMATCH, said(en, zh, header=header, value=value[:100]), status=400)


def unsupported(named: str) -> Wrong:
    valid = [STATELESS, *HANDSHAKES]
    en, zh = "no version {named!r} of the protocol; valid: {valid}", "没有协议版本 {named!r}（可用的有：{valid}）"
    message = said(en, zh, named=named[:40], valid=", ".join(valid))
    return Wrong(UNSUPPORTED_VERSION, message, {"supported": valid, "requested": named[:40]}, status=400)


def result(call: Call, content: dict[str, Any]) -> dict[str, Any]:
    """The answer to it."""
    if call.stateless:
        content = {"resultType": "complete", **content, "_meta": {f"{_META}serverInfo": SERVER}}
    return {"jsonrpc": "2.0", "id": call.id, "result": content}


def refusal(number: Any, wrong: Wrong) -> dict[str, Any]:
    """The answer in its place."""
    error: dict[str, Any] = {"code": wrong.code, "message": wrong.message}
    if wrong.data is not None:
        error["data"] = wrong.data
    return {"jsonrpc": "2.0", "id": number, "error": error}


def status_of(call: Call | None, wrong: Wrong) -> int:
    """Of an HTTP answer that is that refusal."""
    if call is not None and call.stateless:
        return 404 if wrong.code == METHOD_NOT_FOUND else _STATUS.get(wrong.code, 200)
    return wrong.status


def _decoded(value: str | None) -> str | None:
    if value is None or not (value.startswith(_CODED[0]) and value.endswith(_CODED[1])):
        return value
    try:
        return base64.b64decode(value[len(_CODED[0]) : -len(_CODED[1])], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


_NO_MESSAGE = Said("this is no JSON-RPC 2.0 message", "这不是 JSON-RPC 2.0 消息")
