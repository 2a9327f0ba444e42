"""The input of a batch, line by line, in bounded memory."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r"

InputLine = tuple[int, bytes | None]
"""Its number in the file, from 1, and what is in it without white space around; None: more than is read."""


@contextlib.asynccontextmanager
async def cut(
    pieces: AsyncGenerator[bytes, None], longest: int, most: int, size: int, skip: int = 0
) -> AsyncIterator[AsyncIterator[list[InputLine]]]:
    """`lots` of `input_lines`; closes the file."""
    async with (
        contextlib.aclosing(pieces),
        contextlib.aclosing(input_lines(pieces, longest)) as lines,
        contextlib.aclosing(lots(lines, most, size, skip)) as found,
    ):
        yield found


async def input_lines(pieces: AsyncIterator[bytes], longest: int) -> AsyncGenerator[list[InputLine], None]:
    """As many at a time as a piece completes. Empty lines, and a byte order mark at the beginning, are passed over; of a
    line of more than `longest` bytes nothing is kept."""
    number = size = 0
    parts: list[bytes] = []
    first = True

    def took(part: bytes) -> None:
        nonlocal size
        size += len(part)
        if size > longest:
            parts.clear()
        else:
            parts.append(part)

    def ended() -> list[InputLine]:
        nonlocal number, size
        number += 1
        data = None if size > longest else b"".join(parts).strip(_SPACE)
        parts.clear()
        size = 0
        return [] if data == b"" else [(number, data)]

    async for piece in pieces:
        begun, *others = (piece.removeprefix(_BOM) if first else piece).split(b"\n")
        first = False
        lines: list[InputLine] = []
        took(begun)
        for part in others:
            lines += ended()
            took(part)
        yield lines
    yield ended()


async def lots(
    lines: AsyncIterator[list[InputLine]], most: int, size: int, skip: int = 0
) -> AsyncGenerator[list[InputLine], None]:
    """The lines behind the first `skip`, so many at a time, or fewer that have `size` bytes together. Where lots end depends
    on where they begin and on nothing else."""
    lot: list[InputLine] = []
    held = 0
    async for some in lines:
        passed = min(skip, len(some))
        skip -= passed
        for line in some[passed:]:
            lot.append(line)
            held += len(line[1] or b"")
            if len(lot) >= most or held >= size:
                yield lot
                lot, held = [], 0
    if lot:
        yield lot
