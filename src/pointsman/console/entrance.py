"""Who comes in: by a key, in a session that began with one, or from this machine; and whether what comes is from a page of
ours."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from pointsman.console.attempts import Attempts
from pointsman.console.sessions import COOKIE, Ended, Session, Sessions, named, same
from pointsman.console.visit import Who
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

_FORWARDED = frozenset((b"x-forwarded-for", b"forwarded", b"x-forwarded-host", b"x-real-ip", b"via"))
_HERE = Who(name="this machine", may_change=True, by_key=False)
Why = Literal["key", "host", "public"]
"""Why nobody is signed in: a key is needed; so it is since this machine was reached by another name; only this machine may
come in."""


class KeyHolder(msgspec.Struct, frozen=True):
    """A key that may come in. `hash` is as the config has it."""

    name: str
    hash: str
    may_change: bool


class Terms(msgspec.Struct, frozen=True):
    """Who may come in. `here`: this machine needs no key. `session` in seconds."""

    keys: Sequence[KeyHolder]
    here: bool
    public: bool
    session: float


class Asked(msgspec.Struct, frozen=True):
    """What is looked at of a request. Names of `fields` are in lower case; `address` is whence its connection comes."""

    fields: Mapping[bytes, bytes]
    loopback: bool
    address: str


class Entrance:
    """`terms` are as of now: a key that is gone ends its sessions; `ended` are those that somebody ended. `clock` gives
    seconds since the epoch."""

    def __init__(
        self,
        sessions: Sessions,
        ended: Ended,
        terms: Callable[[], Terms],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._sessions = sessions
        self._ended = ended
        self._terms = terms
        self._clock = clock
        self._attempts = Attempts()

    def who(self, asked: Asked) -> Who | Why:
        """Who is signed in, or why nobody is."""
        terms = self._terms()
        here = asked.loopback and _FORWARDED.isdisjoint(asked.fields)
        if not here and not terms.public:
            return "public"
        session = self._session(asked)
        if session is not None and not self._ended.has(session):
            for key in terms.keys:
                if named(key.hash) == session.key:
                    return Who(name=key.name, may_change=key.may_change, by_key=True)
        if not here or not terms.here:
            return "key"
        return _HERE if _is_loopback_name(_host(asked.fields)) else "host"

    def begin(self, key: str, asked: Asked) -> str:
        """The cookie of a session for who gives that key, as a header has it. Raises a 401, and a 429 after too many that
        are none."""
        now, terms = self._clock(), self._terms()
        if wait := self._attempts.wait(asked.address, now):
            raise PointsmanError(
                said(
                    "too many keys were tried; wait {wait} s",
                    "尝试次数过多，请等待 {wait} 秒",
                    wait=wait,
                ),
                status=429,
                type="rate_limit_error",
                code="too_many_attempts",
                retry_after=wait,
            )
        digest = f"sha256:{hashlib.sha256(key.strip().encode()).hexdigest()}"
        holder = next((each for each in terms.keys if same(each.hash, digest)), None)
        if holder is None:
            self._attempts.failed(asked.address, now)
            raise PointsmanError(
                Said(
                    "this key may not sign in here; take one of auth.keys that has admin: true, or console: read",
                    "这个密钥不能登录；请使用 auth.keys 中设有 admin: true 或 console: read 的密钥",
                ),
                status=401,
                type="authentication_error",
                code="invalid_api_key",
            )
        self._attempts.passed(asked.address)
        value = self._sessions.begin(holder.hash, int(now + terms.session))
        return _cookie(value, int(terms.session), asked)

    def end(self, asked: Asked) -> str:
        """Ends the session of this browser, for whoever else may have its cookie, too; the one that takes its place, as a
        header has it. Raises a 503 where it cannot be ended."""
        session = self._session(asked)
        if session is not None:
            try:
                self._ended.end(session)
            except OSError as error:
                raise PointsmanError(
                    said(
                        "this session could not be ended, since the data folder cannot be written ({why}): try again, or "
                        "take its key out of auth.keys",
                        "无法写入数据目录（{why}），没能退出登录：请重试，或从 auth.keys 中删除这个密钥",
                        why=type(error).__name__,
                    ),
                    status=503,
                    type="api_error",
                    code="data_folder",
                ) from None
        return _cookie("", 0, asked)

    def token(self, asked: Asked) -> str:
        """What forms on a page for that browser send back."""
        return self._sessions.token(cookies(asked.fields).get(COOKIE, "") or "none")

    def check(self, asked: Asked, token: str) -> None:
        """Raises a 403 for what no page of ours, for this browser, has sent."""
        origin = asked.fields.get(b"origin")
        foreign = asked.fields.get(b"sec-fetch-site", b"same-origin") not in (b"same-origin", b"none")
        if origin is not None:
            foreign = foreign or urlsplit(origin.decode("latin-1")).netloc.lower() not in _hosts(asked.fields)
        if foreign or not same(token, self.token(asked)):
            raise PointsmanError(
                Said(
                    "this did not come from a page of this console, or the page is older than your session; load it again",
                    "这个请求不是由本控制台的页面发出的，或者页面比当前登录更早；请重新加载页面",
                ),
                status=403,
                type="permission_error",
                code="foreign_form",
            )

    def _session(self, asked: Asked) -> Session | None:
        return self._sessions.read(cookies(asked.fields).get(COOKIE, ""), self._clock())


def cookies(fields: Mapping[bytes, bytes]) -> dict[str, str]:
    """Those of a request. What other servers on this machine set is passed over, however odd it is."""
    found: dict[str, str] = {}
    for part in fields.get(b"cookie", b"").decode("latin-1").split(";"):
        name, _, value = part.partition("=")
        found.setdefault(name.strip(), value.strip())
    return found


def secure(fields: Mapping[bytes, bytes]) -> bool:
    """Whether the browser came by TLS, as the proxy before us says."""
    return fields.get(b"x-forwarded-proto", b"").split(b",")[0].strip().lower() == b"https"


def _cookie(value: str, age: int, asked: Asked) -> str:
    tls = "; Secure" if secure(asked.fields) else ""
    return f"{COOKIE}={value}; Path=/ui; Max-Age={age}; HttpOnly; SameSite=Strict{tls}"


def _host(fields: Mapping[bytes, bytes]) -> str:
    return fields.get(b"host", b"").decode("latin-1").lower()


def _hosts(fields: Mapping[bytes, bytes]) -> tuple[str, ...]:
    """By which names this gateway was reached."""
    forwarded = fields.get(b"x-forwarded-host", b"").decode("latin-1").split(",")[0].strip().lower()
    return (_host(fields), forwarded) if forwarded else (_host(fields),)


def _is_loopback_name(host: str) -> bool:
    """Whether no name server had a say in it: a page of another site whose name was made to point here has its own."""
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
