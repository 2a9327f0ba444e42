"""Batches: their rows come out in the order of time, each request is found in its own, and damage is said."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.attempt import Attempt
from pointsman.domain.record import Record
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Said
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import log_batch
from pointsman.store.content_files import found
from pointsman.store.log_batch import Batch
from pointsman.store.log_file import open_log
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_row import CONTENT, FEATURES
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter
from pointsman.store.seal import Seal

FLEET = fleet(small=2048)
NOW = 1.8e9


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def record(policy: Policy, name: str, received: float, **changes: Any) -> Record:
    request = msgspec.structs.replace(ask(f"vpn broken {name}"), id=name, **changes)
    return Record(request, received, "ok", decide(request, policy, FLEET))


def write(folder: Path, policy: Policy, *batches: list[Record]) -> None:
    """Each list a row of the log, in this order."""
    for records in batches:
        writer = LogWriter(folder, "sealed", 1e12, linger=60.0)
        for one in records:
            writer.put(one, policy.document, FLEET)
        writer.close()
        assert writer.written == len(records)
    database = apsw.Connection(str(folder / NAME))
    assert database.execute("select count(*) from batches").fetchall() == [(len(batches),)]
    database.close()


def ids(folder: Path, limit: int = 10_000, since: float | None = None, **filters: str) -> list[str]:
    reader = LogReader(folder)
    try:
        return [row["id"] for row in reader.rows(filters, since, limit)]
    finally:
        reader.close()


def test_the_order_is_that_of_arrival_across_batches(tmp_path: Path, policy: Policy) -> None:
    """Requests are recorded when they end: what ran for minutes came before much that was recorded before it."""
    dice = random.Random(3)
    records = [record(policy, f"req_{number:03}", NOW + number) for number in range(120)]
    ending = sorted(records, key=lambda one: one.received + dice.paretovariate(0.6))
    batches: list[list[Record]] = []
    while ending:
        size = dice.choice((1, 2, 7))
        batches.append(ending[:size])
        ending = ending[size:]
    write(tmp_path, policy, *batches)
    newest_first = [one.request.id for one in reversed(records)]
    assert [one.request.id for batch in batches for one in batch] != newest_first[::-1]
    assert ids(tmp_path) == newest_first
    for limit in (1, 2, 50, 119, 120, 121):
        assert ids(tmp_path, limit=limit) == newest_first[:limit]
    assert ids(tmp_path, since=NOW + 100.5) == newest_first[:19]
    assert ids(tmp_path, limit=3, since=NOW + 100.5) == newest_first[:3]
    reader = LogReader(tmp_path)
    for one in records:
        assert reader.content(one.request.id) == (one.request, one.decision)
    assert reader.content("req_0005") is None
    reader.close()
    assert ids(tmp_path, id="req_077") == ["req_077"]
    assert ids(tmp_path, id="req_0770") == []


def test_ids_of_any_form_are_found(tmp_path: Path, policy: Policy) -> None:
    names = ["b", "a", "", "req_1", "~", "早", "a\x00b", "A", "zz", "\U0001f600"]
    write(tmp_path, policy, *([record(policy, name, NOW), record(policy, f"{name}!", NOW)] for name in names))
    reader = LogReader(tmp_path)
    for name in names:
        found = reader.content(name)
        assert found is not None
        assert found[0].id == name
        assert ids(tmp_path, id=name) == [name]
    assert reader.content("\ud800") is None
    reader.close()


def test_a_filter_is_for_the_field_and_not_for_the_bytes(tmp_path: Path, policy: Policy) -> None:
    write(tmp_path, policy, [record(policy, "one", NOW, caller="two"), record(policy, "two", NOW, caller="one")])
    assert ids(tmp_path, caller="two") == ["one"]
    assert ids(tmp_path, id="two") == ["two"]
    assert ids(tmp_path, caller="tw") == []
    assert ids(tmp_path, caller="one", id="one") == []


def test_contents_open_only_beside_their_heads(policy: Policy) -> None:
    seal = Seal(b"k" * 32)
    packed = []
    for name in ("r1", "r2"):
        batch = Batch("sealed")
        assert batch.add([(record(policy, name, NOW), policy.document, FLEET, None)]) == []
        packed.append(batch.packed(seal))
    (heads, contents), (others, _) = packed
    assert contents is not None
    assert seal.open(b"".join(contents), heads) is not None
    assert seal.open(b"".join(contents), others) is None


def test_what_cannot_be_encoded_leaves_nothing_behind(policy: Policy) -> None:
    """The head can be encoded and the content cannot: neither is kept."""
    batch = Batch("full")
    good = record(policy, "r1", NOW)
    assert batch.add([(good, policy.document, FLEET, None)]) == []
    size = batch.size
    request = Request("r2", "chat", "auto", (Turn("user", "half a pair \ud800"),))
    for bad in (
        msgspec.structs.replace(good, request=request),
        msgspec.structs.replace(good, input_tokens=1 << 80),
        msgspec.structs.replace(good, error=Said("a", "b")),
    ):
        [(place, fault)] = batch.add([(bad, policy.document, FLEET, None)])
        assert place == 0
        assert fault in ("UnicodeEncodeError", "OverflowError", "TypeError")
        assert (batch.count, batch.size, batch.last_id) == (1, size, "r1")


def test_attempts_are_kept_once(policy: Policy) -> None:
    said = Attempt("big@big", 0.5, 2.0, 400, None, "cannot parse")
    silent = msgspec.structs.replace(said, message=None)
    sizes = {}
    for prompts in ("sealed", "full"):
        for attempts in ((silent,) * 9, (said, *(silent,) * 8)):
            batch = Batch(prompts)
            one = msgspec.structs.replace(record(policy, "r1", NOW), attempts=attempts)
            assert batch.add([(one, policy.document, FLEET, None)]) == []
            sizes[prompts, attempts[0] is said] = batch.size
    assert sizes["sealed", False] == sizes["full", False]
    assert sizes["full", True] - sizes["full", False] < 20
    assert sizes["sealed", True] > sizes["sealed", False] + 300


def test_features_of_another_version_are_listed(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their names stand in the log: a list shows what was written, also what this version knows nothing of."""
    names = tuple("mood" if name == "brief" else name for name in FEATURES)
    monkeypatch.setattr(log_batch, "FEATURES", names)
    write(tmp_path, policy, [record(policy, "r1", NOW)])
    reader = LogReader(tmp_path)
    [row] = reader.rows({"language": "en"}, None, 1)
    assert row["features"]["mood"] is False
    assert (row["language"], row["features"]["language"], "brief" in row["features"]) == ("en", "en", False)
    assert list(reader.rows({"language": "zh"}, None, 1)) == []
    reader.close()


def test_features_without_what_a_filter_asks_for(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_batch, "FEATURES", tuple(f"old_{name}" for name in FEATURES))
    write(tmp_path, policy, [record(policy, "en", NOW)])
    assert ids(tmp_path, language="en") == []
    assert ids(tmp_path, id="en") == ["en"]


@pytest.mark.parametrize(("gone", "comes_back"), [("caller_role", True), ("turns", False)])
def test_contents_of_another_version(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch, gone: str, comes_back: bool
) -> None:
    """What it did not know has its default here; where there is none, the content cannot be shown, and lists can."""
    request, decision = CONTENT
    names = tuple(f"old_{name}" if name == gone else name for name in request)
    monkeypatch.setattr(log_batch, "CONTENT", (names, decision))
    one = record(policy, "r1", NOW)
    write(tmp_path, policy, [one])
    reader = LogReader(tmp_path)
    assert reader.content("r1") == ((one.request, one.decision) if comes_back else None)
    assert len(list(reader.rows({}, None, 1))) == 1
    reader.close()


def test_a_damaged_batch_is_said_and_named(tmp_path: Path, policy: Policy) -> None:
    write(tmp_path, policy, [record(policy, "r1", NOW)])
    database = apsw.Connection(str(tmp_path / NAME))
    for blob in (b"", b"garbage", b"x\x9cK\xcd+\x00\x04\x98\x01\xb9"):
        database.execute("update batches set heads = ?", (blob,))
        reader = LogReader(tmp_path)
        with pytest.raises(LogError, match="batch 1 is damaged") as caught:
            list(reader.rows({}, None, 1))
        assert "第 1 批记录已损坏" in caught.value.args[0].zh
        with pytest.raises(LogError, match="batch 1 is damaged"):
            reader.whole("r1")
        reader.close()
    database.close()


def test_contents_that_were_exchanged_are_not_shown(tmp_path: Path, policy: Policy) -> None:
    write(tmp_path, policy, [record(policy, "r1", NOW)], [record(policy, "r2", NOW)])
    database = apsw.Connection(str(tmp_path / NAME))
    database.execute("update batches set contents = (select contents from batches where id = 1) where id = 2")
    database.close()
    reader = LogReader(tmp_path)
    assert reader.content("r1") is not None
    assert reader.content("r2") is None
    assert [row["id"] for row in reader.rows({}, None, 9)] == ["r2", "r1"]
    reader.close()


def test_one_request_is_found_without_reading_them_all(tmp_path: Path) -> None:
    connection = open_log(tmp_path / NAME)
    by_id = "first_id <= 'x' and last_id >= 'x'"
    for query in (
        f"select id, heads from batches where {by_id} order by last_id",
        f"select id, heads from batches indexed by batches_by_id where {by_id} order by last desc, id desc",
    ):
        plan = str(connection.execute(f"explain query plan {query}").fetchall())
        assert "SEARCH batches USING INDEX batches_by_id (last_id>?)" in plan, plan
    connection.close()


def test_what_was_put_is_there_soon_without_any_more(tmp_path: Path, policy: Policy) -> None:
    writer = LogWriter(tmp_path, "off", 1e12, linger=0.01)
    for number in range(3):
        writer.put(record(policy, f"r{number}", NOW), policy.document, FLEET)
        deadline = time.monotonic() + 10
        while writer.written <= number:
            assert time.monotonic() < deadline
            time.sleep(0.005)
    writer.close()
    assert len(ids(tmp_path)) == 3


def prose(number: int, length: int) -> str:
    """Unlike that of any other number."""
    dice = random.Random(number)
    return " ".join("".join(dice.choices("abcdefghijklmnopqrst", k=dice.randrange(2, 9))) for _ in range(length // 6))


@pytest.mark.parametrize(
    ("texts", "squeezed"),
    [
        ([prose(0, 3000)], True),
        ([prose(number, 3000) for number in range(20)], False),
        ([prose(0, 3000) + prose(number, 100) for number in range(20)], True),
        ([f"is it {number}?" for number in range(20)], True),
    ],
)
def test_zlib_has_its_time_where_it_gains_by_it(
    tmp_path: Path, policy: Policy, texts: list[str], squeezed: bool
) -> None:
    """Alone, or where contents repeat each other; long texts that do not would cost more than all else."""
    records = []
    for number, text in enumerate(texts):
        request = msgspec.structs.replace(ask(text), id=f"r{number:02}")
        records.append(Record(request, NOW + number, "ok", decide(request, policy, FLEET)))
    write(tmp_path, policy, records)
    database = apsw.Connection(str(tmp_path / NAME))
    [(heads, contents)] = database.execute("select heads, contents from batches").fetchall()
    database.close()
    size = len(heads) + len(found(tmp_path, contents) or b"")
    assert (size < sum(map(len, texts)) + 150 * len(texts)) == squeezed
    assert ids(tmp_path) == [f"r{number:02}" for number in reversed(range(len(texts)))]
    reader = LogReader(tmp_path)
    for one in records:
        assert reader.content(one.request.id) == (one.request, one.decision)
    reader.close()


def test_of_many_that_are_encoded_at_once_each_stands_alone(
    tmp_path: Path, policy: Policy, caplog: pytest.LogCaptureFixture
) -> None:
    writer = LogWriter(tmp_path, "sealed", 1e12, linger=60.0)
    bad = {3, 16, 17, 40, 49}
    for number in range(50):
        one = record(policy, f"r{number:02}", NOW + number)
        if number in bad:
            turns = (Turn("user", "half a pair \ud800"),)
            one = msgspec.structs.replace(one, request=msgspec.structs.replace(one.request, turns=turns))
        writer.put(one, policy.document, FLEET)
    writer.close()
    assert (writer.written, writer.dropped) == (45, 5)
    assert ids(tmp_path) == [f"r{number:02}" for number in reversed(range(50)) if number not in bad]
    told = [message for message in caplog.messages if "cannot be kept" in message]
    assert len(told) == len(bad)
    assert all(any(f"'r{number:02}'" in message for message in told) for number in bad)
