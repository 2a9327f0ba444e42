"""A long sentence over several lines of a terminal."""

from __future__ import annotations

import re
import shutil
import sys

from pointsman.cli.table import columns

_PIECES = re.compile(r"\s+|（*(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[，。、；：）]*")
_NAMES = re.compile(r"\s*(?:\S+(?: \S+)*  +)*")
_NARROW = 40


def wrapped(text: str) -> list[str]:
    """The text as it is where no terminal reads it; else in lines that fit, the later ones as far in as its last run of two
    spaces: where what is said begins behind its name. Breaks at spaces, and between ideographs, but not before a comma."""
    if not sys.stdout.isatty():
        return [text]
    return lines_of(text, shutil.get_terminal_size().columns - 1)


def lines_of(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, but for a word that is longer."""
    names = _NAMES.match(text)
    head = names[0] if names else ""
    indent = columns(head)
    if width - indent < _NARROW:
        return [text]
    lines, line = [], ""
    for piece in _PIECES.findall(text[len(head) :]):
        if line and indent + columns(line) + columns(piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    lines.append(line.rstrip())
    return [head + lines[0], *(" " * indent + each for each in lines[1:])]
