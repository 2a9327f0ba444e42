"""Memory in use, looked at again and again while something runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import psutil

EVERY = 0.02  # seconds between two looks


class ProcessGone(Exception):
    """The process has ended, or may not be looked at."""

    def __init__(self, pid: int) -> None:
        super().__init__(pid)
        self.pid = pid


def resident(pid: int) -> int:
    """Bytes of main memory that a process and its children have now, files mapped into it too. Raises ProcessGone."""
    try:
        process = psutil.Process(pid)
        total = int(process.memory_info().rss)
        children = process.children(recursive=True)
    except psutil.Error:
        raise ProcessGone(pid) from None
    for child in children:
        with contextlib.suppress(psutil.Error):  # it may end meanwhile
            total += int(child.memory_info().rss)
    return total


class Watch:
    """The largest of all looks so far, in bytes; `failure` is what ended the looking before its time."""

    def __init__(self, first: int) -> None:
        self.peak = first
        self.failure: Exception | None = None

    def see(self, used: int) -> None:
        self.peak = max(self.peak, used)


@contextlib.contextmanager
def watching(read: Callable[[], int], every: float = EVERY) -> Iterator[Watch]:
    """Looks from before the beginning to after the end, in a thread. Raises whatever `read` raises, at the end."""
    watch = Watch(read())
    over = threading.Event()

    def look() -> None:
        while not over.wait(every):
            try:
                watch.see(read())
            except Exception as error:
                watch.failure = error
                return

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()
    if watch.failure is not None:
        raise watch.failure
    watch.see(read())
