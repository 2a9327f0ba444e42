"""Who holds a port: the sentence that a person needs when a server cannot listen."""

from __future__ import annotations

import socket
from pathlib import PurePath

import psutil

from pointsman.domain.said import Said, said

_WILDCARDS = {"0.0.0.0", "::", ""}  # noqa: S104, compared with, not bound


def explain_port(host: str, port: int) -> Said:
    """`port 8900 on 127.0.0.1 is in use by pointsman (pid 123): pointsman serve …; the next free port is 8901`.

    Looks at this machine's sockets as they are now (blocks for tens of ms). The owner of another user's process may
    be hidden: then the text says so. Of its command line only the program and its leading plain words are shown,
    since options may carry secrets. A port that nobody holds any more gives a sentence that says so. Never raises for
    a port of 1 to 65535."""
    free = next_free_port(host, port + 1)
    advice = said("; the next free port is {free}", "；下一个空闲的端口是 {free}", free=free) if free else ""
    place = said("port {port} on {host}", "{host} 的端口 {port} ", port=port, host=host)
    held, pid = _owner(host, port)
    if pid is not None:
        try:
            process = psutil.Process(pid)
            name, words = process.name(), _shown(process.cmdline())
            return said(
                "{place} is in use by {name} (pid {pid}): {words}{advice}",
                "{place}正被 {name}（pid {pid}）占用：{words}{advice}",
                place=place,
                name=name,
                pid=pid,
                words=words,
                advice=advice,
            )
        except psutil.NoSuchProcess:
            pass
        except psutil.Error:
            return said(
                "{place} is in use by pid {pid}, a process of another user{advice}",
                "{place}正被另一个用户的进程（pid {pid}）占用{advice}",
                place=place,
                pid=pid,
                advice=advice,
            )
    if not held and is_free(host, port):
        return said("{place} is free now; it was in use a moment ago", "{place}现在空闲了；刚才还被占用", place=place)
    return said(
        "{place} is in use by an unknown process; run with more rights to see it{advice}",
        "{place}正被一个未知的进程占用；用更高的权限运行才能看到是谁{advice}",
        place=place,
        advice=advice,
    )


def owner_of(host: str, port: int) -> int | None:
    """The process that listens there, where it is one of this machine and we may see it."""
    return _owner(host, port)[1]


def next_free_port(host: str, start: int, *, tries: int = 100) -> int | None:
    """The first port from `start` on that could be bound just now, None if none of `tries` could."""
    return next((port for port in range(start, min(start + tries, 65_536)) if is_free(host, port)), None)


def _owner(host: str, port: int) -> tuple[bool, int | None]:
    """Whether a socket holds the port, and its process where we may see it."""
    try:
        wanted = {str(entry[4][0]) for entry in socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)}
    except OSError:
        wanted = {host}
    try:
        connections = psutil.net_connections(kind="tcp")
    except psutil.Error:  # macOS wants root for it
        return False, None
    held = [
        found
        for found in connections
        if found.status == psutil.CONN_LISTEN
        and found.laddr
        and found.laddr.port == port
        and (found.laddr.ip in wanted | _WILDCARDS or wanted & _WILDCARDS)
    ]
    return bool(held), next((found.pid for found in held if found.pid), None)


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there just now."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return True
    except OSError:
        return False


def _shown(words: list[str], limit: int = 70) -> str:
    """`[/venv/bin/python3, /venv/bin/pointsman, serve, -c, x]` → `pointsman serve …`."""
    if not words:
        return Said("its command line is hidden", "看不到它的命令行")
    shown = [PurePath(words[0]).name]
    rest = words[1:]
    if shown[0].startswith("python") and rest:
        while rest and rest[0] in ("-P", "-I", "-u", "-s", "-E", "-B"):
            rest = rest[1:]
        if rest[:1] == ["-m"] and len(rest) > 1:
            shown, rest = [*shown, "-m", rest[1]], rest[2:]
        elif rest and not rest[0].startswith("-"):
            shown, rest = [PurePath(rest[0]).name], rest[1:]
    while rest and not rest[0].startswith("-") and "=" not in rest[0] and len(" ".join(shown)) + len(rest[0]) < limit:
        shown, rest = [*shown, rest[0]], rest[1:]
    return " ".join(shown)[:limit] + (" …" if rest else "")
