"""Requests under way in the log: seen while they last, gone when they end, known when their process dies."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, fleet, policy_of
from pointsman.domain.attempt import Attempt
from pointsman.domain.record import Record
from pointsman.pipeline.decide import decide
from pointsman.pipeline.handle import DIED
from pointsman.pipeline.policy import Policy
from pointsman.store import content_files
from pointsman.store.log_reader import LogReader
from pointsman.store.log_writer import LogWriter
from pointsman.store.under_way import read_noted
from store.test_log_store import DAY, FLEET, MODES, Prompts, all_bytes, noise, numbered, record_of, rows, unpacked

SECRET = "OKAPI-5519"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def cut_off(record: Record) -> Record:
    """As a Run has it, before its end."""
    timings = msgspec.structs.replace(record.timings, total=None)
    return msgspec.structs.replace(
        record, outcome="failed", status=502, error=DIED, timings=timings, input_tokens=None, output_tokens=None
    )


def until(holds: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 20
    while not (value := holds()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.005)
    return value


def noted(folder: Path) -> list[str]:
    """What is under way by the log, whoever wrote it."""
    database = apsw.Connection(str(folder / "log.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return sorted(name for notes in read_noted(database, folder, lambda name: None) for name in notes.places)
    finally:
        database.close()


def noted_ids(folder: Path) -> set[str]:
    return set(noted(folder))


@contextmanager
def writing(folder: Path, prompts: Prompts = "sealed", keep: float = 1e12, linger: float = 0.0) -> Iterator[LogWriter]:
    writer = LogWriter(folder, prompts, keep, linger=linger)
    try:
        yield writer
    finally:
        writer.close()


def begun(writer: LogWriter, policy: Policy, folder: Path, *numbers: int, text: str = "prove it") -> None:
    """Noted, and written."""
    for number in numbers:
        record = record_of(policy, numbered(number, text, caller="alice"), received=1000.0 + number)
        writer.note([(cut_off(record), policy.document, FLEET)])
    until(lambda: {f"r{number}" for number in numbers} <= set(noted(folder)))


def ended(policy: Policy, number: int, text: str = "prove it") -> Record:
    return record_of(policy, numbered(number, text, caller="alice"), received=1000.0 + number)


@pytest.mark.parametrize("prompts", MODES)
class TestWhileItLasts:
    def test_it_is_a_row_whose_end_is_open(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        with writing(tmp_path, prompts) as writer:
            begun(writer, policy, tmp_path, 1)
            [row] = rows(tmp_path)
        assert row["under_way"] is True
        assert [row[name] for name in ("id", "caller", "stage", "rule", "prompts")] == [
            *("r1", "alice", "model", "think", prompts)
        ]
        assert [row[name] for name in ("outcome", "status", "error", "total_ms")] == [None] * 4

    def test_what_was_asked_and_decided_and_by_whom(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        with writing(tmp_path, prompts) as writer:
            begun(writer, policy, tmp_path, 1)
            reader = LogReader(tmp_path)
            whole, evidence, asker = reader.whole("r1"), reader.evidence("r1"), reader.asker("r1")
            assert reader.whole("r2") is reader.asker("r2") is None
            reader.close()
        assert asker is not None
        assert (asker.caller, asker.asked) == ("alice", 1001.0)
        if prompts == "off":
            assert whole is evidence is None
            return
        record = ended(policy, 1)
        assert whole is not None
        assert (whole.request, whole.decision) == (record.request, record.decision)
        assert evidence is not None
        assert (evidence.policy, evidence.snapshot) == (policy.document, FLEET)

    def test_its_words_are_kept_as_those_of_others_are(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        with writing(tmp_path, prompts) as writer:
            begun(writer, policy, tmp_path, 1, text=f"prove {SECRET}")
            lying = (all_bytes(tmp_path), *unpacked(tmp_path))
            assert any(SECRET.encode() in data for data in lying) == (prompts == "full")

    def test_the_end_takes_its_place(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        with writing(tmp_path, prompts) as writer:
            begun(writer, policy, tmp_path, 1, 2)
            writer.put(ended(policy, 1), policy.document, FLEET)
            until(lambda: writer.written == 1)
            assert noted(tmp_path) == ["r2"]
            assert [(row["id"], row["outcome"]) for row in rows(tmp_path)] == [("r2", None), ("r1", "ok")]
            writer.put(ended(policy, 2), policy.document, FLEET)
        assert noted(tmp_path) == []
        assert [(row["id"], row["outcome"]) for row in rows(tmp_path)] == [("r2", "ok"), ("r1", "ok")]


@pytest.mark.parametrize("prompts", ["sealed", "full"])
class TestWhatIsWrittenOnce:
    """A noted request's text is written with its note: the record refers to it, and is as whole as any."""

    def one(self, policy: Policy, number: int = 1, **changes: Any) -> Record:
        return msgspec.structs.replace(ended(policy, number, noise(20_000)), **changes)

    def length(self, folder: Path, table: str) -> int:
        database = apsw.Connection(str(folder / "log.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            kept = [kept for (kept,) in database.execute(f"select contents from {table}")]
            return sum(len(content_files.found(folder, one) or b"") for one in kept)
        finally:
            database.close()

    def check(self, folder: Path, *records: Record) -> None:
        reader = LogReader(folder)
        for record in records:
            whole = reader.whole(record.request.id)
            assert whole is not None
            assert (whole.request, whole.decision, whole.attempts) == (record.request, record.decision, record.attempts)
        for logged in reader.scan():
            record = next(record for record in records if record.request.id == logged.head.id)
            sketch = logged.sketch()
            assert sketch is not None
            assert sketch.question == record.request.question
            assert logged.request() == record.request
            content = logged.content()
            assert content is not None
            assert (content.request, content.decision) == (record.request, record.decision)
        reader.close()

    def test_the_record_refers_to_it(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        records = [self.one(policy, number) for number in range(3)]
        records[1] = msgspec.structs.replace(records[1], decision=decide(records[1].request, policy, fleet()))
        said = Attempt("big@big", 0.5, 2.0, 400, None, "cannot parse")
        noted = [*records[:2], msgspec.structs.replace(records[2], decision=None)]
        records[2] = msgspec.structs.replace(records[2], attempts=(said, said))
        with writing(tmp_path, prompts) as writer:
            for record in noted:
                writer.note([(cut_off(record), policy.document, FLEET)])
            until(lambda: noted_ids(tmp_path) == {"r0", "r1", "r2"})
            for record in records:
                writer.put(record, policy.document, FLEET)
        assert records[1].decision != ended(policy, 1).decision
        assert self.length(tmp_path, "notes") > 3 * 10_000
        assert self.length(tmp_path, "batches") < 3000
        self.check(tmp_path, *records)

    def test_in_the_very_batch(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        records = [self.one(policy, number) for number in range(20)]
        with writing(tmp_path, prompts, linger=60.0) as writer:
            for record in records:
                writer.note([(cut_off(record), policy.document, FLEET)])
                writer.put(record, policy.document, FLEET)
        assert noted_ids(tmp_path) == set()
        self.check(tmp_path, *records)

    def test_a_later_note_adds_what_is_new(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        """And it is whole while it lasts, when its process died, and in its record."""
        records = [self.one(policy, number) for number in range(4)]
        further = [msgspec.structs.replace(record, target="big@big") for record in records]
        with writing(tmp_path, prompts) as writer:
            for record in records:
                writer.note([(cut_off(record), policy.document, FLEET)])
            until(lambda: len(noted_ids(tmp_path)) == 4)
            size = self.length(tmp_path, "notes")
            for record in further:
                writer.note([(cut_off(record), policy.document, FLEET)])
            until(lambda: [row["target"] for row in rows(tmp_path)] == ["big@big"] * 4)
            assert self.length(tmp_path, "notes") < size + 4000
            self.check(tmp_path, *records)
            for record in further[:2]:
                writer.put(record, policy.document, FLEET)
        assert noted_ids(tmp_path) == {"r2", "r3"}
        with writing(tmp_path, "off"):
            assert noted_ids(tmp_path) == set()
        self.check(tmp_path, *records)
        assert [(row["id"], row["target"], row["prompts"]) for row in rows(tmp_path, error="gateway_died")] == [
            *(("r3", "big@big", prompts), ("r2", "big@big", prompts))
        ]

    def test_where_its_note_was_lost_it_is_written_again(
        self, tmp_path: Path, policy: Policy, prompts: Prompts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(content_files, "_SMALL", 1 << 40)
        record = self.one(policy)
        with writing(tmp_path, prompts) as writer:
            writer.put(ended(policy, 7), policy.document, FLEET)
            until(lambda: writer.written == 1)
            pages = writer._connection.execute("pragma page_count").fetchall()[0][0]
            writer._connection.execute(f"pragma max_page_count={pages}")
            writer.note([(cut_off(record), policy.document, FLEET)])
            until(lambda: writer.problem)
            writer._connection.execute("pragma max_page_count=1000000")
            until(lambda: not writer._waiting)
            writer.put(record, policy.document, FLEET)
        assert noted_ids(tmp_path) == set()
        self.check(tmp_path, record, ended(policy, 7))

    def test_another_request_of_that_name(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record, other = self.one(policy), self.one(policy)
        with writing(tmp_path, prompts) as writer:
            writer.note([(cut_off(record), policy.document, FLEET)])
            writer.put(other, policy.document, FLEET)
        self.check(tmp_path, other)

    def test_it_goes_when_the_record_goes(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record = self.one(policy)
        with writing(tmp_path, prompts) as writer:
            writer.note([(cut_off(record), policy.document, FLEET)])
            writer.put(record, policy.document, FLEET)
        with writing(tmp_path, prompts, keep=time.time() - 500) as writer:
            self.check(tmp_path, record)
        with writing(tmp_path, prompts, keep=DAY):
            until(lambda: rows(tmp_path) == [])
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        assert database.execute("select * from notes").fetchall() == []
        database.close()


def test_what_another_key_sealed_stays_as_it_is_until_that_is_back(tmp_path: Path, policy: Policy) -> None:
    with writing(tmp_path) as writer:
        begun(writer, policy, tmp_path, 1)
    key = (tmp_path / "log.key").read_bytes()
    (tmp_path / "log.key").unlink()
    with writing(tmp_path):
        assert [(row["id"], row["error"]) for row in rows(tmp_path)] == [("r1", "gateway_died")]
    (tmp_path / "log.key").write_bytes(key)
    with writing(tmp_path):
        assert noted(tmp_path) == []
    reader = LogReader(tmp_path)
    assert reader.content("r1") == (ended(policy, 1).request, ended(policy, 1).decision)
    reader.close()


class TestLists:
    def test_order_limits_and_filters(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            begun(writer, policy, tmp_path, *range(0, 20, 2))
            for number in range(1, 20, 2):
                writer.put(ended(policy, number), policy.document, FLEET)
            until(lambda: writer.written == 10)
            names = [f"r{number}" for number in reversed(range(20))]
            assert [row["id"] for row in rows(tmp_path)] == names
            assert [row["id"] for row in rows(tmp_path, limit=3)] == names[:3]
            assert [row["id"] for row in rows(tmp_path, since=1017.0)] == names[:3]
            assert [row["under_way"] for row in rows(tmp_path, id="r4")] == [True]
            assert len(rows(tmp_path, caller="alice", language="en")) == 20
            assert rows(tmp_path, caller="bob") == []

    def test_how_it_ends_is_no_filter_for_it(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            begun(writer, policy, tmp_path, 1)
            assert rows(tmp_path, outcome="failed") == rows(tmp_path, error="gateway_died") == []

    def test_a_list_that_is_read_while_it_ends_has_it_once(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            begun(writer, policy, tmp_path, 1, 2)
            reader = LogReader(tmp_path)
            listed = reader.rows({}, None, 9)
            first = next(listed)
            for number in (1, 2):
                writer.put(ended(policy, number), policy.document, FLEET)
            until(lambda: writer.written == 2)
            assert [row["id"] for row in (first, *listed)] == ["r2", "r1"]
            assert reader.whole("r1") is not None
            reader.close()

    def test_going_through_the_log_leaves_it_out(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            begun(writer, policy, tmp_path, 1)
            writer.put(ended(policy, 2), policy.document, FLEET)
            until(lambda: writer.written == 1)
            reader = LogReader(tmp_path)
            assert [logged.head.id for logged in reader.scan()] == ["r2"]
            reader.close()


class TestTheWriter:
    def test_what_ends_before_it_is_written_is_no_row(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path, linger=60.0) as writer:
            writer.note([(cut_off(ended(policy, 1)), policy.document, FLEET)])
            writer.put(ended(policy, 1), policy.document, FLEET)
        assert noted(tmp_path) == []
        assert [(row["id"], row["outcome"]) for row in rows(tmp_path)] == [("r1", "ok")]

    def test_a_later_note_replaces_an_earlier_one(self, tmp_path: Path, policy: Policy) -> None:
        early = msgspec.structs.replace(ended(policy, 1), decision=None)
        with writing(tmp_path) as writer:
            writer.note([(cut_off(early), policy.document, FLEET)])
            until(lambda: noted(tmp_path))
            assert rows(tmp_path)[0]["rule"] is None
            writer.note([(cut_off(ended(policy, 1)), policy.document, FLEET)])
            until(lambda: rows(tmp_path)[0]["rule"] == "think")
            assert noted(tmp_path) == ["r1"]

    def test_notes_are_no_records(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            begun(writer, policy, tmp_path, 1)
            assert (writer.written, writer.dropped, writer.problem) == (0, 0, None)

    def test_what_cannot_be_noted_is_left(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            half = msgspec.structs.replace(ended(policy, 1), request=numbered(1, "half a pair \ud800"))
            writer.note([(half, policy.document, FLEET)])
            begun(writer, policy, tmp_path, 2)
            assert noted(tmp_path) == ["r2"]
        writer.note([(ended(policy, 3), policy.document, FLEET)])
        assert writer.dropped == 0

    def test_a_record_that_is_dropped_is_under_way_no_more(
        self, tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its process knows that it has ended, and the log must not say otherwise."""
        monkeypatch.setattr(content_files, "_SMALL", 1 << 40)
        with writing(tmp_path, "full") as writer:
            begun(writer, policy, tmp_path, 1)
            pages = writer._connection.execute("pragma page_count").fetchall()[0][0]
            writer._connection.execute(f"pragma max_page_count={pages + 2}")
            writer.put(ended(policy, 1, noise(200_000)), policy.document, FLEET)
            until(lambda: writer.dropped == 1)
            assert noted(tmp_path) == ["r1"]
            writer._connection.execute("pragma max_page_count=1000000")
            writer.put(ended(policy, 2), policy.document, FLEET)
            until(lambda: writer.written == 1)
        assert noted(tmp_path) == []
        assert [row["id"] for row in rows(tmp_path)] == ["r2"]

    def test_a_log_that_was_begun_without_the_table_gets_it(self, tmp_path: Path, policy: Policy) -> None:
        with writing(tmp_path) as writer:
            writer.put(ended(policy, 1), policy.document, FLEET)
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        database.execute("drop table notes; drop table notes_left")
        database.close()
        assert [row["id"] for row in rows(tmp_path)] == ["r1"]
        reader = LogReader(tmp_path)
        assert reader.asker("r9") is reader.whole("r9") is None
        reader.close()
        with writing(tmp_path) as writer:
            begun(writer, policy, tmp_path, 2)

    def test_a_log_that_was_lost_is_begun_anew_with_its_owner(self, tmp_path: Path, policy: Policy) -> None:
        folder = tmp_path / "data"
        folder.mkdir()
        with writing(folder) as writer:
            begun(writer, policy, folder, 1)
            for path in folder.iterdir():
                path.unlink()
            writer.put(ended(policy, 1), policy.document, FLEET)
            until(lambda: writer.written == 1)
            begun(writer, policy, folder, 2)
            assert [(row["id"], row["under_way"]) for row in rows(folder)] == [("r2", True), ("r1", False)]


DOOMED = """
import sys, time
from pathlib import Path
from pipeline.policies import CONFIG, FILES, policy_of
from pointsman.store.log_writer import LogWriter
from store.test_journal import begun, ended, until
from store.test_log_store import FLEET
folder, policies, prompts, numbers = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], map(int, sys.argv[4:])
policies.mkdir(exist_ok=True)
policy = policy_of(policies, CONFIG, FILES)
writer = LogWriter(folder, prompts, 1e12, linger=0.0)
begun(writer, policy, folder, *numbers)
writer.put(ended(policy, 100), policy.document, FLEET)
until(lambda: writer.written == 1)
print("noted", flush=True)
time.sleep(600)
"""


@contextmanager
def another(folder: Path, tmp_path: Path, *numbers: int, prompts: str = "sealed") -> Iterator[subprocess.Popen[str]]:
    """A process that serves these and has ended r100."""
    command = [sys.executable, "-c", DOOMED, str(folder), str(tmp_path / "its-policy"), prompts, *map(str, numbers)]
    tests = str(Path(__file__).parents[1])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": tests})
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "noted\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("prompts", MODES)
class TestAProcessThatDies:
    def test_its_requests_are_known(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        folder = tmp_path / "data"
        folder.mkdir()
        with another(folder, tmp_path, 1, 2, prompts=prompts) as process:
            assert [(row["id"], row["under_way"]) for row in rows(folder)] == [
                *(("r100", False), ("r2", True), ("r1", True))
            ]
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.check(folder, policy, prompts)  # already while nobody serves
            with writing(folder, "sealed") as writer:
                assert noted(folder) == []
                assert [path.name for path in folder.glob("writer-*")] == [f"writer-{writer._home.name}.lock"]
                self.check(folder, policy, prompts)
            with writing(folder):
                self.check(folder, policy, prompts)
        assert list(folder.glob("writer-*")) == []

    def check(self, folder: Path, policy: Policy, prompts: Prompts) -> None:
        found = {row["id"]: row for row in rows(folder)}
        assert list(found) == ["r100", "r2", "r1"]
        for name in ("r1", "r2"):
            row = found[name]
            assert [row[what] for what in ("outcome", "status", "error", "under_way", "total_ms")] == [
                *("failed", 502, "gateway_died", False, None)
            ]
            assert row["rule"] == "think"
        assert [row["id"] for row in rows(folder, error="gateway_died", outcome="failed")] == ["r2", "r1"]
        reader = LogReader(folder)
        whole = reader.whole("r1")
        reader.close()
        if prompts == "off":
            assert whole is None
        else:
            assert whole is not None
            assert (whole.request, whole.decision) == (ended(policy, 1).request, ended(policy, 1).decision)

    def test_while_it_lives_nobody_takes_them(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        folder = tmp_path / "data"
        folder.mkdir()
        with another(folder, tmp_path, 1, prompts=prompts):
            with writing(folder) as writer:
                begun(writer, policy, folder, 2)
                with writing(folder):
                    assert noted(folder) == ["r1", "r2"]
                    assert [row["under_way"] for row in rows(folder)] == [False, True, True]
                writer.put(ended(policy, 2), policy.document, FLEET)
            assert noted(folder) == ["r1"]
            assert [path.name for path in folder.glob("writer-*") if writer._home.name in path.name] == []


def test_an_end_that_left_some_under_way(tmp_path: Path, policy: Policy) -> None:
    with writing(tmp_path) as writer:
        begun(writer, policy, tmp_path, 1)
    assert [row["error"] for row in rows(tmp_path)] == ["gateway_died"]
    with writing(tmp_path):
        assert [row["error"] for row in rows(tmp_path)] == ["gateway_died"]
        assert noted(tmp_path) == []


def test_what_was_written_and_is_noted_again_is_there_once(tmp_path: Path, policy: Policy) -> None:
    with writing(tmp_path) as writer:
        for number in range(3):
            writer.put(ended(policy, number), policy.document, FLEET)
    with writing(tmp_path) as writer:
        begun(writer, policy, tmp_path, 1, 7)
    with writing(tmp_path):
        pass
    assert [(row["id"], row["outcome"]) for row in rows(tmp_path)] == [
        *(("r7", "failed"), ("r2", "ok"), ("r1", "ok"), ("r0", "ok"))
    ]


def test_a_batch_that_is_damaged_keeps_nobody_from_beginning(tmp_path: Path, policy: Policy) -> None:
    with writing(tmp_path) as writer:
        writer.put(ended(policy, 1), policy.document, FLEET)
    with writing(tmp_path) as writer:
        begun(writer, policy, tmp_path, 1)
    database = apsw.Connection(str(tmp_path / "log.sqlite"))
    database.execute("update batches set heads = x'00'")
    database.close()
    with writing(tmp_path):
        assert noted(tmp_path) == []


def test_whatever_the_order_each_is_there_once(tmp_path: Path, policy: Policy) -> None:
    """Two processes, at random, against what was done."""
    dice = random.Random(5)
    told: dict[str, bool] = {}
    serving: list[list[int]] = [[], []]
    number = 0
    with writing(tmp_path, "off") as first, writing(tmp_path, "off", linger=0.01) as second:
        for _ in range(400):
            at = dice.randrange(2)
            writer = (first, second)[at]
            match dice.randrange(4):
                case 0:
                    number += 1
                    serving[at].append(number)
                    writer.note([(cut_off(ended(policy, number)), policy.document, FLEET)])
                    told[f"r{number}"] = True
                case 1 if serving[at]:
                    writer.note([(cut_off(ended(policy, dice.choice(serving[at]))), policy.document, FLEET)])
                case 2 if serving[at]:
                    which = serving[at].pop(dice.randrange(len(serving[at])))
                    writer.put(ended(policy, which), policy.document, FLEET)
                    told[f"r{which}"] = False
                case 3:
                    number += 1
                    writer.put(ended(policy, number), policy.document, FLEET)
                    told[f"r{number}"] = False
        done = sum(not under_way for under_way in told.values())
        until(lambda: first.written + second.written == done and len(noted(tmp_path)) == len(told) - done)
        found = [(row["id"], row["under_way"]) for row in rows(tmp_path)]
        assert dict(found) == told
        assert len(found) == len(told)
    outcomes = {row["id"]: row["outcome"] for row in rows(tmp_path)}
    assert outcomes == {name: "failed" if under_way else "ok" for name, under_way in told.items()}


def test_no_words_of_a_request_that_died_lie_open(tmp_path: Path, policy: Policy) -> None:
    with writing(tmp_path) as writer:
        begun(writer, policy, tmp_path, 1, text=f"prove {SECRET}")
    with writing(tmp_path, keep=DAY * 1e6):
        pass
    assert not any(SECRET.encode() in data for data in (all_bytes(tmp_path), *unpacked(tmp_path)))
