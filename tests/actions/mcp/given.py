"""Servers for tests, as a config has them, and what they leave behind."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import psutil

from actions.left import held
from actions.workshop import workshop
from pointsman.actions.mcp.reach import opener
from pointsman.actions.mcp.use import ServerInUse
from pointsman.config.action_schema import McpServer
from pointsman.ports.action import Action

SCRIPTED = str(Path(__file__).with_name("scripted.py"))


def command(mode: str = "") -> list[str]:
    return [sys.executable, SCRIPTED, *([mode] if mode else [])]


def servers(mode: str = "", **more: Any) -> dict[str, Any]:
    return {"script": {"command": command(mode), **more}}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"server": "script", "tool": name, **more}


@contextlib.asynccontextmanager
async def acting(folder: Path, *names: str, mode: str = "", **sections: Any) -> AsyncIterator[Mapping[str, Action]]:
    """Actions that are called as their tools are, and nothing left of the server afterwards."""
    actions = {name: {"mcp": tool(name), "timeout": "10s"} for name in names} | sections.pop("actions", {})
    sections = {"mcp_servers": servers(mode), **sections}
    async with nothing_left(), workshop(folder, actions, **sections) as made:
        yield made


@contextlib.asynccontextmanager
async def in_use(mode: str = "", **more: Any) -> AsyncIterator[ServerInUse]:
    """One server, and nothing left of it afterwards."""
    async with nothing_left():
        open_wire, let_go = opener("script", McpServer(command=command(mode)), Path.cwd(), None)
        use = ServerInUse("script", open_wire, let_go=let_go, **more)
        try:
            yield use
        finally:
            await use.close()


@contextlib.asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """No child more than before, no descriptor more, no task."""
    await asyncio.to_thread(lambda: None)  # the loop's own thread, and descriptors that it keeps
    process = await asyncio.create_subprocess_exec("true", stdin=-1, stdout=-1, stderr=-1)
    await process.communicate()
    before, tasks = held(), asyncio.all_tasks()
    yield
    for _ in range(1500):
        now = held()
        if not now.children - before.children and now.descriptors <= before.descriptors:
            break
        await asyncio.sleep(0.02)
    assert not now.children - before.children, "children are left"
    assert now.descriptors <= before.descriptors, "descriptors are left open"
    assert asyncio.all_tasks() <= tasks, "tasks are left"


async def gone(pid: int) -> bool:
    """Whether that process ends."""
    for _ in range(1500):
        if not psutil.pid_exists(pid):
            return True
        with contextlib.suppress(psutil.Error):
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        await asyncio.sleep(0.02)
    return False


def anything(_: object) -> None:
    """Takes whatever there is."""


async def called(use: ServerInUse, name: str, arguments: dict[str, Any] | None = None, seconds: float = 20.0) -> Any:
    return await use.call(name, arguments or {}, anything, seconds)


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])
