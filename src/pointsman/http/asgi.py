"""The ASGI application: finds the endpoint, knows the caller, reads the body, and notices when the client is gone."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import Said, Tongue, said
from pointsman.http.auth import ANONYMOUS, Keys
from pointsman.http.cors import Cors
from pointsman.http.exchange import Client, Gone, Receive, Send

log = logging.getLogger("pointsman")

Post = Callable[[Client, bytes], Awaitable[None]]
Get = Callable[[Client], Awaitable[None]]
_OPEN = ("/health", "/ready", "/files/")  # no key: load balancers ask; a link to a file is its own key
_PREFIXES = ("/v1/models/", "/files/")  # what follows names one thing


class Doors:
    """What stands behind each path. Replaced as a whole at a reload."""

    def __init__(
        self,
        gets: dict[str, Get],
        posts: dict[str, Post],
        keys: Keys,
        cors: Cors,
        max_body: int,
        language: Tongue | None = None,
    ) -> None:
        self.gets = gets
        self.posts = posts
        self.keys = keys
        self.cors = cors
        self.max_body = max_body
        self.language = language

    def methods(self, path: str) -> list[str]:
        """What that path takes. Raises a 404 that lists the valid ones."""
        allowed = [name for name, doors in (("GET", self.gets), ("POST", self.posts)) if path in doors]
        if not allowed:
            valid = sorted({*self.gets, *self.posts})
            raise PointsmanError(
                said(
                    "there is no endpoint {path}{hint}; valid: {valid}",
                    "没有接口 {path}{hint}（可用的有：{valid}）",
                    path=path[:200],
                    hint=did_you_mean(path[:200], valid),
                    valid=", ".join(valid),
                ),
                status=404,
                type="not_found_error",
                code="unknown_endpoint",
            )
        return allowed


class Gateway:
    """The application that uvicorn serves. `doors` is swapped by one assignment."""

    def __init__(self, doors: Doors) -> None:
        self.doors = doors

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        doors = self.doors
        client = Client(scope, receive, send, _request_id(), doors.language)
        origin = client.header(b"origin")
        try:
            if origin is not None:
                if client.method == "OPTIONS" and client.header(b"access-control-request-method"):
                    client.extra += doors.cors.preflight(origin, client.header(b"access-control-request-headers"))
                    await client.reply(204, b"")
                    return
                client.extra += doors.cors.headers(origin)
            await self._dispatch(doors, scope, client)
        except PointsmanError as error:
            if not client.began:
                await client.error(error)
        except Gone:
            pass
        except RecursionError:
            if not client.began:
                await client.error(
                    PointsmanError(Said("the body is nested too deeply", "请求体嵌套过深"), code="invalid_json")
                )
        except Exception as error:  # its text may quote the prompt, so only its kind and place are logged
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("request %s failed inside the gateway: %s\n%s", client.request_id, type(error).__name__, where)
            if not client.began:
                await client.error(
                    PointsmanError(
                        Said("the gateway failed; its log has the details", "网关内部出错；详情见网关的日志"),
                        status=500,
                        type="api_error",
                        code="internal",
                    )
                )

    async def _dispatch(self, doors: Doors, scope: dict[str, Any], client: Client) -> None:
        path, method = client.path, client.method
        path = next((prefix for prefix in _PREFIXES if path.startswith(prefix)), path)
        post = doors.posts.get(path) if method == "POST" else None
        if post is None and (method not in ("GET", "HEAD") or path not in doors.gets):
            allowed = " or ".join(doors.methods(path))
            client.extra.append((b"allow", allowed.replace(" or ", ", ").encode()))
            raise PointsmanError(
                said(
                    "{path} takes {allowed}, not {method}",
                    "{path} 只接受 {allowed}，不接受 {method}",
                    path=path,
                    allowed=Said(allowed, allowed.replace(" or ", "、")),
                    method=method,
                ),
                status=405,
                code="method_not_allowed",
            )
        if path not in _OPEN:
            client.caller = doors.keys.identify(scope)
            origin = client.header(b"origin")
            if method == "POST" and origin and client.caller.name == ANONYMOUS and not doors.cors.allows(origin):
                raise doors.cors.refusal(origin)  # a page that somebody on this machine happens to look at
        if post is None:
            await doors.gets[path](client)
            return
        body = await client.body(doors.max_body)
        await _while_connected(client, post(client, body))


def _request_id() -> str:
    """Unguessable, and in the order of time, which keeps the log compact."""
    return f"req_{time.time_ns() // 1_000_000:011x}{secrets.token_hex(7)}"


async def _while_connected(client: Client, work: Any) -> None:
    """Runs `work`; when the client hangs up first, cancels it at once, which drops the engine's connection."""
    task = asyncio.current_task()
    assert task is not None
    gone = False

    async def watch() -> None:
        nonlocal gone
        await client.wait_gone()
        if not client.ended:
            gone = True
            task.cancel()

    watcher = asyncio.create_task(watch())
    try:
        await work
    except asyncio.CancelledError:
        if not gone:
            raise
        task.uncancel()
    finally:
        watcher.cancel()
