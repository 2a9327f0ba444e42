"""Comments that stand outside of statements: what they hold is not run."""

from __future__ import annotations

from typing import Any

import re2

from pointsman.extractors.scan import byte_at

_OPENS: Any = re2.compile(r"--|/\*|#[ \t]")
_LEADS_IN: Any = re2.compile(r"(?:[:：。；;，,>\"'`“「(（]|```[a-zA-Z]*)\s*$")
_SQL_LINE: Any = re2.compile(
    r"(?i)\s*(?:--|#[ \t]|/\*|(?:select|insert|update|delete|create|alter|drop|truncate|with|grant|revoke|merge"
    r"|exec|execute|replace|pragma)\b)"
)
_MOST = 2000  # openings that are looked at
_LINE = 200  # bytes before a comment that are


class Comments:
    """Asked for places from left to right; each byte is read once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._next = self._end = 0
        self._left = _MOST
        self._unclosed = False

    def hold(self, place: int, last: int) -> bool:
        """The place lies in a comment. `last` is where the statement before it ended, for what its strings hold opens
        nothing."""
        self._next = max(self._next, last)
        while self._next < place and self._left:
            opening = _OPENS.search(self._data, self._next, place)
            if opening is None:
                self._next = place
                break
            self._left -= 1
            end = self._closes(opening.start(), opening.group(), last)
            self._next = opening.end()
            if end is not None:
                self._next = self._end = end
        return place < self._end

    def _closes(self, start: int, mark: bytes, last: int) -> int | None:
        """Where the comment ends; None where it is none: MySQL runs what stands in /*! */, and prose has dashes, globs and
        headings."""
        data = self._data
        if mark == b"/*":
            if self._unclosed or byte_at(data, start + 2) == 0x21 or byte_at(data, start - 1) in b"'\"`":
                return None
            close = data.find(b"*/", start + 2)
            self._unclosed = close < 0
            return None if close < 0 else close + 2
        _, newline, line = data[max(last, start - _LINE) : start].rpartition(b"\n")
        begins = not line.strip() and (bool(newline) or start <= _LINE)
        behind_statement = last > 0 and not newline and start - last < _LINE
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if mark == b"--":
            return end if begins or behind_statement or _LEADS_IN.search(line) else None
        return end if behind_statement or (begins and _SQL_LINE.match(data, end)) else None
