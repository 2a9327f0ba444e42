"""What `serve` says once it serves."""

from __future__ import annotations

import logging

import pytest

from pointsman.cli.greeting import greet

BASE = "http://0.0.0.0:9001"


@pytest.mark.parametrize("console", ["http://127.0.0.1:9001/ui", None])
def test_it_says_where_the_console_is_if_there_is_one(
    console: str | None, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO, "pointsman"):
        greet(BASE, console, True, ["small@a"], [], "en")
    said = [record.getMessage() for record in caplog.records]
    assert any(BASE in line and "small@a" in line for line in said)
    assert [line for line in said if "/ui" in line] == ([] if console is None else [f"the console: {console}"])
    assert f"{BASE}/v1/chat/completions" in capsys.readouterr().out
