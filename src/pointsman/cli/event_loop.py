"""The event loop of `serve` and `worker`, and the signals that end it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from pointsman.cli.systemd import ServiceManager
from pointsman.domain.errors import Problems

KEEP_ALIVE = 75  # seconds that an idle client connection is kept


SWITCH = 0.0005
"""Seconds after which a thread that computes gives way to the loop, where Python's own 5 ms would hold up every request."""


def run_loop(main: Coroutine[Any, Any, None]) -> None:
    sys.setswitchinterval(SWITCH)
    if sys.platform == "win32":
        asyncio.run(main)
    else:
        import uvloop

        uvloop.run(main)


def stop_signals(told: asyncio.Event, *numbers: int) -> None:
    """`told` is set by the first of those signals (default: SIGINT, SIGTERM); a second one ends the process at once."""
    loop = asyncio.get_running_loop()

    def stop(number: int, _: object) -> None:
        if told.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        loop.call_soon_threadsafe(told.set)

    for number in numbers or (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def stop_or_reload(reload: Callable[[], Awaitable[Any]], manager: ServiceManager) -> asyncio.Event:
    """Set by a signal that ends the process. SIGHUP reloads, and the service manager is told."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    stop_signals(told)

    async def try_to_reload() -> None:
        manager.reloading()
        with contextlib.suppress(Problems):  # said in the log, in /ready and in the metrics
            await reload()
        manager.ready()

    if hasattr(signal, "SIGHUP"):
        loop.add_signal_handler(signal.SIGHUP, lambda: loop.create_task(try_to_reload()))
    return told
