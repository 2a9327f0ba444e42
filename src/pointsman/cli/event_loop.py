"""The event loop of `serve`, and the signals that end it."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any

KEEP_ALIVE = 75  # seconds that an idle client connection is kept
GRACE = 10  # seconds for requests under way when the gateway is told to stop


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
