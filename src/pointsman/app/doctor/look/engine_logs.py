"""The ends of the logs of engines that the gateway starts: memory that was wanting, a port that was taken, and what PyTorch
says of memory that it holds and does not use."""

from __future__ import annotations

import re
from pathlib import Path

from pointsman.app.doctor.facts import EngineLog
from pointsman.fleet.load_faults import fault_of

_END = 256 << 10  # bytes of a log that are read
_MOST = 64
_TRIED = re.compile(r"Tried to allocate ([\d.]+) ([KMG])iB")
_RESERVED = re.compile(r"([\d.]+) ([KMG])iB is reserved by PyTorch but unallocated")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def look_at_logs(folder: Path) -> tuple[EngineLog, ...]:
    """Of `engines` in the data folder; none where there is none. The last thing that went wrong in each counts."""
    try:
        paths = sorted(folder.glob("engines*/*.log"))[:_MOST]
    except OSError:
        return ()
    return tuple(_read(path) for path in paths)


def _read(path: Path) -> EngineLog:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END))
        lines = file.read(_END).decode("utf-8", "replace").splitlines()
    found = EngineLog(path.stem, path.stat().st_mtime)
    for line in reversed(lines):
        fault = fault_of(None, [line])
        if fault is not None:
            return EngineLog(
                found.name, found.written, fault.kind, fault.line, _size(_TRIED, line), _size(_RESERVED, line)
            )
    return found


def _size(pattern: re.Pattern[str], line: str) -> int | None:
    found = pattern.search(line)
    return int(float(found[1]) * _UNITS[found[2]]) if found else None
