"""Zip archives that office programs write, opened with care: how far they unpack is known before anything is."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Generator
from pathlib import Path

from pointsman.actions.document import wrong
from pointsman.ports.action import ActionFailed

MOST_MEMBERS = 10_000
MOST_BYTES = 256 << 20
"""Of all members together, unpacked."""
_RATIO, _SMALL = 250, 4 << 20
"""A member of more than that many bytes that unpacks to more than that many times its size: no text does so."""
_PIECE = 1 << 18


class Archive:
    """Members by name. Archives inside it are never opened, nor is anything that is no text. Raises ActionFailed for one
    that is damaged, encrypted or a bomb, at once or when the member is read."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
            raise wrong.broken(type(error).__name__) from None
        try:
            self.names = _checked(self._zip.infolist(), path.stat().st_size)
        except ActionFailed:
            self._zip.close()
            raise

    def close(self) -> None:
        self._zip.close()

    def pieces(self, name: str) -> Generator[bytes, None, None]:
        """Of one member, nothing where there is none."""
        member = self.names.get(name)
        if member is None:
            return
        if member.flag_bits & 1:
            raise wrong.locked()
        try:
            with self._zip.open(member) as file:
                while piece := file.read(_PIECE):
                    yield piece
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
            raise wrong.broken(type(error).__name__) from None

    def read(self, name: str, most: int = 16 << 20) -> bytes:
        """All of one member, of at most so many bytes."""
        content = bytearray()
        for piece in self.pieces(name):
            content += piece
            if len(content) > most:
                raise wrong.bomb(f"{name[:80]} is larger than {most} bytes")
        return bytes(content)


def _checked(members: list[zipfile.ZipInfo], size: int) -> dict[str, zipfile.ZipInfo]:
    """By name. Raises ActionFailed."""
    if len(members) > MOST_MEMBERS:
        raise wrong.bomb(f"{len(members)} members")
    if sum(member.compress_size for member in members) > size:
        raise wrong.bomb("members share their bytes")
    for member in members:
        if member.file_size > _SMALL and member.file_size > _RATIO * max(member.compress_size, 1):
            raise wrong.bomb(f"one member unpacks {member.compress_size} bytes to {member.file_size}")
    unpacked = sum(member.file_size for member in members)
    if unpacked > MOST_BYTES:
        raise wrong.bomb(f"{unpacked} bytes in all")
    return {member.filename: member for member in members}
