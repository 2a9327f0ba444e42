"""The tools of MCP servers that a config wants as actions, as if each had a line of its own under `actions:`."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from pointsman.actions.mcp.listing import Asked, listed
from pointsman.actions.mcp.reach import wrong_server
from pointsman.actions.mcp.spec import TOOL
from pointsman.actions.mcp.tool import Tool
from pointsman.actions.specs import Surroundings
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.mcp import McpTool
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import said

_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


class Offered(msgspec.Struct, frozen=True):
    """`surroundings` with the config's actions and those beside them; what is wrong; what could not be asked now; and what
    the servers that were asked said."""

    surroundings: Surroundings
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    asked: dict[str, Asked]


def with_tools(surroundings: Surroundings, named: Collection[str] = ()) -> Offered:
    """Actions called SERVER_TOOL for each server that says `tools`. Those that the config names itself go before them.
    `named` are actions that somebody names: of a server of whose tools nobody knows they are believed to be there."""
    config = surroundings.config
    actions = dict(config.actions)
    problems: list[Problem] = []
    notes: list[str] = []
    for server, given in config.mcp_servers.items():
        if given.tools is None or any(wrong_server(server, given)):
            continue
        path = f"mcp_servers.{server}.tools"
        asked = listed(surroundings, server)[server]
        if asked.tools is not None:
            there = [name for name, tool in asked.tools.items() if not tool.only_as_task]
            wanted = there if given.tools == "all" else list(dict.fromkeys(given.tools))
            for name in wanted:
                if name not in asked.tools:
                    en, zh = "{server} has no tool {tool!r}{hint}", "{server} 没有工具 {tool!r}{hint}"
                    message = said(en, zh, server=server, tool=name, hint=did_you_mean(name, there))
                    problems.append(Problem(path, message, valid=", ".join(there)[:1000] or None))
            wanted = [name for name in wanted if name in asked.tools]
        elif given.tools == "all":
            wanted = _believed(surroundings, server, asked.before, named)
            notes.append(said("{path}: {why}", "{path}：{why}", path=path, why=asked.why))
        else:
            wanted = list(dict.fromkeys(given.tools))
        for name in wanted:
            action = f"{_UNFIT.sub('_', server)}_{_UNFIT.sub('_', name)}"
            if action in config.actions:
                continue
            if action in actions:
                en, zh = "{tool!r} would be the action {action} as well", "{tool!r} 也会成为动作 {action}"
                notes.append(
                    said("{path}: {why}", "{path}：{why}", path=path, why=said(en, zh, tool=name, action=action))
                )
                continue
            actions[action] = ActionConfig(mcp=McpTool(server=server, tool=name))
    config = msgspec.structs.replace(config, actions=actions)
    surroundings = msgspec.structs.replace(surroundings, config=config)
    return Offered(surroundings, tuple(problems), tuple(notes), surroundings.asked.get("mcp", {}))


def servers_of(action: str, config: Config) -> frozenset[str]:
    """Those whose tool an action of that name is, or may be; those of its steps, where it is a chain."""
    given = config.actions.get(action)
    if given is None:
        return frozenset(name for name in config.mcp_servers if action.startswith(f"{_UNFIT.sub('_', name)}_"))
    if given.mcp is not None:
        return frozenset((given.mcp.server,))
    own = (servers_of(step.action, config) for step in given.steps or () if step.action != action)
    return frozenset().union(*own)


def all_tools(surroundings: Surroundings, asked: dict[str, Asked]) -> dict[str, Asked]:
    """What every server says, those among them that were `asked` already."""
    surroundings.asked["mcp"] = dict(asked)
    return listed(surroundings, *surroundings.config.mcp_servers)


def _believed(
    surroundings: Surroundings, server: str, before: dict[str, Tool] | None, named: Collection[str]
) -> list[str]:
    """The tools of a server that does not answer now, as far as they are known from before, and those that are named."""
    if before is not None:
        return [name for name, tool in before.items() if not tool.only_as_task]
    start = f"{_UNFIT.sub('_', server)}_"
    others = [name.removeprefix(start) for name in named if name.startswith(start) and name != start]
    return list(dict.fromkeys([*_known(surroundings, server), *others]))


def _known(surroundings: Surroundings, server: str) -> list[str]:
    """As this gateway knows them."""
    places = [spec.parameters.get(TOOL, {}) for spec in surroundings.found.values() if spec.kind == "mcp"]
    return [place["tool"] for place in places if place.get("server") == server]
