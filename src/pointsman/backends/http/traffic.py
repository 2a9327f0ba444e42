"""How much a pool has done: the figures that tell whether connections are kept."""

from __future__ import annotations

import msgspec


class Traffic(msgspec.Struct):
    """Counts that only grow. Pools that follow each other at one backend may share one.

    `requests` calls begun; `opened` connections made; `reused` calls that went out on a connection that had served
    another; `retried` calls sent a second time, because the reused connection turned out to be closed."""

    requests: int = 0
    opened: int = 0
    reused: int = 0
    retried: int = 0
