"""What models took of memory the last time they were loaded, for as long as they are set up alike: one small JSON file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec

MOST = 1024
_MAX_FILE = 1 << 20


def measured_in(data_dir: Path) -> Path:
    """Where a gateway with this data folder keeps it."""
    return data_dir / "models" / "memory.json"


def last_measured(path: Path, setup: str) -> int | None:
    """Bytes; None where it was never loaded so. What cannot be read is as nothing."""
    return _read(path).get(setup)


def keep_measured(path: Path, setup: str, size: int) -> None:
    """Blocking. A file that cannot be written is let be; of two that write at once one counts."""
    kept = _read(path)
    if kept.pop(setup, None) == size:
        return
    entries = [*kept.items(), (setup, size)][-MOST:]
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, new = tempfile.mkstemp(dir=path.parent, prefix=".memory")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(dict(entries)), indent=1))
            Path(new).replace(path)
        except OSError:
            Path(new).unlink()
            raise


def _read(path: Path) -> dict[str, int]:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_FILE), type=dict[str, int])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
