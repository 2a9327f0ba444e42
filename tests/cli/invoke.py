"""Verbs of the command line, run in this process as a shell would run them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pointsman.cli import main

MODELS = """\
models:
  light: {backends: [{engine: ollama, model: "qwen2.5:3b"}]}
  heavy: {backends: [{engine: ollama, model: "qwen2.5:32b"}]}
fallback: {target: light}
"""


class Done(NamedTuple):
    """What a verb left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def json(self) -> Any:
        [line] = self.lines
        return line


class Shell:
    """A shell in a folder of its own, where nothing of POINTSMAN_* is set."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run(self, *arguments: str, stdin: str | bytes = b"") -> Done:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        self._capsys.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        said = self._capsys.readouterr()
        return Done(code, said.out, said.err)
