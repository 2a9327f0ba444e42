"""Texts with their intents, from a file."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.intent import OUT_OF_SCOPE
from pointsman.domain.said import said


class Labelled(msgspec.Struct, frozen=True):
    """`intent` is `oos` for a text that is none of them."""

    text: str
    intent: str

    @property
    def inside(self) -> bool:
        return self.intent != OUT_OF_SCOPE


def read_labelled(path: Path) -> tuple[Labelled, ...]:
    """JSON lines of `text` and `intent`, other fields passed over; a name that ends in .gz is unpacked. Raises
    PointsmanError: what is wrong, in which line."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        message = said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=error)
        raise PointsmanError(message) from None
    found: list[Labelled] = []
    decode = msgspec.json.Decoder(Labelled).decode
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            message = said(
                '{path}, line {number}: not {{"text": …, "intent": …}} ({why})',
                '{path} 第 {number} 行不是 {{"text": …, "intent": …}}（{why}）',
                path=path,
                number=number,
                why=error,
            )
            raise PointsmanError(message) from None
    if not any(each.inside for each in found):
        message = said("{path} holds no text with an intent", "{path} 里没有带意图的文本", path=path)
        raise PointsmanError(message)
    return tuple(found)
