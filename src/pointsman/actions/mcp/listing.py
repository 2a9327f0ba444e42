"""The tools of the config's servers, asked for once while a config is read."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor

import msgspec

from pointsman.actions.mcp.listed_before import keep_tools, tools_before
from pointsman.actions.mcp.reach import opener, wrong_server
from pointsman.actions.mcp.rpc import McpFailure
from pointsman.actions.mcp.tool import Tool
from pointsman.actions.mcp.use import PATIENCE, ServerInUse
from pointsman.actions.specs import Surroundings
from pointsman.domain.said import Said, said

SECONDS = 10.0
"""For all servers, which are asked side by side."""
_KIND = "mcp"


class Asked(msgspec.Struct, frozen=True):
    """What came of asking one server: its tools, or why there are none; then `before` is what it said before, if that is
    known."""

    tools: dict[str, Tool] | None = None
    why: Said = Said("", "")
    before: dict[str, Tool] | None = None

    @property
    def known(self) -> dict[str, Tool] | None:
        return self.before if self.tools is None else self.tools


def listed(surroundings: Surroundings, *names: str) -> dict[str, Asked]:
    """What those servers say, by name, of those that are in the config and in order; all that any action of the config
    uses are asked the first time, as far as they may be. Blocks."""
    known: dict[str, Asked] = surroundings.asked.setdefault(_KIND, {})
    servers = surroundings.config.mcp_servers
    wanted = [name for name in {*names, *_used(surroundings)} if name not in known and name in servers]
    wanted = [name for name in wanted if not any(wrong_server(name, servers[name]))]
    if wanted:
        folder, may_ask = surroundings.kept, surroundings.may_ask
        asking = [name for name in wanted if may_ask is None or name in may_ask]
        said_now = _run(_ask_all(surroundings, asking)) if asking else {}
        before: dict[str, dict[str, Tool]] = {}
        if folder is not None:
            keep_tools(folder, servers, {name: one.tools for name, one in said_now.items() if one.tools is not None})
            before = tools_before(folder, {name: servers[name] for name in wanted})
        for name in wanted:
            one = said_now.get(name, _not_asked(name))
            known[name] = msgspec.structs.replace(one, before=before.get(name))
    return {name: known[name] for name in names if name in known}


def _used(surroundings: Surroundings) -> Iterable[str]:
    config = surroundings.config
    yield from (action.mcp.server for action in config.actions.values() if action.mcp is not None)
    yield from (name for name, server in config.mcp_servers.items() if server.tools)


async def _ask_all(surroundings: Surroundings, names: list[str]) -> dict[str, Asked]:
    return dict(zip(names, await asyncio.gather(*(_ask(surroundings, name) for name in names)), strict=True))


async def _ask(surroundings: Surroundings, name: str) -> Asked:
    server = surroundings.config.mcp_servers[name]
    if server.url is not None and surroundings.outbound is None:
        return Asked(why=said("{name} is not asked here", "这里不查询 {name}", name=name))
    open_wire, let_go = opener(name, server, surroundings.base, surroundings.outbound)
    use = ServerInUse(name, open_wire, start=SECONDS, let_go=let_go)
    try:
        async with asyncio.timeout(SECONDS + PATIENCE):
            return Asked(await use.tools())
    except McpFailure as failure:
        why = failure.message
        if failure.detail:
            why = said("{why} ({detail})", "{why}（{detail}）", why=why, detail=failure.detail[-300:])
        return Asked(why=why)
    except TimeoutError:
        en, zh = "the MCP server {name} did not say in time which tools it has", "MCP 服务 {name} 没有及时给出工具列表"
        return Asked(why=said(en, zh, name=name))
    finally:
        await use.close()


def _not_asked(name: str) -> Asked:
    return Asked(why=said("the MCP server {name} was not asked", "没有查询 MCP 服务 {name}", name=name))


def _run(work: Coroutine[None, None, dict[str, Asked]]) -> dict[str, Asked]:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
