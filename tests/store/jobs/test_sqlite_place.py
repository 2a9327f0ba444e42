"""A file that is removed or replaced while jobs are kept in it: nothing more is acknowledged until it is back."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.domain.said import Said
from pointsman.ports.job_store import StoreError, Wanted
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import change, claimed, submission, submitted, there


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteJobStore]:
    store = SqliteJobStore(tmp_path / "data" / "jobs.sqlite")
    await submitted(store, submission(1))
    yield store
    await store.close()


def _replaced(path: Path) -> None:
    """By a copy: the same bytes, another file."""
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)


async def _refused(store: SqliteJobStore, name: str) -> None:
    tries = (
        store.submit([submission(2)]),
        store.submit([submission(3)]),
        store.claim(["interactive"], "w:1", 1, 10.0),
        store.get("job_1"),
        store.ls(Wanted(), 10),
        store.wait(["interactive"], 60.0),
    )
    for error in await asyncio.gather(*tries, return_exceptions=True):
        assert isinstance(error, StoreError)
        text = error.args[0]
        assert isinstance(text, Said) and f"/{name} was removed or replaced" in text and "start the gateway" in text
        assert f"/{name} 在使用中被删除或替换" in text.zh


@pytest.mark.parametrize("name", ["jobs.sqlite", "jobs.sqlite-wal"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_nothing_is_acknowledged_any_more(store: SqliteJobStore, tmp_path: Path, name: str, how: str) -> None:
    path = tmp_path / "data" / name
    if how == "removed":
        path.unlink()
    else:
        _replaced(path)
    await _refused(store, name)


async def test_so_with_the_whole_folder(store: SqliteJobStore, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    await _refused(store, "jobs.sqlite")


async def test_the_very_file_put_back_is_used_again(store: SqliteJobStore, tmp_path: Path) -> None:
    (tmp_path / "data").rename(tmp_path / "aside")
    await _refused(store, "jobs.sqlite")
    (tmp_path / "aside").rename(tmp_path / "data")
    await submitted(store, submission(4))
    assert {job.id for job in await store.ls(Wanted(), 10)} == {submission(1).id, submission(4).id}


async def test_what_stays_is_not_mistaken(store: SqliteJobStore, tmp_path: Path) -> None:
    """Another process that opens and closes it, and a log that is emptied, change nothing."""
    path = tmp_path / "data" / "jobs.sqlite"
    other = SqliteJobStore(path)
    await submitted(other, submission(5))
    [job, *_] = await claimed(store, 2)
    await store.advance(job.held, change(job, "admitted", "matched", "dispatched", "ended:ok"))
    assert await other.purge(1e12)
    await other.close()
    await submitted(store, submission(6))
    assert (await there(store, submission(6).id)).id == submission(6).id
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "data")
    linked = SqliteJobStore(link / "jobs.sqlite")
    await submitted(linked, submission(7))
    await linked.close()
