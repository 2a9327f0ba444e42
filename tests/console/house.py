"""A console without a gateway: its pages, asked as a browser asks, over what a test makes up."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlencode

from console.test_entrance import KEYS, Noted
from pointsman.console.door import Console, Sent
from pointsman.console.entrance import Asked, Entrance, Terms
from pointsman.console.sessions import Sessions
from pointsman.console.shell import Shell
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route
from pointsman.domain.said import Tongue

ORIGIN = "http://127.0.0.1:8900"


class House:
    """`cookies` are what the browser keeps."""

    def __init__(self, pages: Callable[[Templates], Iterable[Route]], *, here: bool = True) -> None:
        terms = Terms(keys=KEYS, here=here, public=True, session=3600)
        entrance = Entrance(Sessions(b"s" * 32), Noted(), lambda: terms)
        shell = Shell(version="1", policy="abc", zone="UTC")
        self.console = Console(entrance, lambda: shell, pages)
        self.cookies: dict[str, str] = {}

    def get(self, path: str, tongue: Tongue = "en", **fields: str) -> Reply:
        return self._answer("GET", path, b"", tongue, fields)

    def post(self, path: str, form: dict[str, str], tongue: Tongue = "en", token: str | None = None) -> Reply:
        """With the token of the page that the browser has, unless another is given."""
        token = self.token() if token is None else token
        fields = {"content-type": "application/x-www-form-urlencoded", "origin": ORIGIN}
        return self._answer("POST", path, urlencode({**form, "csrf": token}).encode(), tongue, fields)

    def token(self) -> str:
        found = re.search(r'name="csrf" content="(\w+)"', text_of(self.get("/ui/sign-in")))
        assert found
        return found.group(1)

    def sign_in(self, key: str) -> Reply:
        return self.post("/ui/sign-in", {"key": key, "next": "/ui/help"})

    def _answer(self, method: str, path: str, body: bytes, tongue: Tongue, fields: dict[str, str]) -> Reply:
        path, _, query = path.partition("?")
        named = {name.replace("_", "-").encode(): value.encode() for name, value in fields.items()}
        if self.cookies:
            named[b"cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items()).encode()
        asked = Asked({b"host": b"127.0.0.1:8900", **named}, True, "127.0.0.1")
        reply = self.console.answer(Sent(method, path, query, body, asked, tongue, "req_1"))
        if not isinstance(reply, Reply):
            reply = asyncio.run(_awaited(reply))
        for name, value in reply.headers:
            if name == b"set-cookie":
                cookie, _, rest = value.decode().partition(";")
                key, _, kept = cookie.partition("=")
                self.cookies[key] = kept
                if "Max-Age=0" in rest:
                    del self.cookies[key]
        return reply


async def _awaited(reply: object) -> Reply:
    found = await reply  # type: ignore[misc]
    assert isinstance(found, Reply)
    return found


def text_of(reply: Reply) -> str:
    return reply.body.decode()


def place_of(reply: Reply) -> str:
    """Where the browser goes next."""
    assert reply.status == 303, (reply.status, text_of(reply))
    return next(value.decode() for name, value in reply.headers if name == b"location")


def header(reply: Reply, name: bytes) -> Sequence[bytes]:
    return [value for key, value in reply.headers if key == name]
