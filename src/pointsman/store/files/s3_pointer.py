"""The small object under the key of a large file, which says where its content is."""

from __future__ import annotations

import re

import msgspec

_HEAD = b"pointsman large file\n"
_FORM = re.compile(_HEAD + rb"([0-9a-f]{32}) ([0-9]{20})\n")
POINTER = len(_HEAD) + 32 + 1 + 20 + 1
"""Bytes of a pointer: an object of another length is none, so that a list tells almost all files from pointers."""


class Pointer(msgspec.Struct, frozen=True):
    """`name` is the last part of the content's path, `size` its length in bytes."""

    name: str
    size: int

    def encode(self) -> bytes:
        return _HEAD + f"{self.name} {self.size:020}\n".encode()


def pointer_in(content: bytes) -> Pointer | None:
    """None where the content is no pointer. A file that looks like one is kept as a large one is, so that none is taken
    for what it is not."""
    found = _FORM.fullmatch(content) if len(content) == POINTER else None
    return found and Pointer(found[1].decode(), int(found[2]))
