"""A tool as its server describes it."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.mcp.words import clean, one_line

MOST_TOOLS = 500
LONGEST_ABOUT = 2000
"""Characters of a description."""
LARGEST_SCHEMA = 64 << 10
"""Bytes of the JSON of one."""
OPEN: dict[str, Any] = {"type": "object", "properties": {}}
"""What takes anything."""


class Tool(msgspec.Struct, frozen=True):
    """`schema` is a JSON Schema of type object, as the server gave it. `reads`: it changes nothing; `repeats`: doing it
    twice does no more than once; both as far as the server says so."""

    name: str
    about: str = ""
    schema: dict[str, Any] = msgspec.field(default_factory=lambda: dict(OPEN))
    reads: bool = False
    repeats: bool = False
    only_as_task: bool = False


class _Hints(msgspec.Struct, frozen=True, rename="camel"):
    read_only_hint: bool = False
    idempotent_hint: bool = False
    title: str | None = None


class _Execution(msgspec.Struct, frozen=True, rename="camel"):
    task_support: str | None = None


class _Listed(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    title: str | None = None
    description: str | None = None
    input_schema: dict[str, Any] | None = None
    annotations: _Hints | None = None
    execution: _Execution | None = None


class _Page(msgspec.Struct, frozen=True, rename="camel"):
    tools: list[Any]
    next_cursor: str | None = None


def page_of(result: dict[str, Any]) -> tuple[list[Tool], str | None]:
    """The tools of one page of `tools/list`, and where the next one begins. What is no tool is left out. Raises
    ValueError for what is no page."""
    try:
        page = msgspec.convert(result, _Page)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    tools = []
    for given in page.tools:
        try:
            listed = msgspec.convert(given, _Listed, strict=False)
        except msgspec.ValidationError:
            continue
        if listed.name and listed.name == clean(listed.name) and len(listed.name) <= 256:
            tools.append(_tool(listed))
    return tools, page.next_cursor or None


def _tool(listed: _Listed) -> Tool:
    hints = listed.annotations or _Hints()
    about = listed.description or listed.title or hints.title or ""
    schema = listed.input_schema or {}
    return Tool(
        name=listed.name,
        about=clean(about.strip(), LONGEST_ABOUT),
        schema={**schema, "type": "object", "properties": schema.get("properties", {})},
        reads=hints.read_only_hint,
        repeats=hints.read_only_hint or hints.idempotent_hint,
        only_as_task=listed.execution is not None and listed.execution.task_support == "required",
    )


def heading(tool: Tool, most: int = 100) -> str:
    """The first line of what it does."""
    return one_line(tool.about.partition("\n")[0], most)
