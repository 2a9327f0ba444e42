"""What third parties write, fit to be shown: without control characters, not too long."""

from __future__ import annotations

import re
from typing import Any

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# controls, what turns the direction of writing, what has no width and no meaning
_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)
_DEEPEST = 64


def clean(text: str, most: int | None = None) -> str:
    """With line feeds as the only ends of lines, tabs as they were; at most `most` characters, the last of them `…`."""
    plain = _CONTROLS.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    return plain if most is None or len(plain) <= most else plain[: most - 1] + "…"


def one_line(text: str, most: int) -> str:
    return clean(" ".join(text.split()), most)


def clean_all(value: Any, depth: int = 0) -> Any:
    """The same for every text in a JSON value. Raises ValueError where it is nested too deeply."""
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_all(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean_all(item, depth + 1) for key, item in value.items()}
    return value
