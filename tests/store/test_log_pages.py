"""Pages of the log, whatever is filed and however requests overlap: against a list of all that was written."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.decision import Mark
from pointsman.domain.record import Record, Timings
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import log_filing
from pointsman.store.figures import BOUNDS, DIMS, Figures
from pointsman.store.log_file import open_log
from pointsman.store.log_pages import Cursor, Page
from pointsman.store.log_reader import LogReader
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter
from pointsman.store.rollups import Rollups

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)
START = 1.9e9
Kept = list[dict[str, Any]]


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


@pytest.fixture(autouse=True)
def small_chapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_filing, "ENOUGH", 60)
    monkeypatch.setattr("pointsman.store.log_writer.ENOUGH", 60)


def records(policy: Policy, count: int, seed: int = 1) -> Iterator[Record]:
    """In the order in which they end; many came at the same time."""
    dice = random.Random(seed)
    decided = [decide(ask(text), policy, FLEET) for text in ("prove it", "hello there", "refund my order", "qwertz")]
    for number in range(count):
        decision = dice.choice(decided)
        if dice.random() < 0.1:
            marks = tuple(Mark("r", label, "low") for label in dice.sample(["pii.email", "pii.phone", "rare"], 2))
            decision = replace(decision, marks=marks)
        received = START + number // 5 - dice.choice([0, 0, 0, 0, 40, 300])
        request = replace(
            ask(f"question {number} of {'ZEBRA' if number % 50 == 7 else 'none'}"),
            id=f"req_{dice.getrandbits(64):016x}",
            now=received,
            caller=f"c{int(dice.random() ** 3 * 400)}",
        )
        yield Record(
            request, received, dice.choice(["ok", "ok", "failed"]), decision, target=dice.choice([None, "small@small"]),
            timings=Timings(0.2, dice.choice([None, 30.0]), dice.random() * 1000, dice.choice([None, 5.0])),
            input_tokens=dice.choice([None, 10]), output_tokens=dice.randrange(100),
        )  # fmt: skip


@pytest.fixture(scope="module")
def log(policy: Policy, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Record]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_filing, "ENOUGH", 60)
        patch.setattr("pointsman.store.log_writer.ENOUGH", 60)
        folder = tmp_path_factory.mktemp("log")
        kept = list(records(policy, 1000))
        for first in range(0, 1000, 250):
            writer = LogWriter(folder, "sealed", 1e10, linger=0.002)
            for number, record in enumerate(kept[first : first + 250]):
                writer.put(record, policy.document, FLEET)
                if number % 40 == 0:
                    until(lambda writer=writer: writer._open.empty)  # type: ignore[misc]
            writer.close()
    connection = open_log(folder / NAME)
    [(chapters,)] = connection.execute("select count(*) from chapters").fetchall()
    [(waiting,)] = connection.execute("select count(*) from unfiled").fetchall()
    connection.close()
    assert chapters >= 4
    assert waiting
    return folder, kept


def until(holds: Any) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def walked(reader: LogReader, filters: dict[str, str], limit: int, **more: Any) -> list[str]:
    """All pages, one after the other."""
    found: list[str] = []
    before: Cursor | None = None
    while True:
        page: Page = reader.page(filters, before=before, limit=limit, **more)
        found += [row["id"] for row in page.rows]
        assert len(page.rows) <= limit
        if page.next is None:
            return found
        before = page.next


def wanted(record: Record, filters: dict[str, str]) -> bool:
    decision, request = record.decision, record.request
    assert decision is not None
    marks = [mark.label for mark in decision.marks]
    values = {
        "id": request.id, "caller": request.caller, "outcome": record.outcome, "target": record.target,
        "stage": decision.stage, "rule": decision.rule, "entry": request.model,
    }  # fmt: skip
    return all(value in marks if name == "mark" else values[name] == value for name, value in filters.items())


def expected(kept: list[Record], filters: dict[str, str], since: float = 0, until: float = 1e99) -> list[str]:
    those = [one for one in kept if wanted(one, filters) and since <= one.received < until]
    return [one.request.id for one in sorted(those, key=lambda one: (one.received, one.request.id), reverse=True)]


FILTERS: list[dict[str, str]] = [
    {},
    {"caller": "c0"},
    {"caller": "c399"},
    {"caller": "nobody"},
    {"outcome": "failed"},
    {"outcome": "failed", "target": "small@small", "caller": "c1"},
    {"mark": "rare"},
    {"mark": "pii.email", "outcome": "ok"},
    {"entry": "auto"},
    {"entry": "other"},
    {"rule": "no such rule", "caller": "c0"},
]


class TestPages:
    @pytest.mark.parametrize("filters", FILTERS)
    @pytest.mark.parametrize("limit", [7, 100, 5000])
    def test_pages_are_the_list(self, log: tuple[Path, list[Record]], filters: dict[str, str], limit: int) -> None:
        folder, kept = log
        reader = LogReader(folder)
        assert walked(reader, filters, limit) == expected(kept, filters)
        assert [row["id"] for row in reader.rows(filters, None, 10_000)] == expected(kept, filters)
        reader.close()

    def test_between_two_times(self, log: tuple[Path, list[Record]]) -> None:
        folder, kept = log
        reader = LogReader(folder)
        for since, end in ((START + 20, START + 90), (START - 300, START), (START + 150.5, START + 151.5)):
            got = walked(reader, {"outcome": "ok"}, 11, since=since, until=end)
            assert got == expected(kept, {"outcome": "ok"}, since, end)
        reader.close()

    def test_by_id(self, log: tuple[Path, list[Record]]) -> None:
        folder, kept = log
        reader = LogReader(folder)
        for record in kept[::97]:
            assert walked(reader, {"id": record.request.id}, 10) == [record.request.id]
        reader.close()

    def test_by_text_in_bounded_steps(self, log: tuple[Path, list[Record]], monkeypatch: pytest.MonkeyPatch) -> None:
        folder, kept = log
        monkeypatch.setattr("pointsman.store.log_reader._LOOKED_AT", 90)
        those = [one for one in kept if "ZEBRA" in one.request.turns[-1].text]
        reader = LogReader(folder)
        assert walked(reader, {}, 5, text="zebra") == expected(those, {})
        first = reader.page({}, text="no such text", limit=5)
        assert (first.rows, first.next is None) == ([], False)
        reader.close()
        key = (folder / "log.key").read_bytes()
        (folder / "log.key").unlink()
        try:
            reader = LogReader(folder)
            assert walked(reader, {}, 5, text="zebra") == []
            reader.close()
        finally:
            (folder / "log.key").write_bytes(key)

    def test_a_text_that_is_no_cursor(self, log: tuple[Path, list[Record]]) -> None:
        reader = LogReader(log[0])
        for text in ("", "x", "????", "a" * 50, "é"):
            with pytest.raises(ValueError, match="no place in the log"):
                reader.page({}, before=Cursor(text))
        reader.close()

    def test_a_cursor_stays_valid(self, tmp_path: Path, policy: Policy) -> None:
        kept = list(records(policy, 400, seed=3))
        newest = max(one.received for one in kept)
        writer = LogWriter(tmp_path, "sealed", 1e10, linger=0.0)
        for record in kept:
            writer.put(record, policy.document, FLEET)
        writer.close()
        reader = LogReader(tmp_path)
        page = reader.page({}, limit=30)
        before = expected(kept, {})
        assert [row["id"] for row in page.rows] == before[:30]
        writer = LogWriter(tmp_path, "sealed", 1e10, linger=0.0)
        for record in records(policy, 100, seed=4):
            writer.put(replace(record, received=record.received + 1e6), policy.document, FLEET)
        writer.close()
        again = reader.page({}, limit=30, before=page.next)
        assert [row["id"] for row in again.rows] == before[30:60]
        assert reader.page({}, limit=1).rows[0]["received"] > newest
        reader.close()

    def test_a_log_in_which_nothing_was_filed(self, log: tuple[Path, list[Record]], tmp_path: Path) -> None:
        folder, kept = log
        for path in folder.iterdir():
            if path.is_file():
                (tmp_path / path.name).write_bytes(path.read_bytes())
        connection = open_log(tmp_path / NAME)
        for table in ("chapters", "fields", "unfiled", "rollups"):
            connection.execute(f"drop table {table}")
        connection.close()
        reader = LogReader(tmp_path)
        assert walked(reader, {"outcome": "failed"}, 100) == expected(kept, {"outcome": "failed"})
        reader.close()
        rollups = Rollups(tmp_path)
        assert sum(one.figures.count for one in rollups.between(START - 600, START + 600, 60)) == len(kept)
        rollups.close()
        writer = LogWriter(tmp_path, "sealed", 1e10)  # makes the tables, and files what is there
        until(lambda: writer._to_file == 0)
        writer.close()
        connection = open_log(tmp_path / NAME)
        [(chapters,)] = connection.execute("select count(*) from chapters").fetchall()
        connection.close()
        assert chapters > 4
        reader = LogReader(tmp_path)
        assert walked(reader, {"outcome": "failed"}, 100) == expected(kept, {"outcome": "failed"})
        reader.close()


def sums(kept: list[Record], step: int, start: float, end: float, dims: tuple[str, ...]) -> dict[Any, list[Record]]:
    found: dict[Any, list[Record]] = {}
    for one in kept:
        decision = one.decision
        assert decision is not None
        if not start <= one.received < end:
            continue
        values = {
            "stage": decision.stage, "rule": decision.rule, "action": decision.action, "target": one.target,
            "entry": one.request.model, "outcome": one.outcome, "caller": one.request.caller,
        }  # fmt: skip
        at = int(start) + int(one.received - start) // step * step
        found.setdefault((at, tuple(values[dim] for dim in dims)), []).append(one)
    return found


class TestRollups:
    @pytest.mark.parametrize("step", [60, 300, 3600, 86_400])
    @pytest.mark.parametrize("dims", [(), ("stage",), ("rule",), ("stage", "outcome"), ("target", "entry", "action")])
    def test_they_are_the_log(self, log: tuple[Path, list[Record]], step: int, dims: tuple[str, ...]) -> None:
        folder, kept = log
        start = START // 86_400 * 86_400
        rollups = Rollups(folder)
        got = {
            (one.start, one.values): one.figures for one in rollups.between(start, start + 3 * 86_400, step, by=dims)
        }
        rollups.close()
        wanted = sums(kept, step, start, start + 3 * 86_400, dims)
        assert got.keys() == wanted.keys()
        for where, those in wanted.items():
            check(got[where], those)

    def test_days_of_another_zone(self, log: tuple[Path, list[Record]]) -> None:
        folder, kept = log
        start = START // 86_400 * 86_400 - 8 * 3600
        rollups = Rollups(folder)
        got = {one.start: one.figures.count for one in rollups.between(start, start + 3 * 86_400, 86_400)}
        rollups.close()
        assert got == {at: len(those) for (at, _), those in sums(kept, 86_400, start, start + 3 * 86_400, ()).items()}

    def test_a_step_that_is_no_minute(self, log: tuple[Path, list[Record]]) -> None:
        rollups = Rollups(log[0])
        for step in (0, -60, 90):
            with pytest.raises(ValueError, match=str(step)):
                rollups.between(START, START + 60, step)
        rollups.close()

    def test_more_callers_than_are_told_apart(
        self, tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pointsman.store.figures.MOST", 5)
        writer = LogWriter(tmp_path, "sealed", 1e10)
        kept = list(records(policy, 300, seed=9))
        for record in kept:
            writer.put(record, policy.document, FLEET)
        writer.close()
        rollups = Rollups(tmp_path)
        start = START // 86_400 * 86_400 - 86_400
        for dims in (("caller",), DIMS):
            found = rollups.between(start, START + 86_400, 86_400, by=dims)
            assert sum(one.figures.count for one in found) == 300
        rollups.close()


def check(got: Figures, those: list[Record]) -> None:
    totals = [one.timings.total for one in those if one.timings.total is not None]
    assert (got.count, got.total_ms.count) == (len(those), len(totals))
    assert got.total_ms.sum == pytest.approx(sum(totals))
    assert sum(got.total_ms.buckets.values()) == len(totals)
    for bucket, count in got.total_ms.buckets.items():
        low = BOUNDS[bucket - 1] if bucket else 0
        assert count == sum(low < total <= BOUNDS[bucket] for total in totals)
    assert got.input_tokens == sum(one.input_tokens or 0 for one in those)
    assert got.output_tokens == sum(one.output_tokens or 0 for one in those)
    assert got.queued_ms.count == sum(one.timings.queued is not None for one in those)
    assert got.ttft_ms.count == sum(one.timings.ttft is not None for one in those)
