"""How many of what is drawn at random, or done again and again: fewer each day, all of them in `make test-all`."""

from __future__ import annotations

import os

THOROUGH = bool(os.environ.get("THOROUGH"))
"""`make test-all` sets it; `THOROUGH=1 pytest FILE` does for one file."""


def tries(daily: int, thorough: int) -> int:
    """`thorough` where all is tried, else `daily`."""
    return thorough if THOROUGH else daily
