"""Who calls: a key from the config, or this machine itself."""

from __future__ import annotations

import hashlib
import ipaddress
from typing import Any, Protocol

import msgspec

from pointsman.config.schema import Auth
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

ANONYMOUS = "anonymous"


class Caller(msgspec.Struct, frozen=True):
    """`name` is the key's name, or anonymous for a loopback client without one."""

    name: str = ANONYMOUS
    role: str | None = None
    admin: bool = False
    usage: str | None = None
    group: str | None = None


_LOOPBACK = Caller(admin=True)
_FORWARDED = frozenset((b"x-forwarded-for", b"forwarded", b"x-forwarded-host", b"x-real-ip", b"via"))


class Asking(Protocol):
    """What is looked at of a client: its headers (names in lower case), and whether it is on this machine."""

    fields: dict[bytes, bytes]
    loopback: bool


class Keys:
    """Compares SHA-256 digests only; a key itself is never kept."""

    def __init__(self, auth: Auth) -> None:
        self._always = auth.loopback == "key"
        self._callers = {
            key.hash.removeprefix("sha256:"): Caller(key.name, key.role, key.admin, key.usage, key.group)
            for key in auth.keys
        }

    def identify(self, client: Asking) -> Caller:
        """Raises a 401. A client on this machine needs no key, unless the config wants one from it too, or it is a proxy
        speaking for another (it says so in X-Forwarded-For, Forwarded, X-Real-IP or Via); a key that it gives and that is
        known counts all the same."""
        fields = client.fields
        token = None
        authorization = fields.get(b"authorization")
        if authorization is not None:
            scheme, _, rest = authorization.partition(b" ")
            token = rest.strip() if scheme.lower() == b"bearer" else None
        if token is None and b"x-api-key" in fields:
            token = fields[b"x-api-key"].strip()
        if token and self._callers:
            caller = self._callers.get(hashlib.sha256(token).hexdigest())
            if caller is not None:
                return caller
        if client.loopback and not self._always and _FORWARDED.isdisjoint(fields):
            return _LOOPBACK
        unknown = Said("this API key is not known", "这个 API 密钥无效")
        raise PointsmanError(
            said(
                "{wrong}; send one of auth.keys as `Authorization: Bearer …`",
                "{wrong}；请把 auth.keys 中的一个密钥放在 `Authorization: Bearer …` 请求头里发送",
                wrong=unknown if token else Said("an API key is needed", "需要 API 密钥"),
            ),
            status=401,
            type="authentication_error",
            code="invalid_api_key",
        )


def is_loopback(peer: Any) -> bool:
    """`peer` as a socket names it: (host, port, …), or anything else for a Unix socket."""
    if not isinstance(peer, tuple) or not peer:
        return True
    if peer[0] == "127.0.0.1":
        return True
    try:
        return ipaddress.ip_address(peer[0]).is_loopback
    except ValueError:
        return False


def hash_key(key: str) -> str:
    """What stands in the config for a key."""
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()
