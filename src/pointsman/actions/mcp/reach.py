"""How a server of the config is reached."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from pointsman.actions.mcp.stdio import opened
from pointsman.actions.mcp.streamable import HttpWire
from pointsman.actions.mcp.use import Open
from pointsman.actions.mcp.wire import Wire
from pointsman.config.action_schema import McpServer
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.hosts import AllowedHosts, read_hosts
from pointsman.domain.said import Said
from pointsman.ports.outbound import Outbound

_PORTS = {"http": 80, "https": 443}
_HEADER = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
_OURS = frozenset(("accept", "content-type", "content-length", "host", "connection", "transfer-encoding"))


def opener(
    name: str, server: McpServer, base: Path, outbound: Callable[[AllowedHosts, str], Outbound] | None
) -> tuple[Open, Callable[[], None]]:
    """What begins it, and what lets go of what that needs. The host in its URL is allowed: the owner wrote it."""
    if server.command is not None:
        command = server.command

        async def started() -> Wire:
            return await opened(name, command, server.env, base)

        return started, _nothing
    assert server.url is not None and outbound is not None
    url, calls = server.url, outbound(read_hosts([_place(server.url)]), f"mcp_servers.{name}.url")

    async def reached() -> Wire:
        return HttpWire(name, url, server.headers, calls)

    return reached, calls.close


def wrong_servers(config: Config) -> Iterator[Problem]:
    """All that is wrong with how servers are to be reached."""
    for name, server in config.mcp_servers.items():
        yield from wrong_server(name, server)


def wrong_server(name: str, server: McpServer) -> Iterator[Problem]:
    path = f"mcp_servers.{name}"
    if (server.command is None) == (server.url is None):
        yield Problem(path, _ONE, valid="command: [PROGRAM, …], url: https://…")
    elif server.command is not None:
        if server.headers:
            yield Problem(f"{path}.headers", Said("goes with url", "只用于 url"), valid="command, env, tools")
        if not server.command[0].strip():
            yield Problem(f"{path}.command", Said("names no program", "没有写程序"))
    elif server.url is not None:
        if server.env:
            yield Problem(f"{path}.env", Said("goes with command", "只用于 command"), valid="url, headers, tools")
        try:
            read_hosts([_place(server.url)])
        except ValueError as error:
            yield Problem(f"{path}.url", error.args[0], valid="http://HOST[:PORT]/PATH, https://HOST[:PORT]/PATH")
        for header, value in server.headers.items():
            if not _HEADER.fullmatch(header) or not _VALUE.fullmatch(value) or header.lower() in _OURS:
                what = Said("cannot be sent as a header", "不能作为请求头发送")
                yield Problem(f"{path}.headers.{header[:60]}", what)


def _place(url: str) -> str:
    """Host and port. Raises ValueError, in both languages."""
    try:
        parts = urlsplit(url)
        host = parts.netloc
    except ValueError:
        host = ""
    if not host or parts.scheme not in _PORTS or "@" in host:
        raise ValueError(Said("is no URL that can be called", "不是可以调用的 URL"))
    return host if re.search(r":[0-9]+$", host) else f"{host}:{_PORTS[parts.scheme]}"


def _nothing() -> None:
    """A process needs nothing that outlives it."""


_ONE = Said("says command or url, one of them", "command 和 url 必须且只能写一个")
