"""The address of the gateway of the config in this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.cli.base_here import base_here
from pointsman.cli.gateway_client import BASE


@pytest.mark.parametrize(
    ("text", "base"),
    [
        (None, BASE),
        ("server: {port: 9001}", "http://127.0.0.1:9001"),
        ("server: {host: 0.0.0.0, port: 9001}", "http://127.0.0.1:9001"),
        ('server: {host: "::1", port: 9001}', "http://[::1]:9001"),
        ("server: {host: gate.example}", "http://gate.example:8900"),
        ("server: {port: 0}", BASE),
        ("server: {port: many}", BASE),
        ("server: 5", BASE),
        ("- 1", BASE),
        ("server: [", BASE),
    ],
)
def test_where_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, base: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POINTSMAN_CONFIG", raising=False)
    if text is not None:
        (tmp_path / "pointsman.yaml").write_text(text, encoding="utf-8")
    assert base_here() == base
