"""What a test leaves behind in its own process: children, zombies among them, and open descriptors."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import psutil


class Held(NamedTuple):
    """Process ids of this process's children (of their children, too), and how many descriptors it has open."""

    children: frozenset[int]
    descriptors: int


def held() -> Held:
    """Gateways that other tests share come and go with children of their own (models, the arbiter's training): these are
    none of this process's work."""
    me = psutil.Process()
    children = {child.pid for child in me.children(recursive=True)}
    for child in me.children():
        if _is_gateway(child):
            with contextlib.suppress(psutil.NoSuchProcess):
                children -= {each.pid for each in child.children(recursive=True)}
    return Held(frozenset(children), me.num_fds())


def _is_gateway(process: psutil.Process) -> bool:
    try:
        return process.cmdline()[1:4] == ["-m", "pointsman", "serve"]
    except psutil.NoSuchProcess:
        return False


def running_in(folder: object) -> list[str]:
    """Programs on this machine, whoever started them, whose command names that folder."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        if str(folder) in line:
            found.append(f"{process.info['status']}: {line}")
    return found
