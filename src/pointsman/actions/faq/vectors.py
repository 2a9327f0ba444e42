"""Vectors of texts, kept on disk by what the texts say, so that a restart does not ask for them again."""

from __future__ import annotations

import contextlib
import hashlib
import os
from array import array
from pathlib import Path

import msgspec

from pointsman.ports.embed import Vector

_DIGEST = 16


class _Kept(msgspec.Struct, frozen=True):
    model: str
    digests: bytes
    size: int
    floats: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Kept).decode


def digest_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).digest()


def vector_file(folder: Path, name: str) -> Path:
    """Of one FAQ."""
    return folder / "faq" / f"{digest_of(name).hex()}.vectors"


def kept(path: Path, model: str) -> dict[bytes, Vector]:
    """By the digests of the texts; nothing where they are of another model, or cannot be read."""
    try:
        found = _decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return {}
    step = found.size * array("f").itemsize
    count = len(found.digests) // _DIGEST
    if found.model != model or step <= 0 or len(found.floats) != step * count:
        return {}
    vectors: dict[bytes, Vector] = {}
    for n in range(count):
        vector: Vector = array("f")
        vector.frombytes(found.floats[n * step : (n + 1) * step])
        vectors[found.digests[n * _DIGEST : (n + 1) * _DIGEST]] = vector
    return vectors


def keep(path: Path, model: str, vectors: dict[bytes, Vector]) -> None:
    """A file that cannot be written is none: they are asked for again."""
    size = len(next(iter(vectors.values()), ()))
    content = _encode(_Kept(model, b"".join(vectors), size, b"".join(map(bytes, vectors.values()))))
    new = path.with_suffix(f".{os.getpid()}.new")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.write_bytes(content)
        new.replace(path)
