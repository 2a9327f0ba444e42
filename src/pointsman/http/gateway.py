"""The door's own logic: finds the endpoint, knows the caller, and turns whatever goes wrong into one shape of answer."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import Said, Tongue, said
from pointsman.http.auth import ANONYMOUS, Keys
from pointsman.http.body_limit import too_large
from pointsman.http.cors import Cors
from pointsman.http.exchange import Client, Sink
from pointsman.http.header_lines import header_lines
from pointsman.http.paths import Paths
from pointsman.pipeline.ends import CUT, stopped

log = logging.getLogger("pointsman")

Post = Callable[[Client, bytes], Awaitable[None] | None]
Get = Callable[[Client], Awaitable[None] | None]
Intake = Callable[[Client], Sink]
"""A POST whose body is taken as it comes, and need not fit into memory."""
_OPEN = ("/health", "/ready", "/files/")  # no key: load balancers ask; a link to a file is its own key


class Doors:
    """What stands behind each path, by method; `Paths` says what kinds of them there are, and the name in one is the
    client's `named`. Replaced as a whole at a reload. `max_body` is in bytes. What begins with one of
    `own` tells its callers and origins by itself, as the console does: no key is asked for here, and no other site may read
    it."""

    def __init__(
        self,
        gets: dict[str, Get],
        posts: dict[str, Post],
        deletes: dict[str, Get],
        keys: Keys,
        cors: Cors,
        max_body: int,
        language: Tongue | None = None,
        intakes: Mapping[str, Intake] = MappingProxyType({}),
        own: tuple[str, ...] = (),
    ) -> None:
        self.gets = gets
        self.posts = posts
        self.deletes = deletes
        self.keys = keys
        self.cors = cors
        self.max_body = max_body
        self.language = language
        self.intakes = intakes
        self.own = own
        self._paths = Paths([*gets, *posts, *intakes, *deletes])

    def find(self, path: str) -> tuple[str, str]:
        """The known path that it is, and the name in it. Raises a 404 that lists the valid ones."""
        found = self._paths.find(path)
        if found is None:
            valid = self._paths.all
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
        return found

    def methods(self, known: str) -> list[str]:
        """What that known path takes."""
        tables = (("GET", self.gets), ("POST", {**self.posts, **self.intakes}), ("DELETE", self.deletes))
        return [name for name, doors in tables if known in doors]


class Gateway:
    """`doors` is swapped by one assignment. A request is admitted once its head is there, and served once it is whole."""

    def __init__(self, doors: Doors) -> None:
        self.doors = doors

    def admit(self, client: Client) -> None:
        """Sets the client's caller and work, or its refusal."""
        try:
            self._admit(self.doors, client)
        except PointsmanError as error:
            client.refusal = error

    def begin(self, client: Client) -> Awaitable[None] | None:
        """Answers, as far as that takes no waiting; what is left is to be given to `serve`."""
        if client.refusal is not None:
            client.error(client.refusal)
            return None
        assert client.work is not None
        try:
            return client.work(client)
        except Exception as error:
            failed(client, error)
            return None

    async def serve(self, client: Client, rest: Awaitable[None]) -> None:
        """The rest of the answer. A client that hangs up meanwhile has its task cancelled, which drops the engine's
        connection. One that is cancelled because the gateway stops says so, where no answer has begun."""
        try:
            await rest
        except asyncio.CancelledError as error:
            if error.args == (CUT,):
                failed(client, stopped())
            elif not client.gone:
                raise
        except Exception as error:
            failed(client, error)

    @staticmethod
    def _admit(doors: Doors, client: Client) -> None:
        method = client.method
        origin = client.header(b"origin")
        if client.path.startswith(doors.own):
            _admit_own(doors, client)
            return
        if origin is not None:
            if method == "OPTIONS" and b"access-control-request-method" in client.fields:
                client.extra += doors.cors.preflight(origin, client.header(b"access-control-request-headers"))
                client.work = _nothing
                return
            client.extra += doors.cors.headers(origin)
        known, client.named = doors.find(client.path)
        intake: Intake | None = None
        if method == "POST" and (post := doors.posts.get(known)) is not None:
            client.work = _Posted(post)
        elif method == "POST" and known in doors.intakes:
            intake = doors.intakes[known]
        elif method == "DELETE" and known in doors.deletes:
            client.work = doors.deletes[known]
        elif method in ("GET", "HEAD") and known in doors.gets:
            if known not in _OPEN:
                client.caller = doors.keys.identify(client)
            client.work = doors.gets[known]
            return
        else:
            client.keep_alive = client.keep_alive and method != "CONNECT"
            raise _not_allowed(client, known, doors.methods(known))
        client.caller = doors.keys.identify(client)
        if origin and client.caller.name == ANONYMOUS and not doors.cors.allows(origin):
            raise doors.cors.refusal(origin)  # a page that somebody on this machine happens to look at
        sink = intake(client) if intake is not None else None
        _check_body(client, doors.max_body, sink)
        if sink is not None:
            client.sink = sink
            client.work = sink.finish


class _Posted:
    """A POST's work, given the body."""

    __slots__ = ("_post",)

    def __init__(self, post: Post) -> None:
        self._post = post

    def __call__(self, client: Client) -> Awaitable[None] | None:
        return self._post(client, client.body)


def _admit_own(doors: Doors, client: Client) -> None:
    known, client.named = doors.find(client.path)
    if client.method == "POST" and known in doors.posts:
        client.work = _Posted(doors.posts[known])
        _check_body(client, doors.max_body, None)
    elif client.method in ("GET", "HEAD") and known in doors.gets:
        client.work = doors.gets[known]
    else:
        raise _not_allowed(client, known, doors.methods(known))


def _nothing(client: Client) -> None:
    client.reply(204, b"")


def _not_allowed(client: Client, known: str, methods: list[str]) -> PointsmanError:
    client.extra += header_lines((b"allow", ", ".join(methods).encode()))
    return PointsmanError(
        said(
            "{path} takes {allowed}, not {method}",
            "{path} 只接受 {allowed}，不接受 {method}",
            path=known,
            allowed=Said(" or ".join(methods), "、".join(methods)),
            method=client.method,
        ),
        status=405,
        code="method_not_allowed",
    )


def failed(client: Client, error: Exception) -> None:
    """The answer in place of one that went wrong, where none has begun."""
    if isinstance(error, RecursionError):
        error = PointsmanError(Said("the body is nested too deeply", "请求体嵌套过深"), code="invalid_json")
    elif not isinstance(error, PointsmanError):  # its text may quote the prompt, so only its kind and place are logged
        where = "".join(traceback.format_tb(error.__traceback__))
        log.error("request %s failed inside the gateway: %s\n%s", client.request_id, type(error).__name__, where)
        failed = Said("the gateway failed; its log has the details", "网关内部出错；详情见网关的日志")
        error = PointsmanError(failed, status=500, type="api_error", code="internal")
    if not client.began:
        assert isinstance(error, PointsmanError)
        client.error(error)


def _check_body(client: Client, limit: int, sink: Sink | None) -> None:
    length = client.fields.get(b"content-length")
    if length is not None and int(length) > (limit if sink is None else sink.limit):
        raise too_large(limit, int(length)) if sink is None else sink.refusal(int(length))
    encoding = client.header(b"content-encoding")
    if encoding and encoding.lower() != "identity":
        raise PointsmanError(
            said(
                "content-encoding {encoding!r} is not supported; send the body as it is",
                "不支持 content-encoding {encoding!r}；请直接发送未压缩的请求体",
                encoding=encoding,
            ),
            status=415,
            code="unsupported_encoding",
        )


class RequestIds:
    """Unguessable ids in the order of time, which keeps the log compact."""

    _BATCH = 256
    _RANDOM = 7  # bytes of each

    def __init__(self) -> None:
        self._unused: list[str] = []
        self._millisecond = -1
        self._begins = ""

    def next(self) -> str:
        if not self._unused:
            size, digits = 2 * self._RANDOM, os.urandom(self._RANDOM * self._BATCH).hex()
            self._unused = [digits[at : at + size] for at in range(0, len(digits), size)]
        millisecond = int(time.time() * 1000)
        if millisecond != self._millisecond:
            self._millisecond = millisecond
            self._begins = f"req_{millisecond:011x}"
        return self._begins + self._unused.pop()
