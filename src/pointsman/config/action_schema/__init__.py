"""The part of the schema that describes actions: a file for each kind."""

from pointsman.config.action_schema.action import ACTS, REPLIES, ActionConfig
from pointsman.config.action_schema.mcp import McpServer

__all__ = ["ACTS", "REPLIES", "ActionConfig", "McpServer"]
