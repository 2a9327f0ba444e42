"""What an action takes that is a tool of an MCP server: the tool's own schema."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from pointsman.actions.mcp.listing import Asked, listed
from pointsman.actions.mcp.tool import LARGEST_SCHEMA, LONGEST_ABOUT, OPEN, Tool
from pointsman.actions.parameters import schema_problem
from pointsman.actions.specs import NotNow, Surroundings, limited
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.mcp import McpTool
from pointsman.domain.action import ActionSpec, Repeatable
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import said

TOOL = "x-mcp"
"""The key in the schema of parameters that says which tool of which server it is, and what its schema was (`schema`: a
digest; absent where nobody knows it)."""


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Raises Problems where there is no such server or tool, NotNow where its server does not say."""
    given = config.mcp
    assert given is not None
    servers = surroundings.config.mcp_servers
    if given.server not in servers:
        en, zh = "no MCP server {server!r}{hint}", "没有 MCP 服务 {server!r}{hint}"
        message = said(en, zh, server=given.server, hint=did_you_mean(given.server, list(servers)))
        raise Problems([Problem(f"actions.{name}.mcp.server", message, valid=", ".join(servers) or None)])
    asked = listed(surroundings, given.server).get(given.server)
    if asked is None:  # the server itself is wrong, and somebody says so
        return limited(_open(name, given), config)
    if asked.tools is None:
        raise NotNow(asked.why, _spec_before(name, config, asked, surroundings))
    tool = asked.tools.get(given.tool)
    if tool is None:
        en, zh = "{server} has no tool {tool!r}{hint}", "{server} 没有工具 {tool!r}{hint}"
        hint = did_you_mean(given.tool, list(asked.tools))
        message = said(en, zh, server=given.server, tool=given.tool, hint=hint)
        raise Problems([Problem(f"actions.{name}.mcp.tool", message, valid=", ".join(asked.tools)[:1000] or None)])
    return _spec_of_tool(name, config, tool)


def _spec_of_tool(name: str, config: ActionConfig, tool: Tool) -> ActionSpec:
    """Raises Problems where the config does not fit it, NotNow where nobody can tell."""
    given = config.mcp
    assert given is not None
    if tool.only_as_task:
        en, zh = (
            "{tool} can only be called as a task of the server's, which is not done here",
            "{tool} 只能作为服务端任务调用，这里不支持",
        )
        raise Problems([Problem(f"actions.{name}.mcp.tool", said(en, zh, tool=given.tool))])
    spec = _spec(name, given, tool)
    too_large = len(msgspec.json.encode(tool.schema)) > LARGEST_SCHEMA
    wrong = f"> {LARGEST_SCHEMA} B" if too_large else schema_problem(tool.schema)
    if wrong is not None:
        en, zh = (
            "its parameters are not checked here, for its schema is none ({why})",
            "这里不检查它的参数，因为它的 schema 无效（{why}）",
        )
        opened = msgspec.structs.replace(spec, parameters={**OPEN, TOOL: spec.parameters[TOOL]})
        raise NotNow(said(en, zh, why=wrong[:200]), limited(opened, config))
    return limited(msgspec.structs.replace(spec, parameters=_parameters(name, config, given, spec.parameters)), config)


def _spec_before(name: str, config: ActionConfig, asked: Asked, surroundings: Surroundings) -> ActionSpec:
    """As its server described it the last time, else as this gateway knows it, else as one that takes anything."""
    given = config.mcp
    assert given is not None
    tool = (asked.before or {}).get(given.tool)
    if tool is not None:
        try:
            return _spec_of_tool(name, config, tool)
        except NotNow as unsure:
            return unsure.spec
        except Problems:  # the config is for another one than it was then
            return limited(_open(name, given), config)
    return limited(_known(name, given, surroundings) or _open(name, given), config)


def digest(schema: dict[str, Any]) -> str:
    """Of what a tool takes."""
    return hashlib.sha256(msgspec.json.encode(schema, order="sorted")).hexdigest()[:16]


def _spec(name: str, given: McpTool, tool: Tool) -> ActionSpec:
    about = tool.about[:LONGEST_ABOUT]
    repeats = tool.repeats if given.repeatable is None else given.repeatable
    return ActionSpec(
        name=name,
        kind="mcp",
        about={"en": about, "zh": about} if about else {},
        parameters={**tool.schema, TOOL: {"server": given.server, "tool": tool.name, "schema": digest(tool.schema)}},
        effect=not tool.reads,
        repeatable="yes" if repeats else "no",
    )


def _open(name: str, given: McpTool) -> ActionSpec:
    """What takes anything, since nobody knows better."""
    parameters = {**OPEN, TOOL: {"server": given.server, "tool": given.tool}}
    repeatable: Repeatable = "yes" if given.repeatable else "no"
    return ActionSpec(name=name, kind="mcp", parameters=parameters, effect=True, repeatable=repeatable)


def _known(name: str, given: McpTool, surroundings: Surroundings) -> ActionSpec | None:
    """As it was when it was last asked, where it is the same tool."""
    spec = surroundings.found.get(name)
    if spec is None or spec.kind != "mcp":
        return None
    was = spec.parameters.get(TOOL, {})
    same = (was.get("server"), was.get("tool")) == (given.server, given.tool)
    return msgspec.structs.replace(spec, redact=()) if same else None


def _parameters(name: str, config: ActionConfig, given: McpTool, schema: dict[str, Any]) -> dict[str, Any]:
    """Without those that every call has; with what the config says of the others. Raises Problems."""
    properties: dict[str, Any] = dict(schema["properties"])
    required = [key for key in schema.get("required", ()) if key not in given.arguments]
    closed = schema.get("additionalProperties") is False
    problems = []
    for key in given.arguments:
        if key not in properties and closed:
            problems.append(_unknown(f"actions.{name}.mcp.arguments.{key}", key, properties))
        properties.pop(key, None)
    for key, more in (config.parameters or {}).items():
        if key not in properties:
            problems.append(_unknown(f"actions.{name}.parameters.{key}", key, properties))
        elif isinstance(more, dict) and isinstance(properties[key], dict):
            properties[key] = {**properties[key], **more}
            if "default" in more and key in required:
                required.remove(key)
    if problems:
        raise Problems(problems)
    return {**schema, "properties": properties, "required": required}


def _unknown(path: str, key: str, properties: dict[str, Any]) -> Problem:
    en, zh = "the tool takes no {key!r}{hint}", "这个工具没有参数 {key!r}{hint}"
    message = said(en, zh, key=key, hint=did_you_mean(key, list(properties)))
    return Problem(path, message, valid=", ".join(properties) or None)
