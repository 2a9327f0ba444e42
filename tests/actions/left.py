"""What a test leaves behind in its own process: children, zombies among them, and open descriptors."""

from __future__ import annotations

from typing import NamedTuple

import psutil


class Held(NamedTuple):
    """Process ids of this process's children, and how many descriptors it has open."""

    children: frozenset[int]
    descriptors: int


def held() -> Held:
    """Children of its children are not told: what other tests share (gateways, a database server) starts and ends its own
    as it likes."""
    me = psutil.Process()
    return Held(frozenset(child.pid for child in me.children()), me.num_fds())


def running_in(folder: object) -> list[str]:
    """Programs on this machine, whoever started them, whose command names that folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        if str(folder) in line:
            found.append(f"{process.info['status']}: {line}")
    return found
