"""What a writer knows of its batches files them as what is read of them does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple, replace

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.decision import Mark
from pointsman.domain.record import Record, Timings
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import log_filing, log_writer
from pointsman.store.log_columns import bits_of, checks_of, packed_checks, packed_column, packed_kinds
from pointsman.store.log_file import open_log
from pointsman.store.log_filing import file_batches
from pointsman.store.log_outline import Outline, together
from pointsman.store.log_schema import NAME
from pointsman.store.log_sql import Connection
from pointsman.store.log_unfiled import Known
from pointsman.store.log_writer import LogWriter
from pointsman.store.stored_batch import StoredBatch

FLEET = fleet(small=2048, middle=4096, big=32_768, spare=32_768, far=100_000, embed=512)
START = 1.9e9
TEXTS = ("prove it", "hello there", "refund my order", "退款", "qwertz")


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def records(policy: Policy, count: int, callers: int) -> Iterator[Record]:
    dice = random.Random(count)
    decided = [decide(ask(text), policy, FLEET) for text in TEXTS]
    marks = tuple(Mark("r", label, "low") for label in ("pii.email", "pii.phone"))
    for number in range(count):
        received = START + dice.random() * 400
        request = replace(
            ask("question"), id=f"req_{dice.getrandbits(64):016x}", now=received, caller=f"c{dice.randrange(callers)}"
        )
        decision = dice.choice(
            [*decided, replace(decided[0], marks=marks, shadow=("s",)), replace(decided[1], features=None)]
        )
        yield Record(
            request, received, dice.choice(("ok", "failed", "cancelled")), decision if number % 9 else None,
            error=dice.choice((None, "timeout")), target=dice.choice((None, "big@big", "small@small")),
            input_tokens=dice.choice((None, 70)), output_tokens=dice.choice((None, 0, number)),
            timings=Timings(0.1, dice.choice((None, 0.2, 300.0)), dice.choice((None, 5000 * dice.random()))),
        )  # fmt: skip


@pytest.mark.parametrize("callers", [3, 300])  # combinations that a byte can tell apart, and more of them
def test_what_a_writer_knows_is_what_is_read(
    tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch, callers: int
) -> None:
    monkeypatch.setattr(log_writer, "ENOUGH", 1000)
    monkeypatch.setattr(log_filing, "ENOUGH", 1000)
    filed: list[int] = []
    real = log_filing._read

    def beside(connection: Connection, waiting: log_filing.Waiting, known: Known) -> tuple[int, int, Outline] | None:
        found, read = real(connection, waiting, known), real(connection, waiting, {})
        assert waiting[0] in known
        assert found is not None and read is not None
        assert plain(found[2]) == plain(read[2])
        filed.append(found[2].count)
        return found

    monkeypatch.setattr(log_filing, "_read", beside)
    writer = LogWriter(tmp_path, "sealed", 1e10)
    for record in records(policy, 1300, callers):
        writer.put(record, policy.document, FLEET)
    writer.close()
    assert 1000 <= sum(filed) <= 1300


def plain(outline: Outline) -> list[list[Any]]:
    return [list(column) for column in astuple(outline)]


def test_what_waits_long_is_read(tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_writer, "_LATE", 0)
    monkeypatch.setattr(log_writer, "ENOUGH", 100)
    monkeypatch.setattr(log_filing, "ENOUGH", 100)
    writer = LogWriter(tmp_path, "sealed", 1e10)
    for record in records(policy, 300, 3):
        writer.put(record, policy.document, FLEET)
    writer.close()
    connection = open_log(tmp_path / NAME)
    while file_batches(connection, all_of_them=True):
        pass
    assert connection.execute("select sum(count) from chapters").fetchall() == [(300,)]
    connection.close()


def test_what_was_replaced_meanwhile_is_read(tmp_path: Path, policy: Policy) -> None:
    """A number that another batch has now."""
    writer = LogWriter(tmp_path, "sealed", 1e10)
    for record in records(policy, 20, 3):
        writer.put(record, policy.document, FLEET)
    writer.close()
    connection = open_log(tmp_path / NAME)
    [(number, prompts, heads)] = connection.execute("select id, prompts, heads from batches").fetchall()
    there = StoredBatch(number, prompts, heads).outline()
    other = Outline(
        (1.0,), checks_of(["x"]), [tuple("x" * len(there.kinds[0]))], [0], [1], [1], [1], [1.0], [1.0], [1.0]
    )
    known: Known = {number: ((1.0, "x", "x", 1), other)}
    assert file_batches(connection, known, all_of_them=True)
    assert not known
    assert connection.execute("select count, last from chapters").fetchall() == [(20, max(there.received))]
    connection.close()


def test_one_after_the_other() -> None:
    one = Outline(
        [1.0, 2.0], checks_of(["a", "b"]), [("x",), ("y",)], [1, 0], [1, None], [2, 3], [0, 0], [1, 2], [3, 4], [5, 6]
    )
    two = Outline([3.0], checks_of(["c"]), [("y",)], [0], [None], [4], [1], [None], [5.0], [None])
    whole = together([one, two])
    assert list(astuple(whole)) == [
        [1.0, 2.0, 3.0], checks_of(["a", "b", "c"]), [("x",), ("y",)], [1, 0, 1], [1, None, None], [2, 3, 4], [0, 0, 1],
        [1, 2, None], [3, 4, 5.0], [5, 6, None],
    ]  # fmt: skip
    assert together([]).count == 0


@given(st.lists(st.sampled_from([None, "", *(f"v{number}" for number in range(400))]), min_size=1), st.randoms())
def test_a_column_of_combinations(values: list[str | None], dice: random.Random) -> None:
    codes = [*range(len(values)), *(dice.randrange(len(values)) for _ in range(50))]
    dice.shuffle(codes)
    whole = [values[code] for code in codes]
    for given_codes in [codes] + ([bytes(codes)] if len(values) <= 256 else []):
        packed = packed_kinds(values, given_codes)
        for value in {"v0", "v399", "no such", *filter(None, whole[:5])}:
            assert bits_of(packed, len(whole), value) == bits_of(packed_column(whole), len(whole), value)


def test_more_values_than_codes() -> None:
    values = [f"v{number}" for number in range(300)]
    codes = [*range(300), *([7] * 20)]
    packed = packed_kinds(values, codes)
    assert bin(bits_of(packed, 320, "v7")).count("1") == 21
    assert bin(bits_of(packed, 320, "v299")).count("1") == 1


def test_ids_of_which_two_are_the_same() -> None:
    packed = packed_checks(checks_of(["a", "b", "a"]))
    assert bits_of(packed, 3, "a") == 0b101
    assert bits_of(packed, 3, "c") == 0
