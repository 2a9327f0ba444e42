"""The gateway as an MCP server: its actions, and its decisions, as tools."""
