from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.fleet import log_tail
from pointsman.fleet.log_tail import LogTail

FAILED = b"""0.00.006.041 I srv    load_model: loading model 'bad.gguf'
0.00.006.180 E llama_model_load: error loading model: unknown model architecture: 'foo'
0.00.006.392 E llama_model_load_from_file_impl: failed to load model
0.00.006.514 E llama_model_load: error loading model: unknown model architecture: 'foo'
0.00.007.558 E srv          init: exiting due to model loading error
"""


def test_lines_survive_any_split() -> None:
    tail = LogTail(3)
    tail.begin()
    for byte in FAILED:
        tail.feed(bytes([byte]))
    tail.feed(b"\xff half a line")
    assert len(tail.lines) == 3
    assert tail.lines[-1].endswith("exiting due to model loading error")
    tail.flush()
    assert tail.lines[-1] == "\ufffd half a line"


def test_reasons_are_the_cause_and_not_its_echoes() -> None:
    tail = LogTail(50)
    tail.begin()
    tail.feed(FAILED)
    assert tail.reasons() == ["llama_model_load: error loading model: unknown model architecture: 'foo'"]
    tail.begin()
    assert tail.reasons() == []
    tail.feed(b"0.1 E srv load_model: failed to load model\n/src/ggml.c:12: GGML_ASSERT(x > 0) failed\n")
    assert tail.reasons() == ["/src/ggml.c:12: GGML_ASSERT(x > 0) failed"]
    tail.begin()
    tail.feed(b"0.1 E srv load_model: failed to load model, 'x'\n")
    assert tail.reasons() == ["srv load_model: failed to load model, 'x'"]


def test_long_lines_are_cut() -> None:
    tail = LogTail(5)
    for _ in range(100):
        tail.feed(b"x" * 50_000)
    assert all(len(line) <= 2000 for line in tail.lines)


def test_the_copy_is_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tail, "MAX_FILE", 100)
    path = tmp_path / "logs" / "m.log"
    tail = LogTail(5, path)
    tail.begin()
    for _ in range(5):
        tail.feed(b"0123456789" * 3 + b"\n")
    tail.close()
    assert path.stat().st_size == 62
    assert path.with_name("m.log.1").stat().st_size == 93


def test_a_copy_that_cannot_be_written_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    tail = LogTail(5, tmp_path / "file" / "m.log")
    tail.begin()
    tail.feed(b"line\n")
    assert tail.lines == ["line"]
    tail.close()
