"""`POST /mcp`: Streamable HTTP without sessions, each answer one JSON object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pointsman.apart import apart
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import Said, said, told
from pointsman.http.cors import Cors
from pointsman.http.decide import DecideDoor
from pointsman.http.exchange import Client
from pointsman.http.mcp import protocol
from pointsman.http.mcp.noted import ToolLog
from pointsman.http.mcp.protocol import Call, Wrong
from pointsman.http.mcp.tools import DECIDE, described, named
from pointsman.http.strict_json import APART, parse_body
from pointsman.ports.action import Action, ActionFailed, Effect, MadeFile, Occasion

Link = Callable[[MadeFile, str], str]
"""The URL of a file, given that under which the client reached the gateway."""
_ABOUT = Said(
    "Tools of a Pointsman gateway: actions that its owner configured, and `decide`.",
    "Pointsman 网关的工具：管理员配置的动作，以及 decide。",
)


class McpDoor:
    """`deciding` answers the tool `decide`; `cors` says which pages of browsers may ask; `log` notes calls."""

    def __init__(
        self, actions: Mapping[str, Action], deciding: DecideDoor, cors: Cors, link: Link, log: ToolLog
    ) -> None:
        self._actions = actions
        self._deciding = deciding
        self._cors = cors
        self._link = link
        self._log = log

    async def post(self, client: Client, data: bytes) -> None:
        """A page that could not read the answer is refused even where it has a key: the protocol wants it so, against
        names that are made to lead to this machine."""
        origin = client.header(b"origin")
        if origin is not None and not self._cors.allows(origin):
            raise self._cors.refusal(origin)
        try:
            version = protocol.version_of(client)
            messages = await apart(_messages, data, version) if len(data) > APART else _messages(data, version)
        except Wrong as wrong:
            client.json(wrong.status, protocol.refusal(None, wrong))
            return
        answers = [
            answer
            for number, message in enumerate(messages)
            if (answer := await self._answer(message, client, version, number))
        ]
        if not answers:
            client.reply(202, b"")
        elif isinstance(messages, tuple):
            client.json(*answers[0])
        else:
            client.json(200, [content for _, content in answers])

    async def _answer(
        self, message: Any, client: Client, version: str, place: int
    ) -> tuple[int, dict[str, Any]] | None:
        """Status and content; None where the message wants none. `place` is its own among those that came together."""
        call: Call | None = None
        try:
            call = protocol.call_of(message, client, version)
            if call is None:
                return None
            return 200, protocol.result(call, await self._done(call, client, place))
        except Wrong as wrong:
            number = message.get("id") if isinstance(message, dict) else None
            known = isinstance(number, int | str | float) and not isinstance(number, bool)
            return protocol.status_of(call, wrong), protocol.refusal(number if known else None, wrong)

    async def _done(self, call: Call, client: Client, place: int) -> dict[str, Any]:
        """The result. Raises Wrong."""
        if call.stateless:
            protocol.check_headers(call, client)
        match call.method:
            case "initialize" if not call.stateless:
                wanted = call.params.get("protocolVersion")
                version = wanted if wanted in protocol.HANDSHAKES else protocol.HANDSHAKES[0]
                return {
                    "protocolVersion": version,
                    "capabilities": {"tools": {}},
                    "serverInfo": protocol.SERVER,
                    "instructions": _ABOUT,
                }
            case "server/discover" if call.stateless:
                return {
                    "supportedVersions": [protocol.STATELESS, *protocol.HANDSHAKES],
                    "capabilities": {"tools": {}},
                    "instructions": _ABOUT,
                    "ttlMs": 0,
                    "cacheScope": "private",
                }
            case "ping" if not call.stateless:
                return {}
            case "tools/list":
                tools = described(self._actions, client.tongue)
                return {"tools": tools, **({"ttlMs": 0, "cacheScope": "private"} if call.stateless else {})}
            case "tools/call":
                return await self._called(call, client, place)
        en, zh = "no method {method!r}; valid: {valid}", "没有方法 {method!r}（可用的有：{valid}）"
        valid = "initialize, ping, tools/list, tools/call, server/discover"
        raise Wrong(protocol.METHOD_NOT_FOUND, said(en, zh, method=call.method[:100], valid=valid))

    async def _called(self, call: Call, client: Client, place: int) -> dict[str, Any]:
        """What the tool gave, or in which way it failed: whoever called may do better then. Raises Wrong where there is no
        such tool."""
        name, arguments = call.params.get("name"), call.params.get("arguments")
        names = named(self._actions)
        if name != DECIDE and (not isinstance(name, str) or name not in names):
            en, zh = "no tool {name!r}{hint}; valid: {valid}", "没有工具 {name!r}{hint}（可用的有：{valid}）"
            valid = [*names, DECIDE]
            hint = did_you_mean(str(name)[:100], valid)
            message = said(en, zh, name=str(name)[:100], hint=hint, valid=", ".join(valid))
            raise Wrong(protocol.INVALID_PARAMS, message)
        if arguments is not None and not isinstance(arguments, dict):
            raise Wrong(protocol.INVALID_PARAMS, Said("arguments must be an object", "arguments 必须是对象"))
        action = None if name == DECIDE else self._actions[names[name]]
        spec = None if action is None else action.spec
        with self._log.noting(client, place, DECIDE if spec is None else spec.name, spec, arguments or {}) as ending:
            try:
                ending.begin()
                if action is None:
                    decision = await self._decided(arguments or {}, client)
                    ending.end("ok")
                    return {"content": [_text(msgspec.json.encode(decision).decode())], "structuredContent": decision}
                action.check(arguments or {})
                effect = await action.run(arguments or {}, _occasion(client))
            except PointsmanError as error:
                ending.end("refused", error.code)
                return {"content": [_text(told(error.message, client.tongue))], "isError": True}
            except ActionFailed as failure:
                ending.end("refused" if failure.refused else "failed", failure.code)
                return {"content": [_text(told(failure.message, client.tongue))], "isError": True}
            ending.end(effect.outcome, effect.error)
            return self._shown(effect, call, client)

    async def _decided(self, tree: dict[str, Any], client: Client) -> dict[str, Any]:
        """The decision as JSON has it. Raises PointsmanError."""
        decision = await self._deciding.decide(client, tree)
        told_decision: dict[str, Any] = msgspec.json.decode(client.encoded(decision))
        return told_decision

    def _shown(self, effect: Effect, call: Call, client: Client) -> dict[str, Any]:
        content = [_text(effect.text)]
        if call.version in (protocol.STATELESS, *protocol.HANDSHAKES[:2]):
            content += [
                {
                    "type": "resource_link",
                    "uri": self._link(file, client.base_url),
                    "name": file.name,
                    "mimeType": file.media_type,
                    "size": file.size,
                }
                for file in effect.files
            ]
        shown: dict[str, Any] = {"content": content}
        if effect.values:
            shown["structuredContent"] = effect.values
        if effect.outcome not in ("ok", "refused") or (effect.outcome == "refused" and not effect.asks):
            shown["isError"] = True
        return shown


def _messages(data: bytes, version: str) -> tuple[Any] | list[Any]:
    """The one message, or those of a batch. Raises Wrong."""
    if data.lstrip()[:1] != b"[":
        try:
            return (parse_body(data).tree,)
        except PointsmanError as error:
            message = error.message if isinstance(error.message, Said) else Said(error.message, error.message)
            raise Wrong(protocol.PARSE_ERROR, message, status=400) from None
    if version != protocol.ASSUMED:
        en, zh = "batches are of version {version} of the protocol alone", "只有 {version} 版协议才有批量消息"
        raise Wrong(protocol.INVALID_REQUEST, said(en, zh, version=protocol.ASSUMED), status=400)
    try:
        messages = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        raise Wrong(
            protocol.PARSE_ERROR, Said("the body is not valid JSON", "请求体不是有效的 JSON"), status=400
        ) from None
    if not 0 < len(messages) <= protocol.MOST_TOGETHER:
        en, zh = "a batch has 1 to {most} messages", "一批消息有 1 到 {most} 条"
        raise Wrong(protocol.INVALID_REQUEST, said(en, zh, most=protocol.MOST_TOGETHER), status=400)
    return list(messages)


def _occasion(client: Client) -> Occasion:
    return Occasion(
        request_id=client.request_id,
        tongue=client.tongue,
        base_url=client.base_url,
        caller=client.caller.name,
        role=client.caller.role,
        now=client.received,
    )


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
