"""The last lines of a child's stderr, and the few of them that say why it failed."""

from __future__ import annotations

import re
from collections import deque
from pathlib import Path
from typing import BinaryIO

MAX_LINE = 2000
MAX_FILE = 8 << 20

_LEVELLED = re.compile(r"^\d+(?:\.\d+)+ ([A-Z]) +(.*)$")  # llama.cpp: `0.00.006.180 E srv  load_model: failed`
_SPACES = re.compile(r"\s+")
_FATAL = ("GGML_ASSERT", "GGML_ABORT", "terminate called", "what():", "Error:", "CUDA error")
_GENERIC = (
    "failed to load model",
    "exiting due to",
    "trying to fit params",
    "cleaning up before exit",
    "failed to initialize the context",
)


class LogTail:
    """Takes bytes as they come, keeps the last `lines` lines (at most 2000 characters each), and appends everything to
    `path` where one is given: at 8 MiB the file becomes `path.1`. Writing never raises: a full disk ends the copy."""

    def __init__(self, lines: int, path: Path | None = None) -> None:
        self._lines: deque[str] = deque(maxlen=lines)
        self._since: deque[str] = deque(maxlen=lines)
        self._rest = b""
        self._path = path
        self._file: BinaryIO | None = None

    @property
    def lines(self) -> list[str]:
        return [*self._lines]

    @property
    def suspect(self) -> list[str]:
        """The lines of this child, without those that an engine itself calls mere information."""
        return [line for line in self._since if not (found := _LEVELLED.match(line)) or found[1] == "E"]

    def last(self, count: int = 2) -> list[str]:
        """The last words of this child, shortened."""
        said = [line.strip()[:300] for line in self._since if line.strip()]
        return said[-count:]

    def begin(self) -> None:
        """A new child starts: `reasons` looks at its lines only."""
        self._since.clear()
        self._rest = b""
        if self._path and self._file is None:
            self._open(self._path)

    def feed(self, data: bytes) -> None:
        self._copy(data)
        *whole, self._rest = (self._rest + data).split(b"\n")
        for line in whole:
            self._add(line)
        if len(self._rest) > MAX_LINE * 4:
            self.flush()

    def flush(self) -> None:
        """Takes what stands there without an end of line."""
        if self._rest:
            self._add(self._rest)
            self._rest = b""

    def close(self) -> None:
        self.flush()
        if self._file:
            self._file.close()
            self._file = None

    def reasons(self, limit: int = 2) -> list[str]:
        """The first distinct error lines of this child, shortened: llama.cpp names the cause first and then repeats
        that it failed. Empty where it said nothing of the kind."""
        found: dict[str, None] = {}
        for line in self._since:
            levelled = _LEVELLED.match(line)
            if levelled and levelled[1] == "E":
                found[_SPACES.sub(" ", levelled[2])[:300]] = None
            elif not levelled and any(mark in line for mark in _FATAL):
                found[line.strip()[:300]] = None
        telling = [reason for reason in found if not any(words in reason for words in _GENERIC)]
        return (telling or [*found])[:limit]

    def _add(self, line: bytes) -> None:
        text = line.rstrip(b"\r").decode("utf-8", "replace")[:MAX_LINE]
        self._lines.append(text)
        self._since.append(text)

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        except OSError:
            self._file = None

    def _copy(self, data: bytes) -> None:
        if self._file is None or self._path is None:
            return
        try:
            if self._file.tell() + len(data) > MAX_FILE:
                self._file.close()
                self._path.replace(self._path.with_name(self._path.name + ".1"))
                self._open(self._path)
            if self._file:
                self._file.write(data)
        except OSError:
            self._file.close()
            self._file = None
