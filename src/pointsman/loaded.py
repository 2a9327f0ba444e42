"""Once a process is up: what it holds stays, and what it took to get there goes back."""

from __future__ import annotations

import ctypes
import gc
import sys

_YOUNG = 10_000
"""Objects that are made, less those that are gone, after which the collector looks for cycles among them: at Python's own
700 it would look every sixteenth request, and requests leave next to none."""


def loaded() -> None:
    """The collector need not look again at what is loaded now, and looks seldom at what comes. Memory that was used on the
    way, to read rules and config, goes back to the system where the C library can give it (glibc)."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
