"""redis://… → which server, and how the store uses it."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import msgspec

from pointsman.domain.said import said

Mode = Literal["single", "cluster"]
_SCHEMES = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
_OPTIONS = ("ca", "db", "prefix", "wait", "wait_ms")
_PORT = 6379
_PREFIX = re.compile(r"[A-Za-z0-9_.:-]{1,60}")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """`hosts` are (host, port); `path` is a Unix socket in their place. `ca` is a file with the authorities that TLS
    trusts, None for the system's. `prefix` begins the name of every key. `wait`: after each write, so many replicas
    confirm it within `wait_ms` milliseconds."""

    mode: Mode = "single"
    hosts: tuple[tuple[str, int], ...] = ()
    path: str | None = None
    db: int = 0
    username: str | None = None
    password: str | None = None
    tls: bool = False
    ca: str | None = None
    prefix: str = "pointsman"
    wait: int = 0
    wait_ms: int = 1000

    def __repr__(self) -> str:
        return f"Place({self.shown})"

    @property
    def shown(self) -> str:
        """For messages: without user and password."""
        return self.path or ",".join(
            f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.hosts
        )


def read_url(url: str) -> Place:
    """Raises ValueError with a message in both languages, which never repeats the URL: it may hold a password."""
    try:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError:
        raise ValueError(said("the store's URL cannot be read", "存储的 URL 无法解析")) from None
    if parts.scheme not in _SCHEMES:
        raise ValueError(
            said(
                "unknown kind of store {scheme!r} (valid: {valid})",
                "未知的存储类型 {scheme!r}（可用：{valid}）",
                scheme=parts.scheme,
                valid=", ".join(f"{scheme}://" for scheme in _SCHEMES),
            )
        )
    if unknown := options.keys() - set(_OPTIONS):
        raise ValueError(
            said(
                "unknown option {name!r} in the store's URL (valid: {valid})",
                "存储的 URL 里有未知选项 {name!r}（可用：{valid}）",
                name=min(unknown),
                valid=", ".join(_OPTIONS),
            )
        )
    credentials, _, hosts = parts.netloc.rpartition("@")
    username, _, password = credentials.partition(":")
    cluster = parts.scheme.endswith("+cluster")
    return Place(
        mode="cluster" if cluster else "single",
        hosts=() if parts.scheme == "unix" else _hosts(hosts, several=cluster),
        path=_socket(parts) if parts.scheme == "unix" else None,
        db=_db(parts, options, cluster),
        username=unquote(username) or None,
        password=unquote(password) or None,
        tls=parts.scheme.startswith("rediss"),
        ca=options.get("ca") or None,
        prefix=_prefix(options.get("prefix", "pointsman")),
        wait=_whole("wait", options.get("wait", "0"), 0, 100),
        wait_ms=_whole("wait_ms", options.get("wait_ms", "1000"), 1, 8000),
    )


def _hosts(text: str, *, several: bool) -> tuple[tuple[str, int], ...]:
    each = text.split(",") if several else [text]
    return tuple(_host(one) for one in each)


def _host(text: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit("//"), None
    if not parts.hostname:
        raise ValueError(
            said("the store's URL names no host, or a port that is none", "存储的 URL 没有主机名，或者端口无效")
        )
    return parts.hostname, _PORT if port is None else port


def _socket(parts: SplitResult) -> str:
    if not parts.path.strip("/"):
        raise ValueError(said("unix:// needs the path of a socket", "unix:// 需要套接字的路径"))
    return unquote(parts.path)


def _db(parts: SplitResult, options: dict[str, str], cluster: bool) -> int:
    text = options.get("db") or ("" if parts.scheme == "unix" else parts.path.strip("/")) or "0"
    db = _whole("db", text, 0, 1 << 20)
    if cluster and db:
        raise ValueError(said("a cluster has no database but 0", "集群只有 0 号数据库"))
    return db


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text):
        raise ValueError(
            said(
                "prefix {text!r} is none (valid: 1 to 60 letters, digits and _ . : -)",
                "前缀 {text!r} 无效（可用：1 到 60 个字母、数字和 _ . : -）",
                text=text,
            )
        )
    return text


def _whole(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text[:9]) <= most):
        raise ValueError(
            said(
                "{name} {text!r} is none (valid: {least} to {most})",
                "{name} {text!r} 无效（可用：{least} 到 {most}）",
                name=name,
                text=text,
                least=least,
                most=most,
            )
        )
    return int(text)
