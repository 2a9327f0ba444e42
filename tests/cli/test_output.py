"""What is printed arrives, whatever the terminal knows and the text holds."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from pointsman.cli.output import print_json, print_line


def printed(monkeypatch: pytest.MonkeyPatch, encoding: str, value: Any, pretty: bool = False) -> str:
    data = io.BytesIO()
    out = io.TextIOWrapper(data, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    print_json(value, pretty=pretty)
    out.flush()
    return data.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252", "gb18030"])
@pytest.mark.parametrize("pretty", [False, True])
def test_json_loses_nothing(monkeypatch: pytest.MonkeyPatch, encoding: str, pretty: bool) -> None:
    value = {"text": "你好 \U0001f600 é", "n": [1, None]}
    assert json.loads(printed(monkeypatch, encoding, value, pretty)) == value


def test_half_a_surrogate_pair_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(printed(monkeypatch, "utf-8", {"path": "a\udcffb 好"})) == {"path": "a\ufffdb 好"}


def test_control_characters_do_nothing_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("a\x1b[31mb\x07\nc 你好")
    assert capsys.readouterr().out == "a\ufffd[31mb\ufffd\ufffdc 你好\n"
