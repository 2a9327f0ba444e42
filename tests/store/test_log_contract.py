"""What the log promises, wherever it is: in SQLite, and in PostgreSQL where several gateways write one."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pg8000.dbapi
import pytest
from msgspec.structs import replace

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.feedback import Feedback, Served, Signs
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import log_filing
from pointsman.store.log_erasing import Eraser, Whose
from pointsman.store.log_home import home_of, settle
from pointsman.store.log_keys import older_in, rotate
from pointsman.store.log_reader import LogReader
from pointsman.store.log_resealing import reseal
from pointsman.store.log_row import Prompts
from pointsman.store.log_writer import LogWriter
from pointsman.store.rollups import Rollups
from postgres import cluster

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)
NOW = 1.9e9
DAY = 86_400
MODES: list[Prompts] = ["sealed", "full", "off"]
_names = itertools.count()


@pytest.fixture(scope="module")
def postgres() -> Iterator[int]:
    with cluster("secret") as port:
        yield port


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


@pytest.fixture(params=["sqlite", "postgres"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with no log yet."""
    monkeypatch.setattr(log_filing, "ENOUGH", 40)
    monkeypatch.setattr("pointsman.store.log_writer.ENOUGH", 40)
    data = tmp_path / "data"
    data.mkdir()
    if request.param == "postgres":
        port = request.getfixturevalue("postgres")
        settle(data, database(port))
    return data


def database(port: int) -> str:
    name = f"log{next(_names)}"
    with contextlib.closing(admin(port)) as connection:
        connection.cursor().execute(f"create database {name}")
    return f"postgresql://me:secret@127.0.0.1:{port}/{name}"


def admin(port: int) -> Any:
    connection = pg8000.dbapi.connect("me", host="127.0.0.1", port=port, password="secret", database="postgres")
    connection.autocommit = True
    return connection


def another(folder: Path) -> Path:
    """The data folder of another gateway, with the same key and the same log."""
    other = folder.parent / "other"
    other.mkdir()
    shutil.copy(folder / "log.key", other)
    shutil.copy(folder / "log.store", other)
    return other


@contextlib.contextmanager
def writing(folder: Path, prompts: Prompts = "sealed", keep: float = 1e10) -> Iterator[LogWriter]:
    writer = LogWriter(folder, prompts, keep, linger=0.001)
    try:
        yield writer
    finally:
        writer.close()


@contextlib.contextmanager
def reading(folder: Path) -> Iterator[LogReader]:
    reader = LogReader(folder)
    try:
        yield reader
    finally:
        reader.close()


def numbered(name: str, number: int, now: float) -> Request:
    return replace(ask(f"question {number}", now=now, user=f"u{number % 3}", caller="x"), id=name)


def records(policy: Policy, count: int, name: str = "r", start: float = NOW) -> list[Record]:
    decision = decide(ask("prove it"), policy, FLEET)
    return [
        Record(
            numbered(f"{name}_{number:05}", number, start + number),
            start + number, "ok" if number % 4 else "failed", decision, target="small@small",
            timings=Timings(0.1, None, 9.0 + number), output_tokens=3,
        )
        for number in range(count)
    ]  # fmt: skip


def put(writer: LogWriter, policy: Policy, several: list[Record]) -> None:
    for number, record in enumerate(several):
        writer.put(record, policy.document, FLEET)
        if number % 9 == 8:
            until(lambda: writer._open.empty)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def ids(folder: Path, **filters: str) -> list[str]:
    with reading(folder) as reader:
        return [row["id"] for row in reader.rows(filters, None, 10_000)]


@pytest.mark.parametrize("prompts", MODES)
def test_what_goes_in_comes_out(folder: Path, policy: Policy, prompts: Prompts) -> None:
    kept = records(policy, 130)
    with writing(folder, prompts) as writer:
        put(writer, policy, kept)
        until(lambda: writer.written == 130)
    assert (writer.dropped, writer.problem) == (0, None)
    names = [record.request.id for record in kept]
    assert ids(folder) == names[::-1]
    assert ids(folder, outcome="failed") == names[::4][::-1]
    assert ids(folder, id="r_00077") == ["r_00077"]
    assert ids(folder, caller="nobody") == []
    with reading(folder) as reader:
        page = reader.page({}, limit=50)
        assert [row["id"] for row in reader.page({}, limit=50, before=page.next).rows] == names[::-1][50:100]
        assert [logged.head.id for logged in reader.scan(NOW + 100)] == names[100:]
        for record in kept[::10]:
            evidence = reader.evidence(record.request.id)
            assert (evidence and evidence.request) == (None if prompts == "off" else record.request)
            assert (evidence and evidence.policy.hash) == (None if prompts == "off" else policy.document.hash)
    rollups = Rollups(folder)
    found = rollups.between(NOW // DAY * DAY, NOW + DAY, 60, ["outcome"])
    rollups.close()
    assert sum(one.figures.count for one in found if one.values == ("failed",)) == len(kept[::4])


def test_feedback_and_signs(folder: Path, policy: Policy) -> None:
    [record] = records(policy, 1)
    today = int(NOW // DAY)
    with writing(folder) as writer:
        writer.put(record, policy.document, FLEET)
        for rating, at in ((2, NOW + 1), (5, NOW + 2)):
            said = Feedback(
                request_id=record.request.id, received=at, caller="x", rating=rating, comment=f"no. {rating}"
            )
            writer.put_feedback(said, NOW, Served.by("small@small", "code"))
            writer.put_signs([Signs(today, "x", "small", None, 4, 1, 0)])
            until(lambda: writer._open.empty)
    with reading(folder) as reader:
        assert reader.feedback_on(record.request.id) == said
        [word] = reader.words(today, today)
        assert (word.day, word.rating, word.count) == (today, 5, 1)
        [signs] = reader.signs(today, today)
        assert (signs.replies, signs.asked_again) == (8, 2)
        asker = reader.asker(record.request.id)
        assert asker is not None
        assert asker.caller == "x"


def test_what_is_under_way_and_who_died(folder: Path, policy: Policy) -> None:
    one, two = records(policy, 2)
    noted = [replace(each, outcome="failed", error="gateway_died", status=502) for each in (one, two)]
    with writing(folder) as writer:
        writer.note([(each, policy.document, FLEET) for each in noted])
        until(lambda: len(ids(folder)) == 2)
        with reading(folder) as reader:
            assert [row["under_way"] for row in reader.rows({}, None, 10)] == [True, True]
        writer.put(one, policy.document, FLEET)
    with reading(folder) as reader:
        rows = {row["id"]: row for row in reader.rows({}, None, 10)}
        assert (rows["r_00000"]["outcome"], rows["r_00001"]["error"]) == ("failed", "gateway_died")
    with writing(folder):
        assert ids(folder, error="gateway_died") == ["r_00001"]
    with reading(folder) as reader:
        assert [reader.whole(name) is not None for name in ("r_00000", "r_00001")] == [True, True]


def test_what_is_too_old_goes(folder: Path, policy: Policy) -> None:
    now = time.time()
    with writing(folder) as writer:
        put(writer, policy, records(policy, 54, "old", now - 5 * DAY))
        put(writer, policy, records(policy, 20, "new", now - 100))
    with writing(folder, keep=2 * DAY) as writer:
        until(lambda: writer._purge_at > 0)
    assert len(ids(folder)) == 20
    rollups = Rollups(folder)
    days = rollups.between((now - 6 * DAY) // DAY * DAY, now, DAY)
    minutes = rollups.between(now - 6 * DAY, now, 60)
    rollups.close()
    assert sum(one.figures.count for one in days) == 20  # nothing said how long sums are kept
    assert sum(one.figures.count for one in minutes) == 20


def test_erasing_and_new_keys(folder: Path, policy: Policy) -> None:
    kept = records(policy, 120)
    with writing(folder) as writer:
        put(writer, policy, kept[:60])
        rotate(folder)
        put(writer, policy, kept[60:])
    others = [record for record in kept if record.request.user != "u1"]
    eraser = Eraser(folder)
    done = eraser.erase(Whose(user="u1"))
    eraser.close()
    assert (done.requests, done.closed) == (40, 0)
    for again in (False, True):
        assert ids(folder) == [record.request.id for record in others][::-1]
        with reading(folder) as reader:
            assert all(reader.whole(record.request.id) for record in others)
        if not again:
            assert reseal(folder).closed == 0
            assert older_in(folder) == []


class TestFleet:
    @pytest.fixture(params=["postgres"])
    def folder(self, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(log_filing, "ENOUGH", 40)
        monkeypatch.setattr("pointsman.store.log_writer.ENOUGH", 40)
        settle(tmp_path, database(request.getfixturevalue("postgres")))
        return tmp_path

    def test_several_gateways_write_one(self, tmp_path: Path, postgres: int, policy: Policy, folder: Path) -> None:
        with writing(folder) as one:
            other_folder = another(folder)
            with writing(other_folder) as other:
                several = records(policy, 300)
                for record in several:
                    (one if int(record.received) % 2 else other).put(record, policy.document, FLEET)
                    if int(record.received) % 10 == 0:
                        until(lambda: one._open.empty and other._open.empty)
        names = [record.request.id for record in several]
        for place in (folder, other_folder):
            assert ids(place) == names[::-1]
            with reading(place) as reader:
                assert all(reader.whole(name) for name in names[::20])
            rollups = Rollups(place)
            [found] = rollups.between(NOW // DAY * DAY, NOW + 600, DAY)
            rollups.close()
            assert found.figures.count == 300

    def test_a_server_that_goes_away_and_comes_back(self, postgres: int, policy: Policy, folder: Path) -> None:
        several = records(policy, 60)
        with writing(folder) as writer:
            put(writer, policy, several[:20])
            until(lambda: writer.written == 20)
            with contextlib.closing(admin(postgres)) as connection:
                connection.cursor().execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
                    "and application_name = 'pointsman'"
                )
            put(writer, policy, several[20:])
            until(lambda: writer.written == 60)
            assert (writer.dropped, writer.problem) == (0, None)
        assert ids(folder) == [record.request.id for record in several][::-1]

    def test_a_database_that_nobody_began(self, folder: Path) -> None:
        with pytest.raises(FileNotFoundError):
            LogReader(folder)

    def test_a_server_that_is_not_there(self, tmp_path: Path) -> None:
        settle(tmp_path, "postgresql://me:x@127.0.0.1:1/log")
        with pytest.raises(apsw.BusyError, match="cannot be reached"):
            LogReader(tmp_path)
        settle(tmp_path, None)
        assert type(home_of(tmp_path)).__name__ == "InFolder"
