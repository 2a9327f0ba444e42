"""Questions of people for logs that a bench makes."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pointsman.bench.quality.eval_set import BUILTIN
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_FIELDS = ("text", "question", "prompt", "instruction")
_LONGEST = 1500


def texts_of(files: Iterable[Path], seed: int) -> list[str]:
    """Of JSON lines with one of `text`, `question`, `prompt`, `instruction` (.gz too); those of the eval set that ships
    where no file is named. In an order that the seed decides; in both languages as far as they are. Raises
    PointsmanError."""
    chosen = [*files] or sorted(BUILTIN.glob("*.jsonl"))
    found = [text for file in chosen for text in _read(file)]
    if not found:
        raise PointsmanError(said("there are no texts in these files", "这些文件里没有文本"))
    random.Random(seed).shuffle(found)  # noqa: S311
    return found


def _read(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        lines = [msgspec.json.decode(line) for line in data.splitlines() if line.strip()]
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        message = said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=error)
        raise PointsmanError(message) from None
    named = [next((line[field] for field in _FIELDS if isinstance(line.get(field), str)), "") for line in lines]
    return [text[:_LONGEST] for text in named if text.strip()]
