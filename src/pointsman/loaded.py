"""Once a process is up: what it holds stays, and what it took to get there goes back."""

from __future__ import annotations

import ctypes
import gc
import sys


def loaded() -> None:
    """The collector need not look again at what is loaded now. Memory that was used on the way, to read rules and config,
    goes back to the system where the C library can give it (glibc)."""
    gc.collect()
    gc.freeze()
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
