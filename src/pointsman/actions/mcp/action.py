"""A tool, called."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.mcp.reach import opener
from pointsman.actions.mcp.result import effect_of, read_result
from pointsman.actions.mcp.rpc import INVALID_PARAMS, McpFailure, RpcError
from pointsman.actions.mcp.spec import TOOL, digest
from pointsman.actions.mcp.tool import Tool
from pointsman.actions.mcp.use import NoTool, ServerInUse
from pointsman.actions.mcp.words import one_line
from pointsman.actions.parameters import Checker, schema_problem
from pointsman.actions.tools import Tools
from pointsman.apart import apart
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said, told
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion

_PASSING = ("lost", "timeout", "unreachable", "not_started")
"""Failures after which another try may go better."""


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.mcp is not None
    name = config.mcp.server
    server = tools.config.mcp_servers[name]
    key = msgspec.json.encode(("mcp", name, server.command, server.env, server.url, server.headers, str(tools.base)))

    def begun() -> ServerInUse:
        open_wire, let_go = opener(name, server, tools.base, tools.outbound)
        return ServerInUse(name, open_wire, let_go=let_go)

    use = tools.residents.get(key.decode(), begun, ServerInUse)
    return McpAction(spec, config, tools, use)


class McpAction:
    """What the server's tool takes is checked as it is at the call; a call that may have been carried out is not made
    again, unless the tool says that this does no harm."""

    def __init__(self, spec: ActionSpec, config: ActionConfig, tools: Tools, use: ServerInUse) -> None:
        assert config.mcp is not None
        self._spec = spec
        self._fixed = config.mcp.arguments
        self._defaults = {
            name: schema["default"]
            for name, schema in spec.properties.items()
            if isinstance(schema, dict) and "default" in (config.parameters or {}).get(name, {})
        }
        self._server, self._tool = config.mcp.server, config.mcp.tool
        self._tools = tools
        self._use = use
        self._checked: tuple[str, Checker | None] = "", None

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """All that can be told without the server is in the schema."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        arguments = {**self._defaults, **parameters, **self._fixed}
        try:
            result = await self._use.call(
                self._tool, arguments, lambda tool: self._check(tool, arguments), self._spec.seconds
            )
        except NoTool as none:
            en = "The MCP server {server} has no tool {tool} any more (valid: {valid})."
            zh = "MCP 服务 {server} 已经没有工具 {tool}（可用的有：{valid}）。"
            valid = one_line(", ".join(none.valid), 500) or Said("none", "无")
            message = said(en, zh, server=self._server, tool=self._tool, valid=valid)
            raise ActionFailed("unknown_tool", message, refused=True) from None
        except RpcError as error:
            en, zh = "The MCP server {server} refused the call: {words}", "MCP 服务 {server} 拒绝了这次调用：{words}"
            code = "bad_parameters" if error.code == INVALID_PARAMS else "tool_error"
            words = one_line(error.words, 1000) or str(error.code)
            raise ActionFailed(code, said(en, zh, server=self._server, words=words)) from None
        except McpFailure as failure:
            return self._lost(failure, occasion)
        read = await apart(read_result, result, self._spec.output)
        return await effect_of(read, self._spec.name, occasion, self._tools)

    def _lost(self, failure: McpFailure, occasion: Occasion) -> Effect:
        """Raises ActionFailed where nothing can have been done, or doing it again does no harm."""
        if failure.sent and self._spec.repeatable != "yes":
            en = "The call went out, but nobody knows whether it was carried out: {why}. It is not made again."
            zh = "调用已经发出，但不知道是否已经执行：{why}。不会再次调用。"
            return Effect(told(said(en, zh, why=failure.message), occasion.tongue), "failed", "uncertain")
        code = "timeout" if failure.kind == "timeout" else f"mcp_{failure.kind}"
        message = said("{why}.", "{why}。", why=_begun(failure.message))
        raise ActionFailed(code, message, detail=failure.detail, again=failure.kind in _PASSING)

    def _check(self, tool: Tool, arguments: dict[str, Any]) -> None:
        """Whether the tool takes them, as it is now. Raises ActionFailed."""
        now = digest(tool.schema)
        if self._checked[0] != now:
            spec = msgspec.structs.replace(self._spec, parameters=tool.schema)
            self._checked = now, None if schema_problem(tool.schema) else Checker(spec)
        checker = self._checked[1]
        if checker is None:
            return
        try:
            checker.check(arguments)
        except PointsmanError as error:
            message: str = error.message
            was = self._spec.parameters.get(TOOL, {}).get("schema")
            if was is not None and was != now:
                en = "{why}. The tool has changed since the config was read; reload it to see what it takes now"
                zh = "{why}。读取配置之后这个工具有了变化；重新加载即可看到它现在的参数"
                message = said(en, zh, why=error.message)
            raise ActionFailed("bad_parameters", message, refused=True) from None


def _begun(message: Said) -> Said:
    """As the beginning of a sentence."""
    return Said(message[:1].upper() + message[1:], message.zh)
