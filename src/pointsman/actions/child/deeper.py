"""How deep Python may call, while a piece of work needs it deeper than usual."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def deeper(calls: int) -> Iterator[None]:
    """Also as a decorator. What is written in C recurses on the system's stack, which ends the process where Python would
    raise RecursionError: so the limit is no other than before for all that comes afterwards."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
