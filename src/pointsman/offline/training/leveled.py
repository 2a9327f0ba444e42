"""Texts and how difficult people take them for, from a file."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import msgspec

from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.offline.training.difficulty import LEVELS, Leveled


def read_leveled(path: Path) -> tuple[Leveled, ...]:
    """JSON lines of `text` and `difficulty` (easy, medium, hard), other fields passed over; a name that ends in .gz is
    unpacked. Raises PointsmanError: what is wrong, in which line."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except OSError as error:
        message = said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=why(error))
        raise PointsmanError(message) from None
    except (EOFError, zlib.error) as error:
        message = said("{path} cannot be unpacked: {why}", "{path} 无法解压：{why}", path=path, why=error)
        raise PointsmanError(message) from None
    found = []
    decode = msgspec.json.Decoder(Leveled).decode
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            each = decode(line)
            if each.difficulty not in LEVELS:
                raise msgspec.ValidationError(f"difficulty {each.difficulty!r}")
            found.append(each)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            message = said(
                '{path}, line {number}: not {{"text": …, "difficulty": easy, medium or hard}} ({why})',
                '{path} 第 {number} 行不是 {{"text": …, "difficulty": easy、medium 或 hard}}（{why}）',
                path=path,
                number=number,
                why=error,
            )
            raise PointsmanError(message) from None
    if not found:
        raise PointsmanError(said("{path} holds no texts", "{path} 里没有文本", path=path))
    return tuple(found)
