"""Feedback in the log: the last word on a request stays, comments are kept as prompts are, and it goes with its request."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import apsw
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.feedback import Asker, Feedback
from pointsman.domain.record import Record
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import retention as retention_module
from pointsman.store.content_files import ContentFiles
from pointsman.store.feedback_rows import read_feedback, write_feedback
from pointsman.store.log_file import open_log
from pointsman.store.log_reader import LogReader
from pointsman.store.log_schema import NAME, TABLES, VERSION
from pointsman.store.log_writer import LogWriter
from pointsman.store.retention import Retention
from pointsman.store.seal import Seal

FLEET = fleet(small=2048)
DAY = 86_400.0
SECRET = "ZEBRA-7741 不是这个意思"
Prompts = Literal["sealed", "off", "full"]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def record(policy: Policy, name: str, received: float | None = None, caller: str = "app") -> Record:
    request = msgspec.structs.replace(ask("vpn broken"), id=name, caller=caller)
    return Record(request, time.time() if received is None else received, "ok", decide(request, policy, FLEET))


def opinion(name: str = "r1", received: float = 1e9, **more: Any) -> Feedback:
    return Feedback(request_id=name, received=received, caller="app", **more)


def kept(folder: Path, since: float | None = None) -> list[Feedback]:
    reader = LogReader(folder)
    try:
        return list(reader.feedback(since))
    finally:
        reader.close()


def said(folder: Path, *feedback: Feedback, prompts: Prompts = "sealed", asked: float = 1e9) -> LogWriter:
    writer = LogWriter(folder, prompts, 1e12, linger=0.0)
    for one in feedback:
        writer.put_feedback(one, asked)
    writer.close()
    return writer


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.name != "log.key")


_said = st.builds(
    Feedback,
    request_id=st.sampled_from(["r1", "r2", "r3"]),
    received=st.integers(0, 5).map(float),
    caller=st.sampled_from(["app", "部门"]),
    adopted=st.none() | st.booleans(),
    rating=st.none() | st.integers(1, 5),
    edited=st.booleans(),
    retried=st.booleans(),
    comment=st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
)


@given(st.lists(_said, max_size=12), st.sampled_from(["sealed", "full", "off"]), st.none() | st.integers(0, 6))
def test_the_last_word_on_each_request_stays(given_: list[Feedback], prompts: Prompts, since: int | None) -> None:
    seal = Seal(b"k" * 32)
    connection = apsw.Connection(":memory:")
    connection.execute(TABLES)
    last: dict[str, Feedback] = {}
    for one in given_:
        write_feedback(connection, one, 0.0, prompts, seal)
        if one.request_id not in last or one.received >= last[one.request_id].received:
            last[one.request_id] = msgspec.structs.replace(one, comment=None) if prompts == "off" else one
    expected = [one for one in last.values() if since is None or one.received >= since]
    expected.sort(key=lambda one: (one.received, one.request_id), reverse=True)
    assert list(read_feedback(connection, seal, since=since)) == expected
    for name in ("r1", "r2", "r3"):
        assert next(read_feedback(connection, seal, request_id=name), None) == last.get(name)
    connection.close()


class TestWritten:
    def test_beside_requests(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "sealed", 1e12, linger=0.0)
        first, second = opinion("r1", 5.0, adopted=False, comment=SECRET), opinion("r2", 6.0, rating=4, retried=True)
        writer.put(record(policy, "r1"), policy.document, FLEET)
        assert writer.put_feedback(first, 1e9) == first
        writer.put(record(policy, "r2"), policy.document, FLEET)
        assert writer.put_feedback(second, 1e9) == second
        writer.close()
        assert (writer.written, writer.dropped, writer.problem) == (2, 0, None)
        assert kept(tmp_path) == [second, first]
        reader = LogReader(tmp_path)
        assert [row["id"] for row in reader.rows({}, None, 9)] == ["r2", "r1"]
        assert reader.feedback_on("r1") == first
        assert reader.feedback_on("r3") is None
        reader.close()

    def test_alone_and_soon(self, tmp_path: Path) -> None:
        """A thread that waits for requests is woken, and there is no batch without a request in it."""
        writer = LogWriter(tmp_path, "sealed", 1e12, linger=0.0)
        time.sleep(0.5)  # what is old is removed: nothing else wakes it for an hour
        writer.put_feedback(opinion(adopted=True), 1e9)
        deadline = time.monotonic() + 10
        while not kept(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        writer.close()
        assert writer.written == 0
        database = apsw.Connection(str(tmp_path / NAME))
        assert database.execute("select count(*) from batches").fetchall() == [(0,)]
        database.close()

    def test_by_two_processes_in_the_wrong_order(self, tmp_path: Path) -> None:
        later, earlier = opinion(received=2.0, adopted=False), opinion(received=1.0, adopted=True)
        said(tmp_path, later)
        said(tmp_path, earlier)
        assert kept(tmp_path) == [later]

    def test_once_another_process_lets_go(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pointsman.store.log_file._WAIT", 10)
        writer = LogWriter(tmp_path, "sealed", 1e12, linger=0.0)
        other = apsw.Connection(str(tmp_path / NAME))
        other.execute("begin immediate")
        writer.put_feedback(opinion(adopted=True), 1e9)
        deadline = time.monotonic() + 10
        while writer.problem is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        other.execute("commit")
        writer.close()
        other.close()
        assert (len(kept(tmp_path)), writer.dropped) == (1, 0)


class TestDropped:
    def test_when_the_log_is_closed(self, tmp_path: Path) -> None:
        writer = said(tmp_path)
        assert writer.put_feedback(opinion(adopted=True), 1e9) is None
        assert writer.dropped == 1

    def test_alone_where_it_is_no_text(self, tmp_path: Path) -> None:
        good = opinion("r2", adopted=True)
        writer = said(tmp_path, opinion("r1", comment="a\ud800b"), good)
        assert (writer.dropped, kept(tmp_path)) == (1, [good])

    def test_when_it_cannot_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise apsw.FullError("full")

        monkeypatch.setattr("pointsman.store.log_writer.write_feedback", full)
        writer = said(tmp_path, opinion("r1", adopted=True), opinion("r2", adopted=True))
        assert writer.dropped == 2

    def test_when_too_much_waits(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pointsman.store.log_file._WAIT", 10)
        monkeypatch.setattr("pointsman.store.log_writer._FULL", 100)
        writer = LogWriter(tmp_path, "sealed", 1e12, backlog=1000, linger=0.0)
        other = apsw.Connection(str(tmp_path / NAME))
        other.execute("begin immediate")
        given_ = [writer.put_feedback(opinion(f"r{number}", comment="x" * 300), 1e9) for number in range(20)]
        assert given_[0] is not None and given_[-1] is None
        other.execute("commit")
        writer.close()
        other.close()
        assert len(kept(tmp_path)) == 20 - writer.dropped == sum(one is not None for one in given_)


class TestComments:
    def test_sealed_they_are_not_on_the_disk(self, tmp_path: Path) -> None:
        said(tmp_path, opinion(comment=SECRET))
        assert kept(tmp_path)[0].comment == SECRET
        assert SECRET.encode() not in on_disk(tmp_path)
        (tmp_path / "log.key").unlink()
        assert kept(tmp_path) == [opinion()]

    def test_off_they_are_not_kept_and_the_rest_is(self, tmp_path: Path) -> None:
        writer = LogWriter(tmp_path, "off", 1e12, linger=0.0)
        assert writer.put_feedback(opinion(rating=2, comment=SECRET), 1e9) == opinion(rating=2)
        writer.close()
        assert kept(tmp_path) == [opinion(rating=2)]
        assert SECRET.encode() not in on_disk(tmp_path)

    def test_in_full_they_can_be_read_without_a_key(self, tmp_path: Path) -> None:
        said(tmp_path, opinion(comment=SECRET), prompts="full")
        assert not (tmp_path / "log.key").exists()
        assert kept(tmp_path)[0].comment == SECRET
        assert SECRET.encode() in on_disk(tmp_path)

    def test_one_that_was_moved_to_another_request_does_not_open(self, tmp_path: Path) -> None:
        said(tmp_path, opinion("r1", comment=SECRET), opinion("r2", comment="fine"))
        database = apsw.Connection(str(tmp_path / NAME))
        database.execute(
            "update feedback set comment = (select comment from feedback where request_id = 'r1') "
            "where request_id = 'r2'"
        )
        database.close()
        assert {one.request_id: one.comment for one in kept(tmp_path)} == {"r1": SECRET, "r2": None}


class TestOldLogs:
    """Of this version, begun before there was feedback."""

    def old(self, folder: Path, policy: Policy) -> None:
        writer = LogWriter(folder, "sealed", 1e12, linger=0.0)
        writer.put(record(policy, "r1"), policy.document, FLEET)
        writer.close()
        database = apsw.Connection(str(folder / NAME))
        database.execute("drop table feedback")
        assert database.execute("pragma user_version").fetchall() == [(VERSION,)]
        database.close()

    def test_they_have_none(self, tmp_path: Path, policy: Policy) -> None:
        self.old(tmp_path, policy)
        assert kept(tmp_path) == []
        reader = LogReader(tmp_path)
        assert reader.feedback_on("r1") is None
        reader.close()

    def test_they_go_on_and_take_some(self, tmp_path: Path, policy: Policy) -> None:
        self.old(tmp_path, policy)
        said(tmp_path, opinion("r1", adopted=False))
        assert kept(tmp_path) == [opinion("r1", adopted=False)]
        reader = LogReader(tmp_path)
        assert [row["id"] for row in reader.rows({}, None, 9)] == ["r1"]
        reader.close()
        assert [path.name for path in tmp_path.glob("*.sqlite")] == [NAME]


class TestRetention:
    NOW = 1.8e9

    def purged(self, folder: Path, keep: float = 5 * DAY) -> None:
        connection, retention = open_log(folder / NAME), Retention(keep)
        while retention.purge(connection, ContentFiles(folder, "0"), self.NOW) == 0:
            pass
        connection.close()

    def test_it_goes_with_its_request_whenever_it_came(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "full", 1e12, linger=0.0)
        for name, age in (("old", 6 * DAY), ("fresh", 4 * DAY)):
            writer.put(record(policy, name, self.NOW - age), policy.document, FLEET)
            writer.put_feedback(opinion(name, self.NOW - DAY, comment=f"{name}-word"), self.NOW - age)
            deadline = time.monotonic() + 10
            while writer.written < (1 if name == "old" else 2):  # each in a batch of its own
                assert time.monotonic() < deadline
                time.sleep(0.005)
        writer.close()
        self.purged(tmp_path)
        assert [one.request_id for one in kept(tmp_path)] == ["fresh"]
        reader = LogReader(tmp_path)
        assert [row["id"] for row in reader.rows({}, None, 9)] == ["fresh"]
        reader.close()
        data = on_disk(tmp_path)
        assert b"old-word" not in data and b"fresh-word" in data

    def test_much_of_it_in_slices(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retention_module, "_SLICE", 10)
        said(tmp_path, *(opinion(f"r{number}", adopted=True) for number in range(25)))
        connection, retention = open_log(tmp_path / NAME), Retention(5 * DAY)
        assert [retention.purge(connection, ContentFiles(tmp_path, "0"), self.NOW) for _ in range(4)] == [
            0,
            0,
            3600,
            3600,
        ]
        connection.close()
        assert kept(tmp_path) == []


class TestAsker:
    def test_whose_a_request_was(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "off", 1e12, linger=0.0)
        for number, caller in enumerate(["app", "boss", "app"]):
            writer.put(record(policy, f"r{number}", 1e9 + number, caller), policy.document, FLEET)
        writer.close()
        reader = LogReader(tmp_path)
        assert [reader.asker(f"r{number}") for number in range(3)] == [
            Asker("app", 1e9),
            Asker("boss", 1e9 + 1),
            Asker("app", 1e9 + 2),
        ]
        for unknown in ("r", "r11", "", "r0\x00", "a\udcffb", "x" * 10_000):
            assert reader.asker(unknown) is None
        reader.close()
