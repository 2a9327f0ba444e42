"""A shell for each test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.invoke import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("POINTSMAN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return Shell(tmp_path, monkeypatch, capsys)
