"""The request log: what goes in comes out, what must not be there is not there, and a full disk harms nobody."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal

import apsw
import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, Mark
from pointsman.domain.errors import PointsmanError
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import content_files, log_batch
from pointsman.store.log_filters import FILTERS
from pointsman.store.log_reader import LogReader
from pointsman.store.log_writer import LogWriter
from pointsman.store.seal import Seal

Prompts = Literal["sealed", "off", "full"]
MODES: list[Prompts] = ["sealed", "off", "full"]
FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)
DAY = 86_400.0
SECRET = "ZEBRA-7741"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def record_of(policy: Policy, request: Request, snapshot: Snapshot = FLEET, **changes: Any) -> Record:
    exact = changes.get("exact_tokens")
    decision: Decision | None = decide(request, policy, snapshot, exact_tokens=exact)
    fields: dict[str, Any] = {
        "request": request,
        "received": time.time(),
        "outcome": "ok",
        "decision": decision,
        "timings": Timings(0.2, None, 1.5),
        **changes,
    }
    return Record(**fields)


def numbered(number: int, text: str = "qwertz", **changes: Any) -> Request:
    return msgspec.structs.replace(ask(text, **changes), id=f"r{number}")


def noise(length: int) -> str:
    """A text that no compression makes shorter than half of it."""
    return os.urandom(length // 2).hex()


def written(
    folder: Path, policy: Policy, records: list[Record], prompts: Prompts = "sealed", **settings: Any
) -> LogWriter:
    writer = LogWriter(folder, prompts, settings.pop("keep", 30 * DAY), linger=0.0, **settings)
    for record in records:
        writer.put(record, policy.document, FLEET)
    writer.close()
    return writer


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "log.key")


def unpacked(folder: Path) -> list[bytes]:
    """All that can be read in the log without a key."""
    found: list[bytes] = []
    database = apsw.Connection(str(folder / "log.sqlite"))
    blobs = (f"select {column} from {table}" for table in ("batches", "notes") for column in ("heads", "contents"))
    for (blob,) in database.execute(" union all ".join(blobs)):
        with contextlib.suppress(ValueError, TypeError):  # sealed, or not kept
            found.append(log_batch.unpacked(content_files.found(folder, blob)))
    database.close()
    assert found
    return found


def rows(folder: Path, limit: int = 1000, since: float | None = None, **filters: str) -> list[dict[str, Any]]:
    reader = LogReader(folder)
    try:
        return list(reader.rows(filters, since, limit))
    finally:
        reader.close()


def settled(writer: LogWriter, count: int, timeout: float = 10.0) -> None:
    deadline = time.monotonic() + timeout
    while writer.written + writer.dropped < count:
        assert time.monotonic() < deadline, (writer.written, writer.dropped, writer.problem)
        time.sleep(0.005)


FULL: dict[str, Any] = {
    "outcome": "failed",
    "status": 502,
    "error": "reset",
    "exact_tokens": 1900,
    "attempts": (
        Attempt("small@small", 0.5, 12.25, None, "connect", "small@small: refused"),
        Attempt("small@small", 20.0, 3.0, 200),
    ),
    "target": "small@small",
    "timings": Timings(0.25, 30.5, 99.75),
    "input_tokens": 1888,
    "output_tokens": 12,
    "cached_tokens": 1000,
    "output_estimated": True,
}


class TestRoundTrip:
    @pytest.mark.parametrize("prompts", MODES)
    def test_a_row(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        request = numbered(1, "prove it", caller="alice", task="math")
        writer = written(tmp_path, policy, [record_of(policy, request, received=1e9, **FULL)], prompts, keep=1e12)
        assert (writer.written, writer.dropped, writer.problem) == (1, 0, None)
        [row] = rows(tmp_path)
        assert row["features"]["task_type"] == "math"
        assert [attempt["failure"] for attempt in row.pop("attempts")] == ["connect", None]
        del row["features"]
        assert row == {
            "id": "r1",
            "received": 1e9,
            "endpoint": "chat",
            "model": "auto",
            "caller": "alice",
            "stage": "model",
            "rule": "think",
            "action": "route",
            "risk": "low",
            "marks": [],
            "shadow": [],
            "masked": None,
            "cache": None,
            "intent": None,
            "confidence": None,
            "outcome": "failed",
            "status": 502,
            "error": "reset",
            "target": "small@small",
            "language": "en",
            "task_type": "math",
            "input_tokens": 1888,
            "output_tokens": 12,
            "cached_tokens": 1000,
            "output_estimated": 1,
            "decided_ms": 0.25,
            "ttft_ms": 30.5,
            "total_ms": 99.75,
            "policy": policy.hash,
            "snapshot": FLEET.hash,
            "seed": 0,
            "queued_ms": None,
            "exact_tokens": 1900,
            "prompts": prompts,
            "under_way": False,
        }

    @pytest.mark.parametrize("prompts", ["sealed", "full"])
    def test_the_content(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        turns = (Turn("system", "s"), Turn("user", "你好 \U0001f600", images=1), Turn("assistant", "", 0, True))
        more: dict[str, Any] = {"max_output": 7, "task": "faq", "priority": "high", "session": "s1", "caller": "c"}
        request = Request("r1", "chat", "auto", turns, stream=True, tools=True, tool_characters=40, **more)
        record = record_of(policy, request)
        written(tmp_path, policy, [record], prompts)
        reader = LogReader(tmp_path)
        assert reader.content("r1") == (request, record.decision)
        evidence = reader.evidence("r1")
        assert evidence is not None
        assert (evidence.request, evidence.decision, evidence.snapshot) == (request, record.decision, FLEET)
        assert evidence.policy == policy.document
        assert reader.content("nobody") is None
        assert reader.evidence("nobody") is None
        reader.close()

    def test_off_keeps_no_content(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))], "off")
        reader = LogReader(tmp_path)
        assert reader.content("r1") is None
        assert reader.evidence("r1") is None
        reader.close()
        assert not (tmp_path / "log.key").exists()

    @pytest.mark.parametrize("prompts", MODES)
    def test_a_request_without_a_decision(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        """An unknown model: refused before anything was decided."""
        record = record_of(policy, numbered(1), decision=None, outcome="failed", status=404, error="model_not_found")
        written(tmp_path, policy, [record], prompts)
        [row] = rows(tmp_path)
        assert (row["stage"], row["policy"], row["error"], row["features"]) == (None, None, "model_not_found", None)
        reader = LogReader(tmp_path)
        assert reader.evidence("r1") is None
        reader.close()

    def test_a_log_is_gone_on_with(self, tmp_path: Path, policy: Policy) -> None:
        for number, prompts in enumerate(MODES):
            written(tmp_path, policy, [record_of(policy, numbered(number))], prompts)
        assert {row["id"]: row["prompts"] for row in rows(tmp_path)} == {"r0": "sealed", "r1": "off", "r2": "full"}
        reader = LogReader(tmp_path)
        assert [reader.content(f"r{number}") is not None for number in range(3)] == [True, False, True]
        reader.close()

    def test_policies_and_fleets_are_kept_once(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(number)) for number in range(50)])
        found = apsw.Connection(str(tmp_path / "log.sqlite"))
        assert found.execute("select (select count(*) from policies), (select count(*) from snapshots)").fetchall() == [
            (1, 1)
        ]
        found.close()

    def test_no_log_yet(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="no log"):
            LogReader(tmp_path)


class TestRows:
    def test_filters_limits_and_order(self, tmp_path: Path, policy: Policy) -> None:
        texts = ["vpn broken", "prove it", "qwertz", "我的工资"]
        records = [
            record_of(policy, numbered(number, texts[number % 4], caller=f"c{number % 2}"), received=1000.0 + number)
            for number in range(20)
        ]
        written(tmp_path, policy, records, keep=1e12)
        assert [row["id"] for row in rows(tmp_path)] == [f"r{number}" for number in reversed(range(20))]
        assert [row["id"] for row in rows(tmp_path, limit=2)] == ["r19", "r18"]
        assert [row["id"] for row in rows(tmp_path, since=1018.0)] == ["r19", "r18"]
        assert {row["rule"] for row in rows(tmp_path, rule="vpn")} == {"vpn"}
        assert len(rows(tmp_path, rule="vpn", caller="c0")) == 5
        assert rows(tmp_path, rule="vpn", caller="c1") == []
        assert len(rows(tmp_path, stage="l0")) == 10
        assert len(rows(tmp_path, language="zh")) == 5
        assert [row["id"] for row in rows(tmp_path, id="r7")] == ["r7"]

    @pytest.mark.parametrize("name", FILTERS)
    def test_every_filter_filters(self, tmp_path: Path, policy: Policy, name: str) -> None:
        record = record_of(policy, numbered(1, "prove it", task="math"), **FULL)
        assert record.decision is not None
        noted = msgspec.structs.replace(
            record.decision, marks=(Mark("r", "pii.email", "medium"),), shadow=("trial",), intent="buy"
        )
        written(tmp_path, policy, [msgspec.structs.replace(record, decision=noted)])
        [row] = rows(tmp_path)
        value = {"mark": "pii.email", "shadow": "trial", "entry": "auto"}.get(name) or str(row[name])
        assert len(rows(tmp_path, **{name: value})) == 1
        assert rows(tmp_path, **{name: "' or 1=1 --"}) == []


def test_in_full_the_prompt_is_there(tmp_path: Path, policy: Policy) -> None:
    """What the tests of secrecy look for would be found."""
    written(tmp_path, policy, [record_of(policy, numbered(1, SECRET))], "full")
    assert sum(SECRET.encode() in data for data in unpacked(tmp_path)) == 1


@pytest.mark.parametrize("prompts", ["off", "sealed"])
class TestSecrecy:
    """No text of the prompt in the bytes on disk, by whatever way it could come there."""

    def check(self, folder: Path, policy: Policy, prompts: Prompts, record: Record, text: str = SECRET) -> None:
        writer = LogWriter(folder, prompts, 30 * DAY, linger=0.0)
        writer.put(record, policy.document, FLEET)
        settled(writer, 1)
        assert writer.written == 1
        found = [all_bytes(folder), *unpacked(folder)]  # with the write-ahead log, before a checkpoint
        assert any(path.name.endswith("-wal") for path in folder.iterdir())
        for form in (text.encode(), text.encode("utf-16-le"), text.lower().encode()):
            assert not any(form in data for data in found)
        writer.close()
        assert text.encode() not in all_bytes(folder)

    def test_through_the_prompt(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        turns = (Turn("system", SECRET), Turn("user", f"a {SECRET}"), Turn("assistant", SECRET), Turn("user", SECRET))
        self.check(tmp_path, policy, prompts, record_of(policy, Request("r1", "chat", "auto", turns)))

    def test_through_an_answer_that_quotes_the_question(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record = record_of(policy, numbered(1, f"vpn broken {SECRET}"))
        assert record.decision is not None
        assert SECRET in record.decision.parameters["text"]
        self.check(tmp_path, policy, prompts, record)

    def test_through_matched_words_and_reasons(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        record = record_of(policy, numbered(1, "ＶＰＮ坏了"))
        assert record.decision is not None
        assert "ＶＰＮ" in record.decision.reason
        self.check(tmp_path, policy, prompts, record, "ＶＰＮ")

    def test_through_what_an_engine_says_of_it(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        """Engines quote the prompt in their errors (a template that fails, a tool call that does not parse)."""
        attempt = Attempt("big@big", 0.1, 2.0, 400, None, f"big@big: cannot parse: {SECRET}")
        self.check(tmp_path, policy, prompts, record_of(policy, numbered(1, SECRET), attempts=(attempt,), status=400))

    def test_through_the_session(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        self.check(
            tmp_path, policy, prompts, record_of(policy, numbered(1, "x", session=SECRET, accept_language=SECRET))
        )


class TestKey:
    def test_only_its_owner_reads_it(self, tmp_path: Path, policy: Policy) -> None:
        old = os.umask(0)
        try:
            written(tmp_path, policy, [record_of(policy, numbered(1))])
        finally:
            os.umask(old)
        assert stat.S_IMODE((tmp_path / "log.key").stat().st_mode) == 0o600
        assert len((tmp_path / "log.key").read_bytes()) == 32

    def test_the_log_itself_is_for_its_owner_only(self, tmp_path: Path, policy: Policy) -> None:
        """`full` prompts lie in it in the plain, and who called when is nobody's business."""
        old = os.umask(0)
        try:
            writer = LogWriter(tmp_path, "full", DAY, linger=0.0)
            writer.put(record_of(policy, numbered(1)), policy.document, FLEET)
            settled(writer, 1)
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) & 0o077 for path in tmp_path.iterdir()}
            writer.close()
        finally:
            os.umask(old)
        assert set(modes.values()) == {0}, modes

    def test_a_key_stays(self, tmp_path: Path) -> None:
        Seal.in_folder(tmp_path)
        key = (tmp_path / "log.key").read_bytes()
        Seal.in_folder(tmp_path)
        assert (tmp_path / "log.key").read_bytes() == key

    def test_another_key_opens_nothing_and_breaks_nothing(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))])
        (tmp_path / "log.key").write_bytes(os.urandom(32))
        reader = LogReader(tmp_path)
        assert reader.content("r1") is None
        assert reader.evidence("r1") is None
        assert len(list(reader.rows({}, None, 10))) == 1
        reader.close()

    def test_reading_without_the_key_gives_nothing_and_makes_no_key(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))])
        (tmp_path / "log.key").unlink()
        reader = LogReader(tmp_path)
        assert reader.content("r1") is None
        reader.close()
        assert not (tmp_path / "log.key").exists()

    def test_a_broken_key_is_none_for_the_reader(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))])
        (tmp_path / "log.key").write_bytes(b"short")
        reader = LogReader(tmp_path)
        assert reader.content("r1") is None
        reader.close()

    @pytest.mark.parametrize("change", [b"", b"x", b"x" * 5, b"x" * 100])
    def test_what_was_not_sealed_does_not_open(self, change: bytes) -> None:
        assert Seal(b"k" * 32).open(change, b"r1") is None

    def test_a_text_cannot_be_moved_to_another_place(self) -> None:
        seal = Seal(b"k" * 32)
        closed = seal.close(b"text", b"r1")
        assert seal.open(closed, b"r1") == b"text"
        assert seal.open(closed, b"r2") is None
        assert seal.open(closed[:-1] + bytes([closed[-1] ^ 1]), b"r1") is None
        assert seal.close(b"text", b"r1") != closed


class TestRetention:
    def test_what_is_too_old_goes_with_its_policies(self, tmp_path: Path, policy: Policy) -> None:
        now = time.time()
        old = [record_of(policy, numbered(number), received=now - 10 * DAY + number) for number in range(5)]
        written(tmp_path, policy, old, "full", keep=30 * DAY)
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        for table in ("policies", "snapshots"):
            database.execute(f"update {table} set used = ?", (now - 10 * DAY,))
            database.execute(f"insert into {table} values ('gone', ?, x'00')", (now - 10 * DAY,))
        database.close()
        written(tmp_path, policy, [record_of(policy, numbered(9), received=now)], "full", keep=7 * DAY)
        assert [row["id"] for row in rows(tmp_path)] == ["r9"]
        reader = LogReader(tmp_path)
        assert reader.evidence("r9") is not None
        reader.close()
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        assert database.execute("select count(*) from policies where hash = 'gone'").fetchall() == [(0,)]
        assert database.execute("select count(*) from snapshots where hash = 'gone'").fetchall() == [(0,)]
        database.close()

    def test_a_prompt_that_was_kept_long_enough_is_off_the_disk(self, tmp_path: Path, policy: Policy) -> None:
        now = time.time()
        for n in range(40):
            written(tmp_path, policy, [record_of(policy, numbered(n, noise(300)), received=now - 10 * DAY)], "full")
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        pieces = [blob[at : at + 40] for (blob,) in database.execute("select contents from batches") for at in (0, 300)]
        database.close()
        assert len(pieces) == 80
        assert all(piece in all_bytes(tmp_path) for piece in pieces)
        written(tmp_path, policy, [record_of(policy, numbered(99))], "full", keep=7 * DAY)
        assert not any(piece in all_bytes(tmp_path) for piece in pieces)

    def test_a_policy_of_long_ago_that_is_used_again_stays(self, tmp_path: Path, policy: Policy) -> None:
        now = time.time()
        written(tmp_path, policy, [record_of(policy, numbered(1), received=now - 50 * DAY)], keep=100 * DAY)
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        database.execute("update policies set used = 1; update snapshots set used = 1")
        database.close()
        written(tmp_path, policy, [record_of(policy, numbered(2))], keep=DAY)
        reader = LogReader(tmp_path)
        assert reader.evidence("r2") is not None
        reader.close()


class TestTrouble:
    """Nothing here may reach a request: `put` never raises, what is lost is counted and said."""

    def test_a_backlog_that_is_full_drops_and_counts(self, tmp_path: Path, policy: Policy) -> None:
        """Another process holds the file, so that what is taken waits."""
        writer = LogWriter(tmp_path, "off", DAY, backlog=1000, linger=0.0)
        writer._connection.set_busy_timeout(10)
        other = apsw.Connection(str(tmp_path / "log.sqlite"))
        other.execute("begin immediate")
        record = record_of(policy, numbered(0))
        for number in range(1000):
            writer.put(msgspec.structs.replace(record, request=numbered(number)), policy.document, FLEET)
            if writer.dropped:
                break
            time.sleep(0.01)
        assert writer.dropped == 1
        assert 3 < number < 100
        other.execute("rollback")
        writer.close()
        assert writer.written == number
        assert len(rows(tmp_path)) == number
        other.close()

    def test_what_a_lock_kept_back_until_the_end_is_counted(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "off", DAY, linger=0.0)
        writer._connection.set_busy_timeout(10)
        other = apsw.Connection(str(tmp_path / "log.sqlite"))
        other.execute("begin immediate")
        for number in range(3):
            writer.put(record_of(policy, numbered(number)), policy.document, FLEET)
        writer.close()
        assert (writer.written, writer.dropped) == (0, 3)
        assert "locked" in (writer.problem or "")
        other.execute("rollback")
        other.close()

    def test_a_large_record_is_a_batch_of_its_own(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "sealed", DAY, linger=60.0)
        for number, size in enumerate((10, 3_000_000, 10)):
            writer.put(record_of(policy, numbered(number, noise(size))), policy.document, FLEET)
            if number == 1:
                settled(writer, 2)
        writer.close()
        assert writer.written == 3
        reader = LogReader(tmp_path)
        whole = reader.whole("r1")
        assert whole is not None
        assert len(whole.request.turns[0].text) == 3_000_000
        reader.close()

    def test_a_disk_that_is_full_drops_counts_and_recovers(
        self, tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All lies in the database here; `test_content_files` has the other way."""
        monkeypatch.setattr(content_files, "_SMALL", 1 << 40)
        writer = LogWriter(tmp_path, "full", DAY, linger=0.0)
        writer.put(record_of(policy, numbered(0)), policy.document, FLEET)
        settled(writer, 1)
        pages = writer._connection.execute("pragma page_count").fetchall()[0][0]
        writer._connection.execute(f"pragma max_page_count={pages + 2}")
        for number in range(1, 4):
            writer.put(record_of(policy, numbered(number, noise(200_000))), policy.document, FLEET)
        settled(writer, 4)
        assert (writer.written, writer.dropped) == (1, 3)
        assert writer.problem
        writer._connection.execute("pragma max_page_count=1000000")
        writer.put(record_of(policy, numbered(9)), policy.document, FLEET)
        settled(writer, 5)
        assert writer.problem is None
        writer.close()
        assert {row["id"] for row in rows(tmp_path)} == {"r0", "r9"}
        reader = LogReader(tmp_path)
        assert reader.evidence("r9") is not None
        reader.close()

    def test_a_disk_that_is_full_is_said_to_be_full(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "full", DAY, linger=0.0)
        writer._connection.execute("pragma max_page_count=1")
        writer.put(record_of(policy, numbered(1, noise(200_000))), policy.document, FLEET)
        settled(writer, 1)
        writer.close()
        assert "full" in (writer.problem or "")

    def test_a_log_that_cannot_be_written_is_counted(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "off", DAY, linger=0.0)
        writer._connection.execute("pragma query_only=1")
        writer.put(record_of(policy, numbered(1)), policy.document, FLEET)
        settled(writer, 1)
        assert (writer.written, writer.dropped) == (0, 1)
        assert "readonly" in (writer.problem or "")
        writer.close()

    def test_a_folder_that_was_removed_is_counted(self, tmp_path: Path, policy: Policy) -> None:
        folder = tmp_path / "data"
        folder.mkdir()
        writer = LogWriter(folder, "off", DAY, linger=0.0)
        writer.put(record_of(policy, numbered(1)), policy.document, FLEET)
        settled(writer, 1)
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        for number in range(2, 6):
            writer.put(record_of(policy, numbered(number)), policy.document, FLEET)
        settled(writer, 5)
        writer.close()
        kept = {row["id"] for row in rows(folder)} if (folder / "log.sqlite").exists() else set()
        lost = {"r2", "r3", "r4", "r5"} - kept
        assert writer.dropped == len(lost), "records were counted as written into files that nobody can open any more"

    def test_one_record_that_cannot_be_kept_takes_no_other_with_it(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "sealed", DAY, linger=0.2)
        good = record_of(policy, numbered(1))
        bad = msgspec.structs.replace(good, request=numbered(2, "half a pair \ud800"))
        for record in (good, bad, msgspec.structs.replace(good, request=numbered(3))):
            writer.put(record, policy.document, FLEET)
        writer.close()
        assert (writer.written, writer.dropped) == (2, 1)
        assert {row["id"] for row in rows(tmp_path)} == {"r1", "r3"}

    def test_after_the_end_nothing_is_lost_in_silence(self, tmp_path: Path, policy: Policy) -> None:
        writer = written(tmp_path, policy, [])
        writer.put(record_of(policy, numbered(1)), policy.document, FLEET)
        writer.close()
        assert writer.written + writer.dropped == 1

    def test_closing_twice_is_no_harm(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))]).close()

    def test_what_was_put_before_the_end_is_written(self, tmp_path: Path, policy: Policy) -> None:
        record = record_of(policy, numbered(0))
        records = [msgspec.structs.replace(record, request=numbered(number)) for number in range(2500)]
        writer = written(tmp_path, policy, records, "off")
        assert (writer.written, writer.dropped) == (2500, 0)
        assert len(rows(tmp_path, limit=5000)) == 2500

    def test_a_log_of_a_newer_gateway_is_left_alone(self, tmp_path: Path) -> None:
        LogWriter(tmp_path, "off", DAY).close()
        database = apsw.Connection(str(tmp_path / "log.sqlite"))
        database.execute("pragma user_version=99")
        database.close()
        with pytest.raises(apsw.Error, match="newer"):
            LogWriter(tmp_path, "off", DAY)


class TestBesideAWriter:
    def test_a_reader_sees_what_is_there(self, tmp_path: Path, policy: Policy) -> None:
        writer = LogWriter(tmp_path, "sealed", DAY, linger=0.0)
        record = record_of(policy, numbered(0))
        done = threading.Event()

        def put() -> None:
            for number in range(1500):
                writer.put(msgspec.structs.replace(record, request=numbered(number)), policy.document, FLEET)
            done.set()

        thread = threading.Thread(target=put)
        thread.start()
        seen = 0
        while not done.is_set() or seen < 1500:
            found = rows(tmp_path, limit=2000)
            assert len(found) >= seen
            seen = len(found)
            if found:
                reader = LogReader(tmp_path)
                assert reader.content(found[0]["id"]) is not None
                reader.close()
        thread.join()
        writer.close()
        assert writer.written == 1500

    def test_a_reader_does_not_write(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))])
        reader = LogReader(tmp_path)
        with pytest.raises(apsw.ReadOnlyError):
            reader._connection.execute("delete from batches")
        reader.close()


RECOMPUTE = """
import sys
from pathlib import Path
import msgspec
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
reader = LogReader(Path(sys.argv[1]))
for row in reader.rows({}, None, 10000):
    e = reader.evidence(row["id"])
    again = decide(e.request, Policy(e.policy), e.snapshot, seed=e.decision.seed, exact_tokens=e.exact_tokens)
    assert again == e.decision, row["id"]
    sys.stdout.write(row["id"] + " " + msgspec.json.encode(again).hex() + "\\n")
"""


class TestRecompute:
    """Any decision can be computed again from the log, bit for bit, in another process and after a reload."""

    def requests(self) -> list[Request]:
        texts = [
            *(
                "vpn broken",
                "公司的VPN坏了",
                "salary",
                "my sql",
                "prove it",
                "exactly",
                "导出昨天的报表",
                "open a ticket",
            ),
            *(
                "shutdown",
                "bomb",
                "",
                "  ",
                "qwertz",
                "你好",
                "好" * 3000,
                "word " * 12_000,
                "{question} vpn broken",
                "\x00",
            ),
        ]
        models = ["auto", "bare", "open", "light", "model-heavy", "far", "big"]
        plain = [ask(text, model) for text in texts for model in models]
        more = [
            ask("hello", task="code_review"),
            ask("shutdown", caller_role="admin", caller="bob"),
            ask("hello", tools=True, tool_characters=9000, structured=True, max_output=10, stream=True),
            ask("?", accept_language="zh-CN"),
            Request("x", "embeddings", "auto", (Turn("input", "a\nb"),)),
            Request("x", "rerank", "embed", (Turn("input", "a"), Turn("input", "b"))),
            Request("x", "completions", "auto", (Turn("user", "prove"),)),
            Request(
                "x", "chat", "auto", (Turn("user", "x", 2), Turn("assistant", "Shall I?", 0, True), Turn("user", "ok"))
            ),
            Request("x", "chat", "auto", (Turn("user", "vpn broken"), Turn("assistant", ""), Turn("tool", "r"))),
        ]
        return [msgspec.structs.replace(request, id=f"r{n}") for n, request in enumerate([*plain, *more])]

    def test_bit_for_bit(self, tmp_path: Path, policy: Policy) -> None:
        fleets = [FLEET, Snapshot.of([]), fleet(small=500, middle=500, big=500, spare=500, far=500)]
        expected: dict[str, str] = {}
        writer = LogWriter(tmp_path, "sealed", DAY, linger=0.0)
        for number, request in enumerate(self.requests()):
            snapshot, exact = fleets[number % 3], [None, 2033, 40_000, None][number % 4]
            decision = decide(request, policy, snapshot, seed=number, exact_tokens=exact)
            expected[request.id] = msgspec.json.encode(decision).hex()
            record = Record(request, time.time(), "ok", decision, exact_tokens=exact)
            writer.put(record, policy.document, snapshot)
        writer.close()
        assert writer.dropped == 0
        done = subprocess.run(
            [sys.executable, "-c", RECOMPUTE, str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "PYTHONHASHSEED": "12345"},
        )
        assert done.stderr == ""
        again = dict(line.split() for line in done.stdout.splitlines())
        assert set(again) == set(expected)
        assert {name for name in expected if again[name] != expected[name]} == set()

    def test_a_policy_that_was_kept_is_the_same_policy(self, tmp_path: Path, policy: Policy) -> None:
        written(tmp_path, policy, [record_of(policy, numbered(1))])
        reader = LogReader(tmp_path)
        evidence = reader.evidence("r1")
        reader.close()
        assert evidence is not None
        assert Policy(evidence.policy).hash == evidence.policy.hash == policy.hash
        assert Snapshot.of(evidence.snapshot.states) == FLEET
        assert isinstance(evidence.policy, PolicyDocument)

    def test_the_names_that_are_valid_come_in_the_same_order(self, tmp_path: Path, policy: Policy) -> None:
        """The 404 of an unknown model is part of what a replay shows."""
        written(tmp_path, policy, [record_of(policy, numbered(1))])
        reader = LogReader(tmp_path)
        evidence = reader.evidence("r1")
        reader.close()
        assert evidence is not None
        said = []
        for one in (policy, Policy(evidence.policy)):
            with pytest.raises(PointsmanError) as caught:
                one.resolve("nobody")
            said.append(caught.value.message)
        assert said[0] == said[1]
