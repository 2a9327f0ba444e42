"""A part of the work with an end of its own, so that what is known by then can be told."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

from pointsman.actions.child import Room
from pointsman.actions.maths.trouble import TimeUp

SPARE = 0.6  # seconds for telling


@contextlib.contextmanager
def within(room: Room, share: float) -> Iterator[None]:
    """Raises TimeUp in this thread when that share of what is left is over."""
    seconds = (room.left - SPARE) * share
    if seconds <= 0.02:
        raise TimeUp

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
