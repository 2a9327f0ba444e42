"""The tools of MCP servers that a config wants as actions, as if each had a line of its own under `actions:`."""

from __future__ import annotations

import re

import msgspec

from pointsman.actions.mcp.listing import Asked, listed
from pointsman.actions.mcp.reach import wrong_server
from pointsman.actions.mcp.spec import TOOL
from pointsman.actions.specs import Surroundings
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.mcp import McpTool
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


def with_tools(surroundings: Surroundings) -> Offered:
    """Actions called SERVER_TOOL for each server that says `tools`. Those that the config names itself go before them."""
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
            wanted = _known(surroundings, server)
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


def all_tools(surroundings: Surroundings, asked: dict[str, Asked]) -> dict[str, Asked]:
    """What every server says, those among them that were `asked` already."""
    surroundings.asked["mcp"] = dict(asked)
    return listed(surroundings, *surroundings.config.mcp_servers)


def _known(surroundings: Surroundings, server: str) -> list[str]:
    """The tools of a server that does not answer now, as far as they are known from before."""
    places = [spec.parameters.get(TOOL, {}) for spec in surroundings.found.values() if spec.kind == "mcp"]
    return list(dict.fromkeys(place["tool"] for place in places if place.get("server") == server))
