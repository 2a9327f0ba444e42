"""SQLite on a disk without room: new work is refused, nothing is harmed, and it goes on as soon as there is room."""

from __future__ import annotations

import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from faults.ground import Ground, until
from faults.plans import Plan, planned
from pointsman.domain.job import Job
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import LONG, QUEUES, change, sound, submission, submitted, there

_MOST = 500
"""Jobs of 50 kB, more than there is room for."""
_ROOM = 2 << 20  # bytes


async def _filled(store: SqliteJobStore) -> list[str]:
    """The ids of all that was acknowledged until there was no room."""
    there: list[str] = []
    for number in range(_MOST):
        try:
            await store.submit([submission(number, body=bytes(50_000))])
        except StoreError as error:
            assert "/jobs.sqlite: " in str(error)
            assert all(text for text in error.args)
            return there
        there.append(submission(number).id)
    raise AssertionError("there always was room")


async def _unharmed(store: SqliteJobStore, ids: list[str]) -> None:
    for job_id in ids:
        assert len((await there(store, job_id)).body) == 50_000
        assert await sound(store, job_id) == ["submitted"]


async def _as_before(path: Path) -> None:
    connection = apsw.Connection(str(path))
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


async def _goes_on(store: SqliteJobStore, ids: list[str]) -> None:
    await submitted(store, submission(_MOST + 1, body=bytes(50_000)))
    done: list[Job] = []
    while found := await store.claim(QUEUES, "w", 50, LONG):
        for job in found:
            await store.advance(job.held, change(job, "admitted", "ended:ok"))
        done += found
    assert {job.id for job in done} >= set(ids)


@pytest.fixture
def limited() -> Iterator[None]:
    """No file of this process may grow beyond 2 MiB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


async def test_a_file_may_grow_no_more(tmp_path: Path, limited: None) -> None:
    path = tmp_path / "jobs.sqlite"
    store = SqliteJobStore(path)
    ids = await _filled(store)
    assert ids
    await _unharmed(store, ids)
    with pytest.raises(StoreError):
        await store.submit([submission(_MOST + 2, body=bytes(50_000))])
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    await _goes_on(store, ids)
    await store.close()
    await _as_before(path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_ROOM}", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


async def test_the_disk_is_full(small_disk: Path) -> None:
    path = small_disk / "jobs.sqlite"
    store = SqliteJobStore(path)
    ids = await _filled(store)
    await _unharmed(store, ids)
    await _bigger(small_disk)
    await _goes_on(store, ids)
    await store.close()
    await _as_before(path)


async def _bigger(folder: Path) -> None:
    subprocess.run(["mount", "-o", f"remount,size={32 * _ROOM}", folder], check=True)


async def test_workers_outlive_it(small_disk: Path) -> None:
    """They cannot say that they are done; when there is room, all is done, once."""
    ground = Ground(small_disk.parent / "ground", str(small_disk / "jobs.sqlite"))
    try:
        assert await ground.submit(*[Plan(steps=3, pause=0.02)] * 20) == 0
        fill = small_disk / "fill"
        store = SqliteJobStore(small_disk / "jobs.sqlite")
        _take_all_room(fill)
        acknowledged = 20
        with pytest.raises(StoreError):
            for number in range(1000, 1000 + _MOST):
                await store.submit([planned(number, Plan())])
                acknowledged += 1
        worker = ground.start("w", lost=99)
        with pytest.raises(StoreError):
            await store.submit([planned(number, Plan()) for number in range(2000, 2000 + 100 * _MOST)])
        await store.close()
        await until(lambda: ground.noted("refused"))
        fill.unlink()
        assert await worker.over() == 0
        assert await ground.check() == {"ok": acknowledged}
    finally:
        ground.end()


def _take_all_room(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
