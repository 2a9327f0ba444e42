"""This machine: memory, cards, the disk under the data folder, who has the gateway's port, and whom the system killed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import psutil

from pointsman.app.doctor.facts import Card, MachineFacts
from pointsman.config.others_words import why
from pointsman.domain.said import Said, said
from pointsman.fleet.gpu import NoGpu, driver_there, gpus
from pointsman.fleet.port_owner import explain_port, next_free_port

_EVENTS = Path("/sys/fs/cgroup/memory.events")
_VMSTAT = Path("/proc/vmstat")


def look_at_machine(folder: Path, host: str, port: int, engines: tuple[int, ...] = ()) -> MachineFacts:
    """`folder` is the data folder, which may not be there yet; `host`, `port` the gateway's, `engines` the fixed ports of
    those that it starts."""
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    disk = shutil.disk_usage(nearest)
    return MachineFacts(
        available=int(psutil.virtual_memory().available),
        cards=_cards(),
        killed=_killed(_EVENTS, "oom_kill") or _killed(_VMSTAT, "oom_kill"),
        disk_free=disk.free,
        disk=disk.total,
        unwritable=_unwritable(nearest),
        owner=_owner(host, port),
        owners=tuple(owner for each in engines if (owner := _owner("127.0.0.1", each)) is not None),
        now=time.time(),
    )


def _owner(host: str, port: int) -> Said | None:
    return explain_port(host, port) if port and next_free_port(host, port, tries=1) is None else None


def _cards() -> tuple[Card, ...]:
    if not driver_there():
        return ()
    try:
        with gpus() as found:
            return tuple(Card(each.uuid, each.total, each.used) for each in found.memory())
    except NoGpu:
        return ()


def _killed(path: Path, name: str) -> int:
    """Processes that the kernel ended for want of memory, by its own count; 0 where it does not say."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return 0
    counts = dict(line.split(maxsplit=1) for line in lines if " " in line)
    return int(counts.get(name, "0"))


def _unwritable(folder: Path) -> Said | None:
    """Why nothing can be written there, None where something can: it is tried."""
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".doctor")
        try:
            os.write(handle, b"x")
        finally:
            os.close(handle)
            Path(name).unlink()
    except OSError as error:
        return said("{folder}: {why}", "{folder}：{why}", folder=folder, why=why(error))
    return None
