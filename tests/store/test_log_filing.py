"""Filing, when something goes wrong meanwhile: nothing is lost, listed or counted twice, and requests go on."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import apsw
import pytest
from msgspec.structs import replace

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.record import Record, Timings
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import log_filing
from pointsman.store.content_files import ContentFiles
from pointsman.store.log_columns import bits_of, bits_with, joined, packed_column
from pointsman.store.log_file import open_log
from pointsman.store.log_filing import file_batches
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter
from pointsman.store.retention import Retention
from pointsman.store.rollups import Rollups

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)
START = 1.9e9
DAY = 86_400


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_filing, "ENOUGH", 20)
    monkeypatch.setattr("pointsman.store.log_writer.ENOUGH", 20)


def record(policy: Policy, number: int, received: float) -> Record:
    request = replace(ask(f"question {number}"), id=f"r{number:04}", now=received)
    return Record(request, received, "ok", decide(request, policy, FLEET), timings=Timings(0.1, None, 5.0))


def write(folder: Path, policy: Policy, times: list[float], first: int = 0) -> LogWriter:
    """A batch for each."""
    writer = LogWriter(folder, "sealed", 1e10, linger=0.0)
    deadline = time.monotonic() + 60
    for number, received in enumerate(times, first):
        writer.put(record(policy, number, received), policy.document, FLEET)
        while writer.written + writer.dropped <= number - first:
            assert time.monotonic() < deadline
            time.sleep(0.0005)
    writer.close()
    return writer


def counts(folder: Path) -> tuple[int, int, int]:
    """(listed, counted by minute, counted by day)."""
    reader, rollups = LogReader(folder), Rollups(folder)
    try:
        start, end = START - 10 * DAY, START + 10 * DAY
        days = start // DAY * DAY
        return (
            len(list(reader.rows({}, None, 10_000))),
            sum(one.figures.count for one in rollups.between(start, end, 60)),
            sum(one.figures.count for one in rollups.between(days, end, DAY)),
        )
    finally:
        reader.close()
        rollups.close()


def filed(folder: Path) -> tuple[int, int]:
    """(chapters, batches that wait)."""
    connection = open_log(folder / NAME)
    [(chapters,)] = connection.execute("select count(*) from chapters").fetchall()
    [(waiting,)] = connection.execute("select count(*) from unfiled").fetchall()
    connection.close()
    return int(chapters), int(waiting)


def test_a_disk_that_is_full_while_it_files(tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries = log_filing.write_chapter, []

    def full(*given: Any) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise apsw.FullError("database or disk is full")
        real(*given)

    monkeypatch.setattr(log_filing, "write_chapter", full)
    writer = write(tmp_path, policy, [START + number for number in range(90)])
    assert (writer.dropped, writer.problem) == (0, None)
    assert len(tries) > 3
    assert counts(tmp_path) == (90, 90, 90)


def test_breaking_off_between_the_two(tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, policy, [START + number for number in range(15)])
    connection = open_log(tmp_path / NAME)

    def dies(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(log_filing, "write_rollups", dies)
    with pytest.raises(KeyboardInterrupt):
        file_batches(connection, all_of_them=True)
    monkeypatch.undo()
    assert connection.execute("select count(*) from chapters").fetchall() == [(0,)]
    assert file_batches(connection, all_of_them=True)
    connection.close()
    assert filed(tmp_path) == (1, 0)
    assert counts(tmp_path) == (15, 15, 15)


def test_a_clock_that_runs_backwards(tmp_path: Path, policy: Policy) -> None:
    """Each request is where the clock said that it came, in lists and in sums."""
    dice = random.Random(2)
    times = [START + (number if number < 30 else number - 4000) for number in range(70)]
    dice.shuffle(times)
    write(tmp_path, policy, times)
    chapters, _ = filed(tmp_path)
    assert chapters >= 2
    assert counts(tmp_path) == (70, 70, 70)
    reader = LogReader(tmp_path)
    found = [row["received"] for row in reader.rows({}, None, 100)]
    assert found == sorted(times, reverse=True)
    page = reader.page({}, limit=20)
    assert [row["received"] for row in reader.page({}, limit=50, before=page.next).rows] == found[20:]
    reader.close()
    connection = open_log(tmp_path / NAME)
    Retention(10 * DAY).purge(connection, ContentFiles(tmp_path, "0"), START - 5 * DAY)  # the clock is days behind
    connection.close()
    assert counts(tmp_path) == (70, 70, 70)


def test_an_older_program_that_writes_on(tmp_path: Path, policy: Policy) -> None:
    """It knows no chapters, so its batches are filed by whoever opens the log next."""
    write(tmp_path, policy, [START + number for number in range(25)])
    assert filed(tmp_path)[0] == 1
    connection = open_log(tmp_path / NAME)
    connection.execute("delete from unfiled")
    connection.execute(
        "insert into batches (last, first_id, last_id, count, prompts, heads, contents) "
        "select last, first_id, last_id, count, prompts, heads, contents from batches where id = 25"
    )
    connection.close()
    connection = open_log(tmp_path / NAME)
    waiting = [number for (number,) in connection.execute("select batch from unfiled").fetchall()]
    connection.close()
    assert 26 in waiting


@pytest.mark.parametrize("version", [2, 3])
def test_a_log_of_an_older_version(tmp_path: Path, policy: Policy, version: int) -> None:
    write(tmp_path, policy, [START + number for number in range(50)])
    connection = open_log(tmp_path / NAME)
    for table in ("unfiled", "chapters", "fields", "rollups", "wiped", "erased"):
        connection.execute(f"drop table {table}")
    connection.execute(f"pragma user_version={version}")
    connection.close()
    assert counts(tmp_path) == (50, 50, 50)  # nobody has opened it to write
    write(tmp_path, policy, [START + 50 + number for number in range(3)], first=50)
    assert counts(tmp_path) == (53, 53, 53)
    assert filed(tmp_path)[0] >= 1


def test_a_batch_that_is_damaged(tmp_path: Path, policy: Policy) -> None:
    """It keeps the others from nothing; who lists all is told."""
    write(tmp_path, policy, [START + number for number in range(10)])
    connection = open_log(tmp_path / NAME)
    connection.execute("update batches set heads = x'00' where id = 4")
    while file_batches(connection, all_of_them=True):
        pass
    assert connection.execute("select batch, counted from unfiled").fetchall() == [(4, -1)]
    connection.close()
    reader = LogReader(tmp_path)
    assert len(reader.page({}, limit=4).rows) == 4
    with pytest.raises(LogError, match="batch 4 is damaged"):
        list(reader.rows({}, None, 100))
    reader.close()


class TestColumns:
    @pytest.mark.parametrize("kinds", [1, 2, 254, 255, 256, 600, 5000])
    def test_what_it_finds(self, kinds: int) -> None:
        dice = random.Random(kinds)
        values = [None if dice.random() < 0.1 else f"v{int(dice.random() ** 2 * kinds)}" for _ in range(2000)]
        column = packed_column(values)
        for wanted in ("v0", "v1", f"v{kinds - 1}", "nothing"):
            expected = int("".join("1" if value == wanted else "0" for value in values), 2)
            assert bits_of(column, len(values), wanted) == expected

    def test_ids(self) -> None:
        values = [f"req_{number}" for number in range(3000)]
        column = packed_column(values)
        assert len(column[1]) == 0
        assert bits_of(column, 3000, "req_17") == 1 << (3000 - 1 - 17)

    def test_labels(self) -> None:
        values = [joined(labels) for labels in (["a", "b"], [], ["b"], ["ab"], ["a"])]
        column = packed_column(values)
        assert bits_with(column, 5, "a") == 0b10001
        assert bits_with(column, 5, "b") == 0b10100
        assert bits_with(column, 5, "c") == 0

    def test_more_labels_than_codes(self) -> None:
        values = [joined([f"l{number}", "all"]) for number in range(400)]
        found = bits_with(packed_column(values), 400, "l399")
        assert found & 1
        assert bits_with(packed_column(values), 400, "all") == (1 << 400) - 1
