"""What a load run gives, whichever program made it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Load:
    """`requests` were answered in `seconds`; `errors` are those that were not, or not with status 200. Latencies in µs,
    from the request's first byte to the reply's last."""

    requests: int
    seconds: float
    errors: int
    p50_us: float
    p99_us: float
    worst_us: float
    trouble: str = ""


def quantile(values: Sequence[float], share: float) -> float:
    """The nearest rank; nan where there are none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan
