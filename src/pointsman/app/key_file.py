"""Keys that a gateway makes for itself, once, in files that only the owner reads."""

from __future__ import annotations

import os
from pathlib import Path


def key_in(path: Path) -> bytes:
    """The 32 bytes in `path`, drawn at random when the file is not there. Raises OSError; ValueError for another size."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes()
        if len(key) != 32:
            raise ValueError(f"{path} holds {len(key)} bytes; a key has 32") from None
        return key
    key = os.urandom(32)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
    return key
