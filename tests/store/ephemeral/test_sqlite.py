"""What is of a file alone: it may vanish, and what it holds is no other start's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral import sqlite
from pointsman.store.ephemeral.sqlite import SqliteEphemeral
from store.jobs.makes import LONG


async def test_a_file_that_vanished_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "there" / "e.sqlite"
    store = SqliteEphemeral(path)
    await store.put("k", b"v", LONG)
    assert path.stat().st_mode & 0o077 == 0
    for file in path.parent.iterdir():
        file.unlink()
    assert await store.get("k") is None
    await store.put("k", b"w", LONG)
    other = SqliteEphemeral(path)
    assert await other.get("k") == b"w"
    await store.close()
    await other.close()


async def test_another_start_of_the_machine_has_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteEphemeral(tmp_path / "e.sqlite")
    await store.put("k", b"v", LONG)
    await store.close()
    monkeypatch.setattr(sqlite, "boot_id", lambda: "another")
    store = SqliteEphemeral(tmp_path / "e.sqlite")
    assert await store.get("k") is None
    await store.close()


async def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    path = tmp_path / "e.sqlite"
    path.write_bytes(b"not a database, and long enough to be read as one" * 100)
    store = SqliteEphemeral(path)
    with pytest.raises(StoreError, match=r"e\.sqlite"):
        await store.get("k")
    path.unlink()
    await store.put("k", b"v", LONG)
    await store.close()


async def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    store = SqliteEphemeral(tmp_path / "e.sqlite")
    await store.close()
    assert not list(tmp_path.iterdir())
