"""Keys that follow each other: whenever a rotation breaks off, what was sealed opens."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pointsman.store import log_keys
from pointsman.store.log_keys import KEY, forget_older, older_in, rotate
from pointsman.store.seal import Seal


def opens(folder: Path, sealed: bytes) -> bool:
    seal = Seal.found_in(folder)
    return seal is not None and seal.open(sealed, b"about") == b"text"


def test_each_opens_what_it_sealed(tmp_path: Path) -> None:
    sealed = []
    for _ in range(4):
        sealed.append(Seal.in_folder(tmp_path).close(b"text", b"about"))
        rotate(tmp_path)
    assert all(opens(tmp_path, one) for one in (*sealed, *sealed[::-1]))
    assert not opens(tmp_path, Seal(os.urandom(32)).close(b"text", b"about"))
    assert len(older_in(tmp_path)) == 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    new = Seal.in_folder(tmp_path)
    assert new.follows(Seal(older_in(tmp_path)[0]))
    assert new.alone().open(sealed[-1], b"about") is None


@pytest.mark.parametrize("left", range(6))
@pytest.mark.parametrize("step", ["open", "fsync", "rename"])
def test_breaking_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, left: int) -> None:
    sealed = Seal.in_folder(tmp_path).close(b"text", b"about")
    calls = 0

    def breaks(real: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == left + 1:
                raise OSError("the power is gone")
            return real(*given, **named)

        return call

    with monkeypatch.context() as patch:
        if step == "rename":
            patch.setattr(Path, "rename", breaks(Path.rename))
            patch.setattr(Path, "replace", breaks(Path.replace))
        else:
            patch.setattr(log_keys.os, step, breaks(getattr(os, step)))
        try:
            rotate(tmp_path)
        except OSError:
            assert calls == left + 1
    assert opens(tmp_path, sealed)
    assert opens(tmp_path, Seal.in_folder(tmp_path).close(b"text", b"about"))
    rotate(tmp_path)
    assert opens(tmp_path, sealed)
    assert not (tmp_path / "log.key.new").exists()


def test_older_ones_go(tmp_path: Path) -> None:
    sealed = Seal.in_folder(tmp_path).close(b"text", b"about")
    rotate(tmp_path)
    assert forget_older(tmp_path, 1e9) == 0
    assert forget_older(tmp_path, 1e12) == 1
    assert older_in(tmp_path) == []
    assert not opens(tmp_path, sealed)


def test_files_that_hold_no_key(tmp_path: Path) -> None:
    sealed = Seal.in_folder(tmp_path).close(b"text", b"about")
    for name in (f"{KEY}-12", f"{KEY}-x", f"{KEY}.new"):
        (tmp_path / name).write_bytes(b"short")
    assert older_in(tmp_path) == []
    assert opens(tmp_path, sealed)
