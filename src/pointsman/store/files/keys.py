"""What a key of a stored file is. What each store keeps for itself is named so that no key can be it."""

from __future__ import annotations

import re

LONGEST = 800
"""Characters of a whole key; S3 has room for 1,024 bytes, prefix included."""
_PART = re.compile(r"[A-Za-z0-9._-]{1,200}")


def is_key(text: str) -> bool:
    """Parts of at most 200 characters between single slashes, as `ports.file_store` has it."""
    return len(text) <= LONGEST and all(
        _PART.fullmatch(part) is not None and part not in (".", "..") for part in text.split("/")
    )


def checked(key: str) -> str:
    """The key itself. Raises ValueError."""
    if not is_key(key):
        raise ValueError(f"{key[:100]!r} is no key of a file")
    return key


def folder_of(prefix: str) -> str:
    """A prefix without the slash at its end: it stands for all keys below it, and the empty one for all there are.
    Raises ValueError."""
    return checked(prefix.removesuffix("/")) if prefix else ""
