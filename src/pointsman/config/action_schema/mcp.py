"""`mcp:` a tool of an MCP server."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section


class McpTool(Section, frozen=True):
    """One tool of one server, called without any model."""

    server: Annotated[str, Meta(description="a name under mcp_servers")]
    tool: Annotated[str, Meta(min_length=1, description="as the server names it")]


class McpServer(Section, frozen=True):
    """A server that is started (`command`) or reached (`url`)."""

    command: Annotated[list[str], Meta(min_length=1, description="program and its arguments: stdio")] | None = None
    env: Annotated[
        dict[str, str], Meta(description="its environment, besides PATH, HOME and LANG; secrets as ${ENV}")
    ] = {}
    url: Annotated[str, Meta(min_length=1, description="Streamable HTTP endpoint")] | None = None
    headers: Annotated[dict[str, str], Meta(description="for url; secrets as ${ENV}")] = {}
