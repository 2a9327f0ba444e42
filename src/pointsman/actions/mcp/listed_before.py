"""What servers said of their tools the last time, kept in the data folder for those who must not ask, or cannot."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pointsman.actions.mcp.tool import Tool
from pointsman.config.action_schema import McpServer

_FILE = "mcp-tools.json"
_MOST = 32 << 20
"""Bytes of it that are read."""


class _Kept(msgspec.Struct, frozen=True):
    """`server`: which one it was, without its secrets."""

    server: str
    tools: list[Tool]


def tools_before(folder: Path, servers: Mapping[str, McpServer]) -> dict[str, dict[str, Tool]]:
    """By server and name; of servers that are reached as they were then."""
    kept = _read(folder)
    return {
        name: {tool.name: tool for tool in kept[name].tools}
        for name, server in servers.items()
        if name in kept and kept[name].server == _digest(server)
    }


def keep_tools(folder: Path, servers: Mapping[str, McpServer], said: Mapping[str, Mapping[str, Tool]]) -> None:
    """Beside what other servers of the config said; where the folder is there already, and may be written."""
    if not said or not folder.is_dir():
        return
    kept = {name: one for name, one in _read(folder).items() if name in servers}
    kept |= {name: _Kept(_digest(servers[name]), list(tools.values())) for name, tools in said.items()}
    written = folder / f"{_FILE}.{secrets.token_hex(8)}"
    try:
        with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(msgspec.json.encode(kept))
        written.replace(folder / _FILE)
    except OSError:
        with contextlib.suppress(OSError):
            written.unlink(missing_ok=True)


def _read(folder: Path) -> dict[str, _Kept]:
    try:
        with (folder / _FILE).open("rb") as file:
            return msgspec.json.decode(file.read(_MOST), type=dict[str, _Kept])
    except (OSError, msgspec.DecodeError):
        return {}


def _digest(server: McpServer) -> str:
    return hashlib.sha256(msgspec.json.encode([server.command, server.url])).hexdigest()[:16]
