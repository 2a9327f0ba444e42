"""A server that has an address: Streamable HTTP, one POST for each message."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from pointsman.actions.mcp import rpc
from pointsman.actions.mcp.events import Events
from pointsman.actions.mcp.rpc import Incoming, McpFailure
from pointsman.actions.mcp.words import one_line
from pointsman.apart import apart
from pointsman.domain.said import Said, said
from pointsman.ports.outbound import Answer, Headers, NotAnswered, Outbound, Refused

LONGEST = 3600.0  # seconds: whoever asks has a limit of their own
ASIDE = 5.0  # seconds for what nobody waits for: cancellations, refusals, farewells
BACK = 1.0  # seconds before a stream that broke off is taken up, where the server does not say
MOST_BACK = 100
MOST_ASIDE = 16
_ACCEPT = ("accept", "application/json, text/event-stream")
_JSON = ("content-type", "application/json")
_LONG = 32 << 10
_CREDENTIALS = (401, 403)


class HttpWire:
    """`Wire`. `headers` go along with every request (keys, for instance). Each call has a connection of its own."""

    def __init__(self, name: str, url: str, headers: Mapping[str, str], outbound: Outbound) -> None:
        self.stale = False
        self._name = name
        self._url = url
        self._given: Headers = tuple((key.lower(), value) for key, value in headers.items())
        self._outbound = outbound
        self._number = 0
        self._version: str | None = None
        self._session: str | None = None
        self._over = False
        self._aside: set[asyncio.Task[None]] = set()

    @property
    def alive(self) -> bool:
        return not self._over

    async def ask(self, method: str, params: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, Any]:
        self._number += 1
        number = self._number
        try:
            answer = await self._answer(number, rpc.request(number, method, params), tuple((headers or {}).items()))
        except asyncio.CancelledError:
            if method != "initialize" and self._version != rpc.STATELESS:
                self._send_aside(rpc.notice("notifications/cancelled", {"requestId": number}))
            raise
        try:
            return rpc.result_of(answer)
        except ValueError as error:
            raise self._wrong(Said("an answer of no known form", "应答的格式无法识别"), str(error)) from None

    async def tell(self, method: str) -> None:
        answer = await self._post(rpc.notice(method), ())
        if answer.status >= 300:
            raise self._refused(answer)

    def speaks(self, version: str) -> None:
        self._version = version

    async def close(self, patience: float = 0.0) -> None:
        if patience > 0 and self._aside and not self._over:
            await asyncio.wait(self._aside, timeout=patience)
        over, self._over = self._over, True
        for task in self._aside:
            task.cancel()
        if self._aside:
            await asyncio.wait(self._aside)
        if self._session is not None and patience > 0 and not over:
            with contextlib.suppress(McpFailure, TimeoutError):
                async with asyncio.timeout(patience):
                    await self._called("DELETE", self._common(), b"", None)

    async def _answer(self, number: int, body: bytes, headers: Headers) -> Incoming:
        """What came in answer to that request, of all that came."""
        events = Events()
        found: list[Incoming] = []

        def enough(piece: bytes) -> bool:
            for data in events.feed(piece):
                self._take(rpc.read(data) or [], number, found)
            return bool(found)

        answer = await self._post(body, headers, enough)
        if self._session is not None and _forgotten(answer):
            self._over = True
            en, zh = "the MCP server {name} has ended the session", "MCP 服务 {name} 已结束会话"
            raise McpFailure("lost", said(en, zh, name=self._name), sent=False)
        kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
        if kind == "text/event-stream" and answer.status == 200:
            return await self._from_stream(number, answer, events, found, enough)
        if answer.ended == "too_large":
            raise self._too_large()
        whole = await apart(rpc.read, answer.body) if len(answer.body) > _LONG else rpc.read(answer.body)
        if kind == "application/json" and whole:
            self._take(whole, number, found)
            if found and answer.status < 500:
                return self._noted(found[0], answer)
            if answer.status >= 400 and answer.status not in _CREDENTIALS and whole[0].is_error:
                with contextlib.suppress(ValueError):  # refused before its number was looked at
                    rpc.result_of(whole[0])
        if answer.status != 200 or answer.ended != "whole":
            raise self._refused(answer)
        raise self._wrong(Said("its answer is no message", "它的应答不是协议消息"), kind[:100])

    async def _from_stream(
        self, number: int, answer: Answer, events: Events, found: list[Incoming], enough: Callable[[bytes], bool]
    ) -> Incoming:
        """The stream is taken up again where it broke off before the answer, as long as the server lets one."""
        self._noted(None, answer)
        for _ in range(MOST_BACK):
            if found:
                return found[0]
            if answer.ended == "too_large":
                raise self._too_large()
            if events.last is None:
                break
            await asyncio.sleep(BACK if events.retry is None else min(events.retry, 60.0))
            again = (_ACCEPT, ("last-event-id", events.last), *self._common())
            answer = await self._called("GET", again, b"", enough)
            if answer.status != 200:
                break
        what = Said("its stream ended before the answer came", "它的事件流在给出应答之前就结束了")
        raise McpFailure("lost", self._wrong(what).message, sent=True)

    def _noted(self, message: Incoming | None, answer: Answer) -> Incoming:
        """Keeps the session that the answer to the first request names."""
        named = answer.header("mcp-session-id")
        if self._session is None and self._version is None and named and named.isascii() and len(named) <= 1000:
            self._session = named
        return message or Incoming()

    def _take(self, messages: list[Incoming], number: int, found: list[Incoming]) -> None:
        for message in messages:
            if message.is_answer:
                if message.id == number and not found:
                    found.append(message)
            elif message.is_request:
                self._send_aside(rpc.reply_to(message))
            elif message.method == "notifications/tools/list_changed":
                self.stale = True

    async def _post(self, body: bytes, headers: Headers, enough: Callable[[bytes], bool] | None = None) -> Answer:
        if self._over:
            raise McpFailure("lost", said(*_OVER, name=self._name), sent=False)
        all_headers = (_JSON, _ACCEPT, *self._common(), *headers)
        only_events = _in_streams(enough) if enough is not None else None
        return await self._called("POST", all_headers, body, only_events)

    async def _called(
        self, method: str, headers: Headers, body: bytes, enough: Callable[[bytes], bool] | None
    ) -> Answer:
        try:
            return await self._outbound.ask(
                method, self._url, headers, body, seconds=LONGEST, most=rpc.MOST, enough=enough
            )
        except Refused as refusal:
            raise McpFailure("refused", said(*_UNREACHABLE, name=self._name, why=refusal.message), sent=False) from None
        except NotAnswered as failure:
            why = said(*_UNREACHABLE, name=self._name, why=failure.message)
            raise McpFailure("lost" if failure.sent else "unreachable", why, sent=failure.sent) from None
        except ValueError as error:
            raise McpFailure("refused", said(*_UNREACHABLE, name=self._name, why=error), sent=False) from None

    def _common(self) -> Headers:
        more: Headers = ()
        if self._version is not None:
            more = (("mcp-protocol-version", self._version),)
        if self._session is not None:
            more = (*more, ("mcp-session-id", self._session))
        return (*self._given, *more)

    def _send_aside(self, body: bytes) -> None:
        """Something that nobody waits for."""

        async def sent() -> None:
            with contextlib.suppress(McpFailure, TimeoutError):
                async with asyncio.timeout(ASIDE):
                    await self._post(body, ())

        if len(self._aside) < MOST_ASIDE and not self._over:
            task = asyncio.create_task(sent())
            self._aside.add(task)
            task.add_done_callback(self._aside.discard)

    def _refused(self, answer: Answer) -> McpFailure:
        status = answer.status
        if status in _CREDENTIALS:
            what = Said("it wants other credentials (headers)", "它要求其他凭据（headers）")
        elif status in (404, 405):
            what = Said("there is no Streamable HTTP endpoint at that URL", "这个 URL 上没有 Streamable HTTP 接口")
        elif 300 <= status < 400:
            what = Said("it redirects, which is not followed", "它返回了重定向，这里不会跟随")
        elif answer.ended != "whole":
            what = Said("its answer broke off", "它的应答中断了")
        else:
            what = said("status {status}", "状态码 {status}", status=status)
        acted = status in (500, 502, 504) or answer.ended != "whole"
        kind: rpc.Kind = "lost" if acted else "unreachable" if status in (429, 503) else "refused"
        detail = one_line(answer.body[:2000].decode("utf-8", "replace"), 300)
        return McpFailure(kind, self._wrong(what).message, sent=acted, detail=f"status {status} {detail}".strip())

    def _too_large(self) -> McpFailure:
        en, zh = "one answer of more than {most:,} bytes", "单次应答超过 {most:,} 字节"
        return McpFailure("too_large", self._wrong(said(en, zh, most=rpc.MOST)).message, sent=True)

    def _wrong(self, what: Said, detail: str | None = None) -> McpFailure:
        en, zh = "the MCP server {name} is of no use: {what}", "MCP 服务 {name} 无法使用：{what}"
        return McpFailure("protocol", said(en, zh, name=self._name, what=what), sent=True, detail=detail)


def _in_streams(enough: Callable[[bytes], bool]) -> Callable[[bytes], bool]:
    """A JSON answer is no stream of events, and is read to its end."""
    first = b""

    def judged(piece: bytes) -> bool:
        nonlocal first
        first = first or piece.lstrip()[:1]
        return first not in (b"{", b"[") and enough(piece)

    return judged


def _forgotten(answer: Answer) -> bool:
    """Whether it does not know the session any more: 404, or what some servers answer instead."""
    return answer.status == 404 or (answer.status == 400 and b"session" in answer.body[:2000].lower())


_OVER = "the session with the MCP server {name} is over", "与 MCP 服务 {name} 的会话已结束"
_UNREACHABLE = "the MCP server {name} cannot be reached: {why}", "无法连接 MCP 服务 {name}：{why}"
