"""What systemd and its likes tell a service, and want to hear of it: sockets that listen already, and how it is going.
Nothing of this needs libsystemd, and nothing happens where nobody is there."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import MutableMapping

from pointsman.domain.errors import Problem
from pointsman.domain.said import said

_PATIENCE = 0.2  # seconds for a manager that has not heard yet what was told before
_FIRST = 3  # the first handle that is passed (SD_LISTEN_FDS_START)
_LISTEN = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "LISTEN_PIDFDID")


def activated(environ: MutableMapping[str, str] = os.environ) -> socket.socket | None:
    """The listening TCP socket that the service manager passed, which nobody inherits; None where it passed none to this
    process. What says so is taken out of the environment: a child has none. Raises Problem for several, or another kind."""
    count, owner = environ.get("LISTEN_FDS", ""), environ.get("LISTEN_PID")
    for name in _LISTEN:
        environ.pop(name, None)
    if owner != str(os.getpid()) or not count.isdecimal() or int(count) == 0:
        return None
    passed = [socket.socket(fileno=number) for number in range(_FIRST, _FIRST + int(count))]
    one = passed[0]
    if len(passed) > 1 or one.family not in (socket.AF_INET, socket.AF_INET6) or one.type != socket.SOCK_STREAM:
        message = said(
            "{count} sockets were passed (LISTEN_FDS); one ListenStream= with a TCP port is needed",
            "传入了 {count} 个套接字（LISTEN_FDS）；需要恰好一个写 TCP 端口的 ListenStream=",
            count=len(passed),
        )
        raise Problem("server", message)
    one.set_inheritable(False)
    one.setblocking(False)
    return one


def for_successor(environ: MutableMapping[str, str]) -> dict[str, str]:
    """The environment of a process that is to take this one's place: it is watched as this one was."""
    return {name: value for name, value in environ.items() if name not in (*_LISTEN, "WATCHDOG_PID")}


class ServiceManager:
    """Tells whoever listens at NOTIFY_SOCKET, as sd_notify does. What cannot be told is left out: a gateway serves on."""

    def __init__(self, environ: MutableMapping[str, str] = os.environ) -> None:
        address = environ.get("NOTIFY_SOCKET", "") if hasattr(socket, "AF_UNIX") else ""
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._interval = _watched(environ)
        self._known = False
        self._watching: asyncio.Task[None] | None = None

    def ready(self) -> None:
        """It serves; after a reload, again. From here on it shows that it lives, where that is wanted."""
        self._known = True
        self._tell("READY=1")
        if self._interval and self._address and self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch(self._interval))

    def reloading(self) -> None:
        """It reads its config; `ready` is to follow."""
        self._tell(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self, within: float) -> None:
        """It ends within so many seconds. Not told of one that never was ready: another one may be."""
        if self._known:
            self._tell(f"STOPPING=1\nEXTEND_TIMEOUT_USEC={int(within * 1e6)}")

    def replaced_by(self, pid: int) -> None:
        """Another process of the service goes on in this one's place."""
        self._tell(f"MAINPID={pid}")
        self.close()

    def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    async def _watch(self, interval: float) -> None:
        while True:
            self._tell("WATCHDOG=1")
            await asyncio.sleep(interval)

    def _tell(self, state: str) -> None:
        if not self._address:
            return
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            wire.settimeout(_PATIENCE)
            wire.sendto(state.encode(), self._address)


def _watched(environ: MutableMapping[str, str]) -> float | None:
    """Seconds between two signs of life; None where nobody waits for any."""
    span, owner = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID")
    if not span.isdecimal() or int(span) == 0 or owner not in (None, str(os.getpid())):
        return None
    return int(span) / 2e6
