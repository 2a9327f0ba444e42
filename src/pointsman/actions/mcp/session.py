"""A conversation with a server: how it begins in each version of the protocol, its tools, calls."""

from __future__ import annotations

import base64
import re
from typing import Any

from pointsman.actions.mcp import rpc
from pointsman.actions.mcp.rpc import McpFailure, RpcError
from pointsman.actions.mcp.tool import MOST_TOOLS, Tool, page_of
from pointsman.actions.mcp.wire import Wire
from pointsman.actions.mcp.words import one_line
from pointsman.domain.said import Said, said

MOST_PAGES = 50
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_CODED = re.compile(r"=\?base64\?.*\?=")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")


class Session:
    """Over a wire that nothing was sent over yet. `name` is the server's in the config."""

    def __init__(self, name: str, wire: Wire) -> None:
        self.wire = wire
        self._name = name
        self._stateless = False
        self._tools: dict[str, Tool] = {}

    @property
    def alive(self) -> bool:
        return self.wire.alive

    async def begin(self) -> None:
        """Finds a version that both speak: a handshake, as nearly all servers know it; else without one. Raises
        McpFailure."""
        wanted = {"protocolVersion": rpc.HANDSHAKES[0], "capabilities": {}, "clientInfo": rpc.CLIENT}
        try:
            result = await self.wire.ask("initialize", wanted)
        except RpcError as error:
            await self._begin_stateless(error)
            return
        version = result.get("protocolVersion")
        if version not in rpc.HANDSHAKES:
            en, zh = "it speaks version {version!r} of the protocol", "它使用的协议版本是 {version!r}"
            raise self._wrong(said(en, zh, version=str(version)[:40]))
        self.wire.speaks(version)
        await self.wire.tell("notifications/initialized")

    async def tools(self) -> dict[str, Tool]:
        """By their names, as they are now. Raises McpFailure."""
        if self._tools and not self.wire.stale:
            return self._tools
        self.wire.stale = False
        tools: dict[str, Tool] = {}
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            try:
                page, cursor = page_of(await self._ask("tools/list", params))
            except RpcError as error:
                if error.code == rpc.METHOD_NOT_FOUND:
                    break  # it has none
                raise self._wrong(said(*_SAYS, words=one_line(error.words, 300))) from None
            except ValueError as error:
                what = Said("its list of tools has no known form", "它的工具列表格式无法识别")
                raise self._wrong(what, str(error)) from None
            tools.update((tool.name, tool) for tool in page)
            if cursor is None or len(tools) >= MOST_TOOLS:
                break
        self._tools = dict(list(tools.items())[:MOST_TOOLS])
        return self._tools

    async def call(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of `tools/call`. Raises RpcError, McpFailure."""
        headers = {"mcp-name": _header(tool.name), **_mirrored(tool.schema, arguments)} if self._stateless else None
        return await self._ask("tools/call", {"name": tool.name, "arguments": arguments}, headers)

    async def _ask(self, method: str, params: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, Any]:
        if not self._stateless:
            return await self.wire.ask(method, params)
        params = {**params, "_meta": rpc.stateless_meta()}
        return await self.wire.ask(method, params, {"mcp-method": method, **(headers or {})})

    async def _begin_stateless(self, first: RpcError) -> None:
        self._stateless = True
        self.wire.speaks(rpc.STATELESS)
        try:
            result = await self._ask("server/discover", {})
        except RpcError as error:
            words = one_line((error if error.code == rpc.UNSUPPORTED_VERSION else first).words, 300)
            raise self._wrong(said(*_SAYS, words=words)) from None
        versions = result.get("supportedVersions")
        if not isinstance(versions, list) or rpc.STATELESS not in versions:
            en, zh = "it speaks versions {versions} of the protocol", "它使用的协议版本是 {versions}"
            raise self._wrong(said(en, zh, versions=str(versions)[:100]))

    def _wrong(self, what: Said, detail: str | None = None) -> McpFailure:
        en, zh = "the MCP server {name} is of no use: {what}", "MCP 服务 {name} 无法使用：{what}"
        return McpFailure("protocol", said(en, zh, name=self._name, what=what), sent=False, detail=detail)


_SAYS = 'it says "{words}"', "它说“{words}”"


def _header(value: str) -> str:
    """A text as the value of a header (2026-07-28): as it is where a header can carry it."""
    if _PLAIN.fullmatch(value) and not _CODED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _mirrored(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, str]:
    """The headers that repeat arguments which the schema marks so (`x-mcp-header`, 2026-07-28)."""
    headers: dict[str, str] = {}
    places = [(schema, arguments)]
    while places and len(headers) < 32:
        node, values = places.pop()
        properties = node.get("properties")
        for key, inner in properties.items() if isinstance(properties, dict) else ():
            value = values.get(key)
            if not isinstance(inner, dict) or value is None:
                continue
            token = inner.get("x-mcp-header")
            if isinstance(value, dict):
                places.append((inner, value))
            elif isinstance(token, str) and _TOKEN.fullmatch(token) and isinstance(value, str | int):
                text = str(value).lower() if isinstance(value, bool) else str(value)
                headers[f"mcp-param-{token.lower()}"] = _header(text)
    return headers
