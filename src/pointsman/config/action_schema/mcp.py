"""`mcp:` a tool of an MCP server, and the servers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from pointsman.config.section import Section


class McpTool(Section, frozen=True):
    """One tool of one server, called without any model."""

    server: Annotated[str, Meta(description="a name under mcp_servers")]
    tool: Annotated[str, Meta(min_length=1, description="as the server names it")]
    arguments: Annotated[
        dict[str, Any], Meta(description="values that every call has, and that nobody else may give")
    ] = {}
    repeatable: (
        Annotated[
            bool,
            Meta(
                description="whether a call that was lost may be made again; default: what the server says of the tool"
            ),
        ]
        | None
    ) = None


class McpServer(Section, frozen=True):
    """A server that is started (`command`) or reached (`url`)."""

    command: (
        Annotated[
            list[str],
            Meta(min_length=1, description="program and its arguments: stdio; it works in the folder of the config"),
        ]
        | None
    ) = None
    env: Annotated[
        dict[str, str], Meta(description="its environment, besides PATH, HOME and LANG; secrets as ${ENV}")
    ] = {}
    url: Annotated[str, Meta(min_length=1, description="Streamable HTTP endpoint")] | None = None
    headers: Annotated[dict[str, str], Meta(description="for url; secrets as ${ENV}")] = {}
    tools: Annotated[
        Literal["all"] | list[str] | None,
        Meta(
            description="tools that become actions called SERVER_TOOL: all, or a list",
            extra={"zh": "成为动作的工具，动作名为 SERVER_TOOL：all 或一个列表"},
        ),
    ] = None
