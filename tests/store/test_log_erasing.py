"""What is to be forgotten is off the disk, and nothing else is."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.feedback import Feedback, Signs
from pointsman.domain.record import Record, Timings
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import content_files, log_erasing, log_filing
from pointsman.store.figures import OTHER
from pointsman.store.log_erasing import Eraser, Whose
from pointsman.store.log_file import open_log
from pointsman.store.log_keys import rotate
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Prompts
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter
from pointsman.store.rollups import Rollups

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)
START = 1.9e9
MODES: list[Prompts] = ["sealed", "full", "off"]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_filing, "ENOUGH", 40)
    monkeypatch.setattr("pointsman.store.log_writer.ENOUGH", 40)
    monkeypatch.setattr(content_files, "_SMALL", 512)


def records(policy: Policy, count: int) -> list[Record]:
    decision = decide(ask("prove it"), policy, FLEET)
    dice = random.Random(1)
    found = []
    for number in range(count):
        who = "ZEBRA" if number % 7 == 3 else f"person{number % 5}"
        text = f"{who} asks {dice.getrandbits(512):x}"
        request = replace(
            ask(text), id=f"req_{number:05}", now=START + number, user=who, caller="zoe" if number % 5 == 2 else "anna"
        )
        found.append(
            Record(request, START + number, "ok", decision, target="small@small", timings=Timings(0.1, None, 9.0))
        )
    return found


@contextlib.contextmanager
def writing(folder: Path, prompts: Prompts) -> Iterator[LogWriter]:
    writer = LogWriter(folder, prompts, 1e10, linger=0.001)
    try:
        yield writer
    finally:
        writer.close()


def fill(folder: Path, policy: Policy, prompts: Prompts, count: int = 200) -> list[Record]:
    kept = records(policy, count)
    with writing(folder, prompts) as writer:
        for number, record in enumerate(kept):
            if number % 3 == 0:
                noted = replace(record, outcome="failed", error="gateway_died", status=502)
                writer.note([(noted, policy.document, FLEET)])
            writer.put(record, policy.document, FLEET)
            if number % 10 == 0:
                said = Feedback(request_id=record.request.id, received=START, caller=record.request.caller, comment="x")
                writer.put_feedback(said, record.received)
            if number % 17 == 0:
                until(lambda: writer._open.empty)
        writer.put_signs([Signs(int(START // 86_400), caller, "small", None, 5, 1, 1) for caller in ("zoe", "anna")])
    return kept


def until(holds: Any) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.startswith("log.key"))


def erased(folder: Path, whose: Whose) -> log_erasing.Erased:
    eraser = Eraser(folder)
    try:
        looked = eraser.look(whose).requests
        done = eraser.erase(whose)
    finally:
        eraser.close()
    assert looked == done.requests
    return done


def check(folder: Path, kept: list[Record], prompts: Prompts, gone: int) -> None:
    """The log has these records, whole, and no other ones; sums have all that there were."""
    reader = LogReader(folder)
    names = [record.request.id for record in kept]
    assert [row["id"] for row in reader.rows({}, None, 1000)] == names[::-1]
    assert [logged.head.id for logged in reader.scan()] == names
    for record in kept:
        whole = reader.whole(record.request.id)
        assert (whole and whole.request) == (None if prompts == "off" else record.request)
    days = int(START // 86_400)
    assert reader.erased(days, days + 1) == gone
    reader.close()
    rollups = Rollups(folder)
    start = START // 86_400 * 86_400
    for dims in ((), ("caller",), ("stage", "caller")):
        rows = rollups.between(start, start + 86_400, 86_400, by=dims)
        assert sum(one.figures.count for one in rows) == len(kept) + gone
    rollups.close()
    connection = open_log(folder / NAME)
    assert connection.execute("select count(*) from unfiled").fetchall() == [(0,)]
    assert connection.execute("select count(*) from wiped").fetchall() == [(0,)]
    connection.close()


@pytest.mark.parametrize("prompts", MODES)
class TestErasing:
    def test_one_request(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        kept = fill(tmp_path, policy, prompts)
        gone = kept.pop(60)
        done = erased(tmp_path, Whose(request=gone.request.id))
        assert (done.requests, done.closed, done.feedback, done.lingering) == (1, 0, 1, False)
        check(tmp_path, kept, prompts, 1)
        text = gone.request.turns[-1].text.encode()
        assert text not in all_bytes(tmp_path)
        assert gone.request.id.encode() not in all_bytes(tmp_path)
        assert erased(tmp_path, Whose(request=gone.request.id)).requests == 0

    def test_a_caller_by_name(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        kept = fill(tmp_path, policy, prompts)
        done = erased(tmp_path, Whose(caller="zoe"))
        others = [record for record in kept if record.request.caller != "zoe"]
        assert done.requests == len(kept) - len(others)
        check(tmp_path, others, prompts, done.requests)
        assert b"zoe" not in all_bytes(tmp_path)
        rollups = Rollups(tmp_path)
        start = START // 86_400 * 86_400
        counts = {
            one.values[0]: one.figures.count for one in rollups.between(start, start + 86_400, 86_400, ["caller"])
        }
        rollups.close()
        assert counts == {"anna": len(others), OTHER: done.requests}
        reader = LogReader(tmp_path)
        assert {said.caller for said in reader.feedback()} == {"anna"}
        assert {signs.caller for signs in reader.signs(0, 30_000)} == {"anna"}
        reader.close()

    def test_what_came_before(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        kept = fill(tmp_path, policy, prompts)
        done = erased(tmp_path, Whose(before=START + 77))
        assert done.requests == 77
        check(tmp_path, kept[77:], prompts, 77)

    def test_a_user(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        kept = fill(tmp_path, policy, prompts)
        done = erased(tmp_path, Whose(user="ZEBRA"))
        if prompts == "off":  # users are not kept
            assert (done.requests, done.closed) == (0, 0)
            return
        others = [record for record in kept if record.request.user != "ZEBRA"]
        assert done.requests == len(kept) - len(others)
        check(tmp_path, others, prompts, done.requests)
        assert b"ZEBRA" not in all_bytes(tmp_path)

    def test_what_is_under_way_stays(self, tmp_path: Path, policy: Policy, prompts: Prompts) -> None:
        kept = records(policy, 6)
        with writing(tmp_path, prompts) as writer:
            for record in kept[:4]:
                writer.put(record, policy.document, FLEET)
            writer.note([(record, policy.document, FLEET) for record in kept[4:]])
            until(lambda: writer._open.empty)
            until(lambda: writer.written == 4)
            done = erased(tmp_path, Whose(before=START + 100))
            assert (done.requests, done.under_way) == (4, 2)
            for record in kept[4:]:
                writer.put(record, policy.document, FLEET)
        reader = LogReader(tmp_path)
        assert [row["id"] for row in reader.rows({}, None, 10)] == ["req_00005", "req_00004"]
        reader.close()


class TestWithoutTheKey:
    def test_what_cannot_be_opened_is_said(self, tmp_path: Path, policy: Policy) -> None:
        kept = fill(tmp_path, policy, "sealed", 20)
        (tmp_path / "log.key").unlink()
        done = erased(tmp_path, Whose(user="ZEBRA"))
        assert (done.requests, done.closed) == (0, 20)
        reader = LogReader(tmp_path)
        assert len(list(reader.rows({}, None, 100))) == len(kept)
        reader.close()


class TestBesideAGateway:
    def test_it_writes_on(self, tmp_path: Path, policy: Policy) -> None:
        kept = records(policy, 300)
        with writing(tmp_path, "sealed") as writer:
            for number, record in enumerate(kept):
                writer.put(record, policy.document, FLEET)
                if number % 10 == 0:
                    until(lambda: writer._open.empty)
                if number in (100, 200):
                    erased(tmp_path, Whose(user="ZEBRA"))
                if number == 150:
                    rotate(tmp_path)
            assert (writer.dropped, writer.problem) == (0, None)
        erased(tmp_path, Whose(user="ZEBRA"))
        others = [record for record in kept if record.request.user != "ZEBRA"]
        check(tmp_path, others, "sealed", len(kept) - len(others))


def test_breaking_off_anywhere_loses_nothing_else(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = fill(tmp_path, policy, "sealed", 120)
    others = [record for record in kept if record.request.user != "ZEBRA"]
    real = log_erasing.add_batch
    left = 3

    def breaks(*given: Any, **named: Any) -> int:
        nonlocal left
        left -= 1
        number = real(*given, **named)
        if not left:
            raise OSError("the power is gone")
        return number

    monkeypatch.setattr(log_erasing, "add_batch", breaks)
    eraser = Eraser(tmp_path)
    with pytest.raises(OSError, match="power"):
        eraser.erase(Whose(user="ZEBRA"))
    eraser.close()
    reader = LogReader(tmp_path)
    found = {row["id"] for row in reader.rows({}, None, 1000)}
    assert found >= {record.request.id for record in others}
    assert all(reader.whole(name) for name in found)
    reader.close()
    monkeypatch.setattr(log_erasing, "add_batch", real)
    erased(tmp_path, Whose(user="ZEBRA"))
    check(tmp_path, others, "sealed", len(kept) - len(others))
