"""Hashes are right, remembered while a file is the same, and never of a file that changed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from pointsman.fleet import file_hash
from pointsman.fleet.file_hash import Changed, hash_file, memory_of


def test_remembered_until_the_file_changes(tmp_path: Path) -> None:
    model, memory = tmp_path / "m.gguf", memory_of(tmp_path / "data")
    model.write_bytes(b"weights")
    first = hash_file(model, memory)
    assert first.sha256 == hashlib.sha256(b"weights").hexdigest() and first.size == 7 and not first.kept
    assert hash_file(model, memory) == file_hash.FileHash(first.sha256, 7, kept=True)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    moved = model.rename(tmp_path / "n.gguf")
    assert hash_file(moved, memory).sha256 == first.sha256
    about = moved.stat()
    moved.write_bytes(b"weighty")  # as long, and dated back
    os.utime(moved, ns=(about.st_atime_ns, about.st_mtime_ns))
    again = hash_file(moved, memory)
    assert not again.kept and again.sha256 == hashlib.sha256(b"weighty").hexdigest()


def test_a_large_file_is_told_of_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_hash, "PIECE", 1000)
    (tmp_path / "m").write_bytes(bytes(2500))
    heard: list[tuple[int, int]] = []
    hash_file(tmp_path / "m", tell=lambda done, size: heard.append((done, size)))
    assert heard == [(1000, 2500), (2000, 2500), (2500, 2500)]


def test_a_file_that_changes_meanwhile_has_no_hash(tmp_path: Path) -> None:
    model, memory = tmp_path / "m", memory_of(tmp_path)
    model.write_bytes(bytes(10))

    def write(done: int, size: int) -> None:
        model.write_bytes(bytes(11))

    with pytest.raises(Changed) as caught:
        hash_file(model, memory, write)
    assert str(model) in caught.value.said and "被改动" in caught.value.said.zh
    assert not memory.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"a": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_memory_is_as_none(content: bytes, tmp_path: Path) -> None:
    model, memory = tmp_path / "m", tmp_path / "hashes.json"
    model.write_bytes(b"x")
    memory.write_bytes(content)
    assert hash_file(model, memory).sha256 == hashlib.sha256(b"x").hexdigest()
    assert hash_file(model, memory).kept


def test_a_memory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"x")
    (tmp_path / "models").write_bytes(b"a file where a folder should be")
    assert not hash_file(tmp_path / "m", memory_of(tmp_path)).kept
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "models"]


def test_the_memory_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_hash, "MOST", 2)
    memory = memory_of(tmp_path)
    for name in "abc":
        (tmp_path / name).write_bytes(name.encode())
        hash_file(tmp_path / name, memory)
    assert not hash_file(tmp_path / "a", memory).kept and hash_file(tmp_path / "c", memory).kept


def test_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "none"):
        with pytest.raises(OSError):
            hash_file(path)
