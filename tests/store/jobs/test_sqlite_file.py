"""The file that jobs lie in: whose it is, which version's, begun by several at once, found by its indexes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import apsw
import apsw.ext
import pytest

from pointsman.domain.said import Said
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs import sqlite_reads, sqlite_writes
from pointsman.store.jobs.sqlite import SqliteJobStore
from pointsman.store.jobs.sqlite_file import VERSION, opened
from store.jobs.makes import change, submission, submitted, there

_BEGIN = """import sys
from pathlib import Path
from pointsman.store.jobs.sqlite_file import opened
opened(Path(sys.argv[1]), "boot").close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
async def test_it_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "made" / "jobs.sqlite"
    store = SqliteJobStore(path)
    await submitted(store, submission())
    names = sorted(file.name for file in path.parent.iterdir())
    assert names == ["jobs.sqlite", "jobs.sqlite-shm", "jobs.sqlite-wal"]
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    assert path.parent.stat().st_mode & 0o077 == 0
    await store.close()
    assert [file.name for file in path.parent.iterdir()] == ["jobs.sqlite"]


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_a_file_that_others_could_read_is_so_no_more(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    opened(path, "boot").close()
    path.chmod(0o644)
    opened(path, "boot").close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_a_newer_version_wrote_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    connection = opened(path, "boot")
    connection.execute(f"pragma user_version={VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as refused:
        SqliteJobStore(path)
    text = refused.value.args[0]
    assert isinstance(text, Said)
    assert f"a newer version wrote it (schema {VERSION + 1}, this one knows {VERSION})" in text
    assert f"它是更新的版本写的（结构 {VERSION + 1}，这个版本只认识 {VERSION}）" in text.zh
    assert str(path) in text
    assert path.read_bytes() == before


def test_what_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    path.write_text("these are no jobs" * 100)
    with pytest.raises(StoreError) as refused:
        SqliteJobStore(path)
    assert "它不是数据库文件" in refused.value.args[0].zh
    assert path.read_text() == "these are no jobs" * 100


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as refused:
        SqliteJobStore(tmp_path / "file" / "jobs.sqlite")
    assert isinstance(refused.value.args[0], Said)


def test_several_processes_begin_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    started = [subprocess.Popen([sys.executable, "-c", _BEGIN, str(path)], stderr=subprocess.PIPE) for _ in range(4)]
    for process in started:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")
    connection = apsw.Connection(str(path))
    assert connection.execute("pragma user_version").fetchall() == [(VERSION,)]
    assert connection.execute("select id from boot").fetchall() == [("boot",)]
    connection.close()


@pytest.mark.parametrize("module", [sqlite_reads, sqlite_writes], ids=["reads", "writes"])
def test_nothing_is_searched_for_from_end_to_end(tmp_path: Path, module: object) -> None:
    """Whatever there is that is over: each statement goes by an index, and in its order."""
    connection = opened(tmp_path / "jobs.sqlite", "boot")
    texts = [value for value in vars(module).values() if isinstance(value, str)]
    statements = [text for text in texts if text.startswith("select ") and not text.endswith("from jobs")]
    assert len(statements) > 5
    for statement in statements:
        values = (0,) * apsw.ext.query_info(connection, statement).bindings_count
        for *_, detail in connection.execute("explain query plan " + statement, values).fetchall():
            assert "TEMP B-TREE" not in str(detail), statement
            assert not str(detail).startswith("SCAN jobs") or "COVERING INDEX" in str(detail), statement
    connection.close()


async def test_a_step_does_not_write_a_large_body_again(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    store = SqliteJobStore(path)
    body = os.urandom(8 << 20)
    await submitted(store, submission(body=body))
    await store.close()
    store = SqliteJobStore(path)
    for number in range(20):
        (job,) = await store.claim(["interactive"], "w", 1, 60.0)
        assert job.failures == number
        await store.advance(job.held, change(job, "failed", failures=1, data=b"so far"))
    assert job.body == body
    assert Path(f"{path}-wal").stat().st_size < 1 << 20
    assert (await there(store, job.id)).body == body
    await store.close()


async def test_what_was_purged_leaves_the_disk(tmp_path: Path) -> None:
    store = SqliteJobStore(tmp_path / "jobs.sqlite")
    for number, size in enumerate((10, 300, 100_000)):
        await submitted(store, submission(number, body=b"a prompt that nobody may read " * size))
        (job,) = await store.claim(["interactive"], "w", 1, 10.0)
        await store.advance(job.held, change(job, "ended:ok", result=b"nor may its reply be read" * size))
    assert any(b"nobody may read" in file.read_bytes() for file in tmp_path.iterdir())
    assert len(await store.purge(9e9)) == 3
    for file in tmp_path.iterdir():
        assert b"nobody may read" not in file.read_bytes()
        assert b"nor may its reply" not in file.read_bytes()
    await store.close()
