"""Contents beside the log: whole or not there at all, whatever dies or fills up; gone when their time is over."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import apsw
import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, policy_of
from pointsman.domain.record import Record
from pointsman.pipeline.policy import Policy
from pointsman.store import content_files, log_batch
from pointsman.store.content_files import ContentFiles, found
from pointsman.store.log_file import open_log
from pointsman.store.log_reader import LogReader
from pointsman.store.log_schema import NAME, VERSION
from pointsman.store.log_writer import LogWriter
from pointsman.store.owner import Owner
from pointsman.store.retention import Retention
from store.test_log_store import DAY, FLEET, Prompts, numbered, record_of, settled
from thorough import tries

KEPT: tuple[Prompts, ...] = ("sealed", "full")
NOW = 1.7e9  # long before these files are made


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


@pytest.fixture(autouse=True)
def _as_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record alone would be squeezed, and its words not be seen."""
    monkeypatch.setattr(log_batch, "_SHORT", 1 << 40)


def long(policy: Policy, number: int, received: float | None = None) -> Record:
    """Of 20,000 characters."""
    text = f"OKAPI-{number:04} " + "".join(random.Random(number).choices("abcdefghijklmnop ", k=20_000))
    return record_of(policy, numbered(number, text), received=1000.0 + number if received is None else received)


def write(folder: Path, policy: Policy, *records: Record, prompts: Prompts = "sealed") -> None:
    writer = LogWriter(folder, prompts, 1e12, linger=0.0)
    for count, record in enumerate(records, 1):
        writer.put(record, policy.document, FLEET)
        settled(writer, count)
    writer.close()
    assert writer.dropped == 0


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("contents-*"))


def kept(folder: Path, table: str = "batches") -> list[Any]:
    database = apsw.Connection(str(folder / NAME), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [one for (one,) in database.execute(f"select contents from {table} order by last")]
    finally:
        database.close()


def whole(folder: Path, *records: Record) -> list[bool]:
    """Of each whether its content is there: then it is what was recorded."""
    reader = LogReader(folder)
    try:
        read = [reader.whole(record.request.id) for record in records]
    finally:
        reader.close()
    for content, record in zip(read, records, strict=True):
        assert content is None or (content.request, content.decision) == (record.request, record.decision)
    return [content is not None for content in read]


def until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


@pytest.mark.parametrize("prompts", KEPT)
class TestWhereTheyLie:
    def test_what_is_large_lies_in_a_file(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        records = [long(policy, number) for number in range(3)]
        write(tmp_path, policy, *records, prompts=prompts)
        [file] = files(tmp_path)
        assert all(isinstance(one, str) for one in kept(tmp_path))
        assert file.stat().st_size == sum(len(found(tmp_path, one) or b"") for one in kept(tmp_path)) > 60_000
        assert file.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
        assert (b"OKAPI-0001" in file.read_bytes()) == (prompts == "full")
        assert whole(tmp_path, *records) == [True] * 3

    def test_what_is_small_does_not(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record = record_of(policy, numbered(1, "prove it"))
        write(tmp_path, policy, record, prompts=prompts)
        assert files(tmp_path) == []
        assert whole(tmp_path, record) == [True]

    def test_all_of_the_log_is_gone_through(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        records = [long(policy, number) if number % 2 else record_of(policy, numbered(number)) for number in range(6)]
        write(tmp_path, policy, *records, prompts=prompts)
        reader = LogReader(tmp_path)
        asked = {logged.head.id: logged.request() for logged in reader.scan()}
        reader.close()
        assert asked == {record.request.id: record.request for record in records}

    def test_notes_do_so_too(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record = long(policy, 1)
        writer = LogWriter(tmp_path, prompts, 1e12, linger=0.0)
        writer.note([(record, policy.document, FLEET)])
        until(lambda: kept(tmp_path, "notes"))
        assert isinstance(kept(tmp_path, "notes")[0], str)
        assert whole(tmp_path, record) == [True]
        writer.put(record, policy.document, FLEET)
        settled(writer, 1)
        writer.close()
        assert not isinstance(kept(tmp_path)[0], str)  # it refers to the note
        assert whole(tmp_path, record) == [True]

    def test_a_file_is_followed_by_another(
        self, tmp_path: Path, policy: Policy, prompts: Prompts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(content_files, "_LARGE", 30_000)
        records = [long(policy, number) for number in range(5)]
        write(tmp_path, policy, *records, prompts=prompts)
        assert len(files(tmp_path)) == 3
        assert whole(tmp_path, *records) == [True] * 5

    def test_one_that_somebody_removes_is_followed_by_another(
        self, tmp_path: Path, policy: Policy, prompts: Prompts
    ) -> None:
        records = [long(policy, number) for number in range(2)]
        writer = LogWriter(tmp_path, prompts, 1e12, linger=0.0)
        for count, record in enumerate(records, 1):
            writer.put(record, policy.document, FLEET)
            settled(writer, count)
            if count == 1:
                files(tmp_path)[0].unlink()
        writer.close()
        assert whole(tmp_path, *records) == [False, True]


@pytest.mark.parametrize("prompts", KEPT)
class TestWhatIsLost:
    @pytest.mark.parametrize("what", ["cut", "zeros", "half"])
    def test_a_power_cut_takes_words_and_not_the_log(
        self, tmp_path: Path, policy: Policy, prompts: Prompts, what: str
    ) -> None:
        records = [long(policy, number) for number in range(2)]
        write(tmp_path, policy, *records, prompts=prompts)
        [file] = files(tmp_path)
        _, start, size, *_ = kept(tmp_path)[1].split()
        lost = int(start) + (int(size) // 2 if what == "half" else 0)
        data = file.read_bytes()
        file.write_bytes(data[:lost] if what == "cut" else data[:lost] + bytes(len(data) - lost))
        assert whole(tmp_path, *records) == [True, False]
        reader = LogReader(tmp_path)
        assert [row["id"] for row in reader.rows({}, None, 9)] == ["r1", "r0"]
        assert [logged.request() for logged in reader.scan()] == [records[0].request, None]
        assert reader.evidence("r1") is None
        reader.close()

    def test_a_place_that_is_none(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record = long(policy, 1)
        write(tmp_path, policy, record, prompts=prompts)
        database = apsw.Connection(str(tmp_path / NAME))
        for place in ("", "../../etc/passwd 0 9", "log.key 0 32", "contents-ab-1 0 9"):
            database.execute("update batches set contents = ?", (place,))
            assert whole(tmp_path, record) == [False]
        database.close()

    def test_a_disk_that_is_full_while_they_are_written(
        self, tmp_path: Path, policy: Policy, prompts: Prompts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Half of it fits: nothing of it stays, and what comes later is kept."""
        records = [long(policy, number) for number in range(3)]
        writer = LogWriter(tmp_path, prompts, 1e12, linger=0.0)
        writer.put(records[0], policy.document, FLEET)
        settled(writer, 1)
        size = files(tmp_path)[0].stat().st_size

        def full(self: ContentFiles, handle: int, pieces: Any) -> None:
            self._size += os.write(handle, b"".join(pieces)[:5000])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(ContentFiles, "_write", full)
            writer.put(records[1], policy.document, FLEET)
            settled(writer, 2)
            assert (writer.written, writer.dropped) == (1, 1)
            assert "No space left" in str(writer.problem)
            assert files(tmp_path)[0].stat().st_size == size
        writer.put(records[2], policy.document, FLEET)
        settled(writer, 3)
        assert writer.problem is None
        writer.close()
        assert whole(tmp_path, *records) == [True, False, True]

    def test_a_database_that_is_full_takes_nothing_beside_it(
        self, tmp_path: Path, policy: Policy, prompts: Prompts
    ) -> None:
        records = [long(policy, number) for number in range(40)]
        writer = LogWriter(tmp_path, prompts, 1e12, linger=0.0)
        writer.put(records[0], policy.document, FLEET)
        settled(writer, 1)
        pages = writer._connection.execute("pragma page_count").fetchall()[0][0]
        writer._connection.execute(f"pragma max_page_count={pages}")
        count = 1
        while not writer.dropped:
            writer.put(records[count], policy.document, FLEET)
            count += 1
            settled(writer, count)
        [file] = files(tmp_path)
        assert file.stat().st_size == sum(len(found(tmp_path, one) or b"") for one in kept(tmp_path))
        writer.close()
        assert whole(tmp_path, *records[:count]) == [True] * (count - 1) + [False]


def test_a_copy_of_a_running_log(tmp_path: Path, policy: Policy) -> None:
    """The database first, then the files: what the copy lists is whole, whatever came meanwhile."""
    running, copy = tmp_path / "data", tmp_path / "copy"
    running.mkdir()
    copy.mkdir()
    records = [long(policy, number) for number in range(4)]
    writer = LogWriter(running, "sealed", 1e12, linger=0.0)
    for count, record in enumerate(records, 1):
        writer.put(record, policy.document, FLEET)
        settled(writer, count)
        if count == 2:
            database = apsw.Connection(str(running / NAME))
            database.execute("vacuum into ?", (str(copy / NAME),))
            database.close()
    for path in (*files(running), running / "log.key"):
        shutil.copy(path, copy)
    writer.close()
    assert whole(copy, *records) == [True, True, False, False]


def test_what_is_written_in_part_is_written_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32":
        pytest.skip("writes each piece on its own")
    monkeypatch.setattr(os, "writev", lambda handle, pieces: os.write(handle, b"".join(pieces)[:7001]))
    contents = ContentFiles(tmp_path, "ab")
    pieces = [os.urandom(3000) for _ in range(9)]
    place = contents.put(pieces, sealed=False)
    contents.done()
    contents.close()
    assert found(tmp_path, place) == b"".join(pieces)


def test_what_was_taken_back_is_overwritten_by_what_follows(tmp_path: Path) -> None:
    contents = ContentFiles(tmp_path, "ab")
    for number in range(4):
        place = contents.put([bytes([number]) * 10_000], sealed=False)
        if number % 2:
            contents.undo()
        else:
            contents.done()
    contents.close()
    assert place == f"contents-ab-1 20000 10000 {cast(str, place).split()[3]}"
    assert [path.read_bytes() for path in files(tmp_path)] == [bytes(10_000) + b"\2" * 10_000]


WRITER = """
import sys
import time
from pathlib import Path
from pipeline.policies import CONFIG, FILES, policy_of
from pointsman.store.log_writer import LogWriter
from store.test_content_files import FLEET, cut_off, long

folder, policies = Path(sys.argv[1]), Path(sys.argv[2])
policies.mkdir(exist_ok=True)
policy = policy_of(policies, CONFIG, FILES)
writer = LogWriter(folder, sys.argv[3], 1e12, linger=0.0)
records = [long(policy, number) for number in range(400)]
put = 0
print("ready", flush=True)
for record in records:
    writer.note([(cut_off(record), policy.document, FLEET)])
    if int(record.request.id[1:]) % 4:
        writer.put(record, policy.document, FLEET)
        put += 1
    while writer.written < put - 8:
        time.sleep(0.001)
    if writer.written >= 8:
        print("some", flush=True)
time.sleep(60)
"""


def cut_off(record: Record) -> Record:
    return msgspec.structs.replace(record, outcome="failed", status=502, error="gateway_died")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("prompts", KEPT)
def test_killed_at_any_point_all_that_is_listed_is_whole(tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
    """And what was under way is a record of the next process, with its words."""
    folder, path = tmp_path / "data", os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    dice = random.Random(prompts)
    records = {f"r{number}": long(policy, number) for number in range(400)}
    folder.mkdir()
    seen = 0
    for _ in range(tries(2, 4)):
        command = [sys.executable, "-c", WRITER, str(folder), str(tmp_path / "its-policy"), prompts]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": path}) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            assert process.stdout.readline() == "some\n"
            time.sleep(dice.random() * 0.1)
            process.kill()
        LogWriter(folder, prompts, 1e12).close()
        reader = LogReader(folder)
        for logged in reader.scan():
            content = logged.content()
            assert content is not None, logged.head.id
            record = records[logged.head.id]
            assert (content.request, content.decision) == (record.request, record.decision)
            seen += 1
        reader.close()
    assert seen > tries(8, 20)


class TestRetention:
    def filled(self, folder: Path, policy: Policy) -> None:
        old = [long(policy, number, NOW - 6 * DAY) for number in range(3)]
        write(folder, policy, *old, long(policy, 3, NOW - 4 * DAY), prompts="full")

    def purged(self, folder: Path, contents: ContentFiles, now: float = NOW) -> None:
        connection, retention = open_log(folder / NAME), Retention(5 * DAY)
        while retention.purge(connection, contents, now) == 0:
            pass
        connection.close()

    def test_old_words_go_off_the_disk_while_newer_ones_stay(self, tmp_path: Path, policy: Policy) -> None:
        self.filled(tmp_path, policy)
        [file] = files(tmp_path)
        before = file.stat()
        self.purged(tmp_path, ContentFiles(tmp_path, "ab"))
        data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert not any(f"OKAPI-{number:04}".encode() in data for number in range(3))
        assert b"OKAPI-0003" in data
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert whole(tmp_path, long(policy, 3, NOW - 4 * DAY)) == [True]

    def test_notes_go_too(self, tmp_path: Path, policy: Policy) -> None:
        record = long(policy, 1, NOW - 6 * DAY)
        writer = LogWriter(tmp_path, "full", 1e12, linger=0.0)
        writer.note([(record, policy.document, FLEET)])
        until(lambda: kept(tmp_path, "notes"))
        writer.put(record, policy.document, FLEET)
        writer.close()
        self.purged(tmp_path, ContentFiles(tmp_path, "ab"))
        assert b"OKAPI-0001" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())

    def test_a_file_goes_when_all_of_it_is_old(self, tmp_path: Path, policy: Policy) -> None:
        self.filled(tmp_path, policy)
        [file] = files(tmp_path)
        os.utime(file, (NOW, NOW))
        self.purged(tmp_path, ContentFiles(tmp_path, "ab"), NOW + 4.9 * DAY)
        assert files(tmp_path) == [file]
        self.purged(tmp_path, ContentFiles(tmp_path, "ab"), NOW + 5.1 * DAY)
        assert files(tmp_path) == []

    def test_but_not_one_of_another_that_lives(self, tmp_path: Path) -> None:
        owner, mine = Owner(tmp_path), ContentFiles(tmp_path, "ab")
        owner.claim()
        theirs = ContentFiles(tmp_path, owner.name)
        for contents in (mine, theirs):
            contents.put([b"x" * 9000], sealed=True)
            contents.done()
        (tmp_path / "contents-note.txt").write_text("somebody's own")
        for path in files(tmp_path):
            os.utime(path, (NOW, NOW))
        mine.clear(NOW + 1)
        assert [path.name for path in files(tmp_path)] == [f"contents-{owner.name}-1", "contents-note.txt"]
        place = mine.put([b"y" * 9000], sealed=True)  # it goes on with a new one
        assert found(tmp_path, place) == b"y" * 9000
        mine.close()
        theirs.close()
        owner.release()
        mine.clear(NOW + 1)
        assert [path.name for path in files(tmp_path)] == ["contents-ab-2", "contents-note.txt"]

    def test_what_goes_is_overwritten_first(self, tmp_path: Path) -> None:
        contents = ContentFiles(tmp_path, "ab")
        contents.put([b"SECRET" * 9000], sealed=False)
        contents.done()
        contents.close()
        [file] = files(tmp_path)
        os.link(file, tmp_path / "still")  # what the disk had
        os.utime(file, (NOW, NOW))
        contents.clear(NOW + 1)
        assert (tmp_path / "still").read_bytes() == bytes(6 * 9000)


class TestOfTheLastVersion:
    """Its contents all lie in the database."""

    def left(self, folder: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
        records = [long(policy, number) for number in range(3)]
        with monkeypatch.context() as patch:
            patch.setattr(content_files, "_SMALL", 1 << 40)
            write(folder, policy, *records)
        assert files(folder) == []
        database = apsw.Connection(str(folder / NAME))
        database.execute("pragma user_version=2").fetchall()
        database.close()
        return records

    def version(self, folder: Path) -> int:
        database = apsw.Connection(str(folder / NAME))
        [(version,)] = database.execute("pragma user_version").fetchall()
        database.close()
        return int(str(version))

    def test_it_is_read(self, tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
        records = self.left(tmp_path, policy, monkeypatch)
        assert whole(tmp_path, *records) == [True] * 3
        assert self.version(tmp_path) == 2

    def test_it_is_written_on_and_loses_nothing(
        self, tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        records = [*self.left(tmp_path, policy, monkeypatch), long(policy, 9)]
        write(tmp_path, policy, records[-1])
        assert self.version(tmp_path) == VERSION == 3
        assert len(files(tmp_path)) == 1
        assert whole(tmp_path, *records) == [True] * 4
        assert [path.name for path in tmp_path.glob("*.sqlite")] == [NAME]
