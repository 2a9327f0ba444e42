"""Is all of a batch's input sound? Found out before any of it is done."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from hashlib import blake2b

import msgspec

from pointsman.apart import apart
from pointsman.domain.batch import LineProblem
from pointsman.domain.said import Said, said
from pointsman.pipeline.batches.dialect import BadLine, Dialect
from pointsman.pipeline.batches.input_lines import InputLine, cut

SHOWN = 100
"""Problems that are listed; the rest of the file is not read then."""
_LOT, _LOT_BYTES = 100, 256 << 10


class Checked(msgspec.Struct, frozen=True):
    """`total` requests, if there are no `problems`."""

    total: int
    problems: tuple[LineProblem, ...]


async def check(
    pieces: AsyncGenerator[bytes, None], endpoint: str, dialect: Dialect, *, most: int, longest: int
) -> Checked:
    """At most `most` requests, of at most `longest` bytes each. Raises what `pieces` does."""
    checking = _Checking(endpoint, dialect, longest)
    async with cut(pieces, longest, _LOT, _LOT_BYTES) as lots:
        async for lot in lots:
            await apart(checking.look_at, lot)
            if len(checking.problems) >= SHOWN:
                break
            if checking.total > most:
                checking.problems.append(_of_file(said(*_TOO_MANY, most=most), "too_many_requests"))
                break
    if not checking.total:
        checking.problems.append(_of_file(_EMPTY, "empty_file"))
    return Checked(checking.total, tuple(checking.problems[:SHOWN]))


class _Checking:
    def __init__(self, endpoint: str, dialect: Dialect, longest: int) -> None:
        self.total = 0
        self.problems: list[LineProblem] = []
        self._endpoint = endpoint
        self._dialect = dialect
        self._longest = longest
        self._seen: dict[bytes, int] = {}

    def look_at(self, lot: list[InputLine]) -> None:
        for number, data in lot:
            self.total += 1
            try:
                if data is None:
                    raise BadLine(said(*_TOO_LONG, most=self._longest), "line_too_long")
                name = self._dialect.read(data, self._endpoint).name
                before = self._seen.setdefault(blake2b(name.encode(), digest_size=16).digest(), number)
                if before != number:
                    raise BadLine(said(*_TWICE, name=name[:100], line=before), "duplicate_custom_id", "custom_id")
            except BadLine as bad:
                self.problems.append(bad.at(number))


def _of_file(why: Said, code: str) -> LineProblem:
    return LineProblem(code, (str(why), why.zh))


_TOO_MANY = ("a batch may have {most} requests; this file has more", "一个批处理最多 {most} 个请求；这个文件超过了")
_EMPTY = Said("the file has no requests", "文件里没有请求")
_TOO_LONG = ("a line may have {most} bytes (server.max_body)", "一行最多 {most} 字节（server.max_body）")
_TWICE = ('the custom_id "{name}" is that of line {line}, too', "custom_id“{name}”与第 {line} 行的重复")
