"""Fenced blocks of code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.scan import Find, looks

_OPEN: Any = re2.compile(r"(?m)(`{3,})[ \t]*([^`\n]*)(?:$|(`{3,}))|^[ \t>]*(~{3,})[ \t]*([^\n]*)$")
_LANGUAGE: Any = re2.compile(r"\{?\.?([A-Za-z0-9][A-Za-z0-9+#._-]{0,30})")


def find(data: bytes) -> Iterator[Find]:
    """Blocks between fences of ``` or ~~~, also one that never closes, and one on a single line. A fence of backticks may
    open behind words (看这段```python). Narrowed by the language."""
    opened: tuple[int, bytes, str | None] | None = None
    for match in looks(_OPEN, data):
        ticks, info, closes, tildes, tilde_info = match.groups()
        fence = ticks or tildes
        words = (info if ticks else tilde_info).strip()
        start = match.start(1) if ticks else match.start(4)
        if opened is None:
            if closes and len(closes) >= len(fence):
                yield Find(start, match.end(), {"language": None})
            else:
                named = _LANGUAGE.match(words)
                opened = start, fence, named.group(1).decode().lower() if named else None
        elif (
            fence[:1] == opened[1][:1] and len(fence) >= len(opened[1]) and not closes and (not words or words[0] > 127)
        ):
            yield Find(opened[0], start + len(fence), {"language": opened[2]}, opened[2])
            opened = None
    if opened is not None:
        yield Find(opened[0], len(data), {"language": opened[2]}, opened[2])


def may_hold(data: bytes) -> bool:
    return b"```" in data or b"~~~" in data
