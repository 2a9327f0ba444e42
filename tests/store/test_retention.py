"""What is too old is off the disk, also where rows were moved between pages, and without any new request."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from pointsman.store.content_files import ContentFiles
from pointsman.store.log_file import open_log
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter
from pointsman.store.retention import Retention

DAY = 86_400.0
NOW = 1.8e9


def fill(folder: Path, count: int, now: float) -> None:
    """Batches of ten days, of very different sizes, by the order of two gateways that write at once."""
    dice = random.Random(7)
    connection = open_log(folder / NAME)
    connection.execute("begin")
    for number in range(count):
        age = 10 - (number ^ 1) * 10 / count
        word = b"OLD-SECRET " if age > 5 else b"fresh "
        text = word * max(1, int(dice.paretovariate(1) * 9) % 1500)
        connection.execute(
            "insert into batches values (null,?,?,?,1,'full',?,?)",
            (now - age * DAY, f"req_{number:05}", f"req_{number:05}", word * dice.randrange(30), text),
        )
    connection.execute("commit")
    connection.close()


def test_nothing_of_it_is_left(tmp_path: Path) -> None:
    fill(tmp_path, 3000, NOW)
    connection = open_log(tmp_path / NAME)
    retention = Retention(5 * DAY)
    while (wait := retention.purge(connection, ContentFiles(tmp_path, "0"), NOW)) == 0:
        pass
    assert wait == 3600
    assert b"OLD-SECRET" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert connection.execute("select count(*) from batches").fetchall() == [(1500,)]
    connection.close()


def test_much_is_removed_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.store.retention._SLICE", 100)
    fill(tmp_path, 500, NOW)
    connection, retention = open_log(tmp_path / NAME), Retention(5 * DAY)
    assert [retention.purge(connection, ContentFiles(tmp_path, "0"), NOW) for _ in range(4)] == [0, 0, 3600, 3600]
    connection.close()


def test_a_reader_that_holds_the_log_is_waited_for_later(tmp_path: Path) -> None:
    fill(tmp_path, 100, NOW)
    connection, reader = open_log(tmp_path / NAME), open_log(tmp_path / NAME)
    connection.set_busy_timeout(10)
    held = reader.execute("select id from batches")
    next(held)
    retention = Retention(5 * DAY)
    assert retention.purge(connection, ContentFiles(tmp_path, "0"), NOW) == 60
    held.close()
    assert retention.purge(connection, ContentFiles(tmp_path, "0"), NOW) == 3600
    connection.close()
    reader.close()


def test_a_file_that_another_writes_is_written_anew_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, 100, NOW)
    connection, other = open_log(tmp_path / NAME), open_log(tmp_path / NAME)
    connection.set_busy_timeout(10)

    def size(_: object) -> int:
        other.execute("begin immediate")
        return 0

    retention = Retention(5 * DAY)
    with monkeypatch.context() as patch:
        patch.setattr("pointsman.store.retention._size", size)
        assert retention.purge(connection, ContentFiles(tmp_path, "0"), NOW) == 60
    other.execute("rollback")
    before = connection.execute("pragma freelist_count").fetchall()
    assert retention.purge(connection, ContentFiles(tmp_path, "0"), NOW) == 3600
    assert connection.execute("pragma freelist_count").fetchall() == [(0,)] != before
    connection.close()
    other.close()


def test_a_gateway_that_nobody_asks_removes_it_too(tmp_path: Path) -> None:
    fill(tmp_path, 50, time.time())
    writer = LogWriter(tmp_path, "full", 5 * DAY, linger=0.0)
    deadline = time.monotonic() + 10
    while b"OLD-SECRET" in b"".join(path.read_bytes() for path in tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    writer.close()
