"""What goes between the gateway and the model's process: MessagePack, each with its length in four bytes before it."""

from __future__ import annotations

import struct

import msgspec

_LENGTH = struct.Struct("<L")
HEAD = _LENGTH.size
MOST = 16 << 20
"""Bytes of one."""


MOST_CHARACTERS = 400
"""Of a text that is sent: as many tokens as are read quickly are not more, in any language."""


def tidied(text: str) -> str:
    """The beginning of a text, fit to be sent: no zero bytes, which would end it, and no halves of characters."""
    begun = text[: 4 * MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    return " ".join(begun.split())[:MOST_CHARACTERS]


class Wanted(msgspec.Struct, frozen=True):
    """Texts to embed, as questions or as passages; of each at most so many tokens."""

    texts: list[str]
    query: bool
    tokens: int | None = None


class Vectors(msgspec.Struct, frozen=True):
    """Floats of all texts, one after the other, `size` for each."""

    size: int
    floats: bytes


_encode = msgspec.msgpack.Encoder().encode
decode_wanted = msgspec.msgpack.Decoder(Wanted).decode
decode_vectors = msgspec.msgpack.Decoder(Vectors).decode


def framed(message: Wanted | Vectors) -> bytes:
    content = _encode(message)
    return _LENGTH.pack(len(content)) + content


def length(head: bytes) -> int:
    """Raises ValueError for one that nobody sends."""
    size: int = _LENGTH.unpack(head)[0]
    if size > MOST:
        raise ValueError(f"a frame of {size} bytes")
    return size
