"""zlib's format, written by ISA-L where it is installed: the same to any reader, in a fifth of the time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Final

_LEVEL = 1  # of either, the fastest that looks for what repeats: that is what there is to gain
_isal: Any
try:
    from isal import isal_zlib as _isal
except ImportError:
    _isal = None

QUICK: Final = _isal is not None
"""Whether squeezing costs about what writing costs that it saves."""
_zlib: Any = _isal or zlib


def squeezed(plain: bytes) -> bytes:
    data: bytes = _zlib.compress(plain, _LEVEL)
    return data


def squeezed_pieces(pieces: Iterable[bytes | memoryview]) -> list[bytes]:
    """As `squeezed` of all of them, one after the other, in pieces that belong together."""
    squeezing = _zlib.compressobj(_LEVEL)
    return [piece for piece in (*map(squeezing.compress, pieces), squeezing.flush()) if piece]


def stretched(data: bytes) -> bytes:
    """Raises ValueError where it is damaged."""
    try:
        plain: bytes = _zlib.decompress(data)
    except _zlib.error as error:
        raise ValueError(str(error)) from None
    return plain
