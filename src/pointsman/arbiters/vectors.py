"""Vectors of texts that were learnt from, kept in a file: a text is embedded once."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy

from pointsman.arbiter.sparse import Floats
from pointsman.ports.embed import Embed, Vector

_KEY = 16
_AT_A_TIME = 2
"""Texts of one turn of the model: who is heard meanwhile waits for no more."""
_SAVED = 200
"""Texts after which what is new is written down."""


class Vectors:
    """One file a model: records of a key and the vector's floats, one after the other; a torn last one is cut off."""

    def __init__(self, folder: Path, embed: Embed, tokens: int) -> None:
        assert embed.model is not None
        self._embed = embed
        self._tokens = tokens
        name = hashlib.sha256(f"{embed.model} {tokens}".encode()).hexdigest()[:12]
        self._file = folder / f"vectors-{name}.bin"

    async def of(self, texts: Sequence[str]) -> Floats:
        """One line a text. Raises what `Embed` raises, and OSError."""
        found = self._read()
        keys = [_key(text) for text in texts]
        wanted = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        for start in range(0, len(wanted), _SAVED):
            part = wanted[start : start + _SAVED]
            new: dict[bytes, Vector] = {}
            for at in range(0, len(part), _AT_A_TIME):
                turn = part[at : at + _AT_A_TIME]
                vectors = await self._embed([text for _, text in turn], query=True, tokens=self._tokens)
                new.update(zip((key for key, _ in turn), vectors, strict=True))
            self._append(new)
            found |= {key: vector.tobytes() for key, vector in new.items()}
        lines = b"".join(found[key] for key in keys)
        return numpy.frombuffer(lines, numpy.float32).reshape(len(texts), -1)

    def _read(self) -> dict[bytes, bytes]:
        try:
            data = self._file.read_bytes()
        except FileNotFoundError:
            return {}
        if len(data) < 4:
            return {}
        size = int.from_bytes(data[:4], "little") * array("f").itemsize + _KEY
        records = memoryview(data)[4:]
        return {
            bytes(records[at : at + _KEY]): bytes(records[at + _KEY : at + size])
            for at in range(0, len(records) // size * size, size)
        }

    def _append(self, new: dict[bytes, Vector]) -> None:
        if not new:
            return
        floats = len(next(iter(new.values())))
        size = floats * array("f").itemsize + _KEY
        self._file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            whole = max(file.seek(0, os.SEEK_END) - 4, 0) // size * size
            if not whole:
                file.seek(0)
                file.write(floats.to_bytes(4, "little"))
            file.seek(4 + whole)
            file.write(b"".join(key + vector.tobytes() for key, vector in new.items()))
            file.truncate()


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_KEY]
