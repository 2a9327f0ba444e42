"""Tools of MCP servers (modelcontextprotocol.io), called by rule or by path."""
