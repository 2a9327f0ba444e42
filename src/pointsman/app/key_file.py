"""Keys that a gateway makes for itself, once, in files that only the owner reads."""

from __future__ import annotations

import os
from pathlib import Path

from pointsman.domain.said import said


def key_in(path: Path) -> bytes:
    """The 32 bytes in `path`, drawn at random when the file is not there. Raises OSError; ValueError for another size."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes()
        if len(key) != 32:
            message = said(
                "{path} holds {found} bytes; a key has 32",
                "{path} 有 {found} 字节，而密钥是 32 字节",
                path=path,
                found=len(key),
            )
            raise ValueError(message) from None
        return key
    key = os.urandom(32)
    with os.fdopen(handle, "wb") as file:
        file.write(key)
    return key
