"""The table of qualities that `quality.file` of the config names: what `bench quality` writes, and routing reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pointsman.bench.quality.measure import ALL
from pointsman.bench.results import Results
from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.domain.task_types import TASK_TYPES


def lines_of(results: Results) -> list[dict[str, Any]]:
    """A line for each model at each type of tasks, and one over all (`task` null). Of two backends with the same model the
    first counts."""
    found: dict[tuple[str, str | None], dict[str, Any]] = {}
    models: Mapping[str, str] = results.options["models"]
    for sample in results.samples:
        task = None if sample.row == ALL else sample.row
        if task is not None and task not in TASK_TYPES:
            continue
        model, values = models[sample.subject], sample.values
        found.setdefault(
            (model, task),
            {
                "model": model,
                "task": task,
                "value": round(values["value"], 4),
                "weight": int(values["n"]),
                "low": round(values["low"], 4),
                "high": round(values["high"], 4),
                "set": results.options["set"],
                "at": results.date,
            },
        )
    return list(found.values())


def write_table(path: Path, lines: list[dict[str, Any]]) -> int:
    """In place of what the file says of the same models; what it says of others stays. How many lines stayed. Raises
    PointsmanError."""
    models = {line["model"] for line in lines}
    try:
        kept = _others(path, models)
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in (*kept, *lines))
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink()
            raise
    except OSError as error:
        raise PointsmanError(
            said("{path} cannot be written: {why}", "{path} 无法写入：{why}", path=path, why=why(error))
        ) from None
    return len(kept)


def _others(path: Path, models: set[str]) -> list[Any]:
    if not path.exists():
        return []
    kept = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            told = msgspec.json.decode(line)
            if told["model"] not in models:
                kept.append(told)
        except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
            message = said(
                "{path}:{number} is no line of a table of qualities; it is left as it is",
                "{path}:{number} 不是质量表的一行；文件保持不变",
                path=path,
                number=number,
            )
            raise PointsmanError(message) from None
    return kept
