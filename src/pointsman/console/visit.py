"""A browser's request and what it gets, as pages see them: no sockets, no framing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue

Theme = Literal["auto", "light", "dark"]
Headers = tuple[tuple[bytes, bytes], ...]
HTML = b"text/html; charset=utf-8"


class Who(msgspec.Struct, frozen=True):
    """Who is signed in. `may_change`: an admin, and not somebody who only looks; `by_key`: signed in with a key, so that
    there is a session to end."""

    name: str
    may_change: bool
    by_key: bool


class Visit(msgspec.Struct, frozen=True):
    """`path` is without its query and `address` with it; `named` is the name in it where its route has one. `query` and
    `form` hold the first value of each name, `lists` all values of the form. `csrf` is what forms of this page send back.
    `fragment`: htmx asks for a part of a page. `base` is how the browser reached this gateway, for examples."""

    method: str
    path: str
    who: Who
    tongue: Tongue
    theme: Theme = "auto"
    named: str = ""
    query: Mapping[str, str] = {}
    form: Mapping[str, str] = {}
    lists: Mapping[str, tuple[str, ...]] = {}
    csrf: str = ""
    fragment: bool = False
    request_id: str = ""
    address: str = "/ui"
    base: str = "http://127.0.0.1:8900"

    def must_change(self) -> None:
        """Raises a 403 where they may only look."""
        if not self.who.may_change:
            raise PointsmanError(
                Said(
                    "your key may only look (console: read); sign in with an admin key to change this",
                    "您登录所用的密钥只能查看（console: read）；如需修改，请用管理员密钥登录",
                ),
                status=403,
                type="permission_error",
                code="read_only",
            )


class Outlet(Protocol):
    """Where a stream is written."""

    @property
    def leaving(self) -> bool:
        """Whether the gateway stops: nothing more is to be written."""

    def write(self, data: bytes) -> bool:
        """False: the browser reads too slowly; see `room`."""

    async def room(self) -> None: ...


Stream = Callable[[Outlet], Awaitable[None]]
"""Writes until it is over, or is cancelled since the browser is gone."""


class Reply(msgspec.Struct, frozen=True):
    """`stream` takes the place of `body` where there is one."""

    body: bytes = b""
    status: int = 200
    content_type: bytes = HTML
    headers: Headers = ()
    stream: Stream | None = None


def see_other(place: str, headers: Headers = ()) -> Reply:
    """The browser goes there next, by GET. `place` is a path of ours."""
    return Reply(b"", 303, HTML, ((b"location", place.encode()), *headers))


def json_reply(value: Any, status: int = 200) -> Reply:
    return Reply(msgspec.json.encode(value), status, b"application/json")


Handler = Callable[[Visit], Reply | Awaitable[Reply]]


class Route(msgspec.Struct, frozen=True):
    """`path` may hold one `{name}` in place of a part: what stands there is the visit's `named`. `open`: nobody need sign
    in."""

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    open: bool = False
