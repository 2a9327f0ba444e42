"""The tools of MCP servers, as `check` shows them: what each takes, and which actions call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointsman.actions.mcp.listing import Asked
from pointsman.actions.mcp.spec import TOOL
from pointsman.actions.mcp.tool import Tool, heading
from pointsman.cli.table import table
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import Said, Tongue, said, told

_HEADS = (Said("tool", "工具"), Said("actions", "动作"), Said("parameters", "参数"), Said("what it does", "作用"))
_TYPES = {
    "string": Said("text", "文本"),
    "integer": Said("whole number", "整数"),
    "number": Said("number", "数字"),
    "boolean": Said("true/false", "布尔值"),
    "array": Said("list", "列表"),
    "object": Said("object", "对象"),
}


def tool_lines(servers: Mapping[str, Asked], document: PolicyDocument, tongue: Tongue) -> list[str]:
    """A table for each server. A parameter that may be left out has a question mark."""
    actions = _actions(document)
    lines: list[str] = []
    for name, asked in servers.items():
        if asked.tools is None:
            lines.append(told(said("mcp {name}: {why}", "mcp {name}：{why}", name=name, why=asked.why), tongue))
            continue
        en, zh = "mcp {name}: {count} tools", "mcp {name}：{count} 个工具"
        lines.append(told(said(en, zh, name=name, count=len(asked.tools)), tongue))
        rows = [
            (
                tool.name,
                ", ".join(actions.get((name, tool.name), [])) or "-",
                _takes(tool, tongue) or "-",
                heading(tool, 60),
            )
            for tool in asked.tools.values()
        ]
        if rows:
            lines += [f"  {line}" for line in table([told(head, tongue) for head in _HEADS], rows, set())]
    return lines


def tools_as_json(servers: Mapping[str, Asked], document: PolicyDocument) -> dict[str, Any]:
    """The same for programs; nothing where there are no servers."""
    actions = _actions(document)
    return (
        {
            "mcp_servers": {
                name: {
                    "problem": asked.why if asked.tools is None else None,
                    "tools": [
                        {
                            "tool": tool.name,
                            "about": tool.about,
                            "parameters": tool.schema,
                            "read_only": tool.reads,
                            "repeatable": tool.repeats,
                            "actions": actions.get((name, tool.name), []),
                        }
                        for tool in (asked.tools or {}).values()
                    ],
                }
                for name, asked in servers.items()
            }
        }
        if servers
        else {}
    )


def _actions(document: PolicyDocument) -> dict[tuple[str, str], list[str]]:
    """(server, tool) → the actions that call it."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, rule in document.actions.items():
        place = rule.spec.parameters.get(TOOL) if rule.spec is not None else None
        if isinstance(place, dict):
            found.setdefault((place["server"], place["tool"]), []).append(name)
    return found


def _takes(tool: Tool, tongue: Tongue) -> str:
    properties, required = tool.schema.get("properties", {}), tool.schema.get("required", ())
    if not isinstance(properties, dict) or not isinstance(required, list | tuple):
        return ""
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {_kind(schema, tongue)}" for name, schema in properties.items()
    )


def _kind(schema: Any, tongue: Tongue) -> str:
    if not isinstance(schema, dict):
        return "?"
    if isinstance(options := schema.get("enum"), list):
        return " | ".join(map(str, options[:6])) + (" | …" if len(options) > 6 else "")
    kinds = schema.get("type")
    several = kinds if isinstance(kinds, list) else [kinds]
    names = [told(_TYPES[kind], tongue) for kind in several if isinstance(kind, str) and kind in _TYPES]
    return "/".join(names) or "…"
