"""What `bench swap` compares with, and the model that it writes."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.bench.results import read_results
from pointsman.bench.shown import tables_of
from pointsman.bench.swap.measure import Plan, arrivals
from pointsman.bench.swap.optimum import fewest_loads
from pointsman.bench.swap.requantise import requantised
from pointsman.bench.tables import as_text
from pointsman.cli import main
from pointsman.domain.errors import PointsmanError
from pointsman.fleet.gguf import read_gguf
from thorough import tries

Arrivals = list[tuple[float, str]]


def belady(order: str, places: int) -> int:
    """Out goes the one that is wanted again last."""
    resident: set[str] = set()
    loads = 0
    for index, model in enumerate(order):
        if model in resident:
            continue
        loads += 1
        if len(resident) == places:
            rest = order[index:]
            resident.discard(max(resident, key=lambda name: rest.find(name) if name in rest else len(order)))
        resident.add(model)
    return loads


def by_trying_all(came: Arrivals, places: int, wait: float) -> int:
    """Whatever could be loaded at any arrival, or at any last moment of one, as often as that serves somebody."""
    moments = sorted({at for at, _ in came} | {at + wait for at, _ in came})
    names = sorted({name for _, name in came})
    sets = [frozenset(found) for count in range(1, places + 1) for found in itertools.combinations(names, count)]
    best = [len(came) + 1]

    def go(moment: int, resident: frozenset[str], served: frozenset[int], loads: int) -> None:
        now = moments[moment]
        waiting = {i for i, (at, _) in enumerate(came) if at <= now <= at + wait} - served
        done = served | {i for i in waiting if came[i][1] in resident}
        if loads >= best[0]:
            return
        if len(done) == len(came):
            best[0] = loads
            return
        for chosen in sets:
            if chosen != resident and any(came[i][1] in chosen for i in waiting - done):
                go(moment, chosen, done, loads + len(chosen - resident))
        missed = any(at + wait <= now and i not in done for i, (at, _) in enumerate(came))
        if not missed and moment + 1 < len(moments):
            go(moment + 1, resident, done, loads)

    go(0, frozenset(), frozenset(), 0)
    return best[0]


@given(st.text("ABCD", min_size=1, max_size=24), st.integers(1, 3))
def test_without_waiting_it_is_belady_s(order: str, places: int) -> None:
    assert fewest_loads([(float(at), name) for at, name in enumerate(order)], places) == belady(order, places)


@settings(max_examples=tries(18, 60))
@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from("ABC")), min_size=1, max_size=5),
    st.integers(1, 2),
    st.sampled_from([0.0, 1.5, 3.0]),
)
def test_with_waiting_nobody_who_tries_everything_does_better(
    given: list[tuple[int, str]], places: int, wait: float
) -> None:
    came = sorted((float(at), name) for at, name in given)
    assert fewest_loads(came, places, wait) == by_trying_all(came, places, wait)


def test_the_more_one_may_wait_the_fewer_loads_there_are() -> None:
    came = arrivals(Plan(), ["one", "two", "three"])
    found = [fewest_loads(came, 2, wait) for wait in (0.0, 1.0, 5.0, 100.0)]
    assert found == sorted(found, reverse=True) and found[-1] == 3


def gguf(kind: int, body: bytes) -> bytes:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    pairs = text("general.architecture") + struct.pack("<I", 8) + text("llama")
    pairs += text("some.list") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc")
    infos = text("w") + struct.pack("<IQIQ", 1, 64, kind, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 2) + pairs + infos
    return head + bytes(-len(head) % 32) + body


def test_a_tensor_in_another_quantisation_says_nearly_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    quants = rng.integers(0, 256, (2, 16), dtype=np.uint8)
    body = b"".join(struct.pack("<ee", 0.5, -3.0) + row.tobytes() for row in quants)
    source, made = tmp_path / "a.gguf", tmp_path / "b.gguf"
    source.write_bytes(gguf(3, body))
    requantised(source, made)
    truth = np.concatenate([np.concatenate([row & 15, row >> 4]) for row in quants]) * 0.5 - 3.0
    [tensor] = read_gguf(made).table
    assert (tensor.type, tensor.shape) == (8, (64,))
    blocks = np.frombuffer(made.read_bytes()[-96:][:68], dtype=[("d", "<f2"), ("q", "i1", 32)])
    said = (blocks["q"] * blocks["d"].astype(np.float32)[:, None]).ravel()
    assert np.abs(said - truth).max() < 0.02


def test_other_tensors_and_other_files_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.gguf"
    source.write_bytes(gguf(12, bytes(144)))
    with pytest.raises(PointsmanError, match="type 12"):
        requantised(source, tmp_path / "b.gguf")
    source.write_bytes(b"\x89PNG" + bytes(64))
    with pytest.raises(PointsmanError, match="no GGUF"):
        requantised(source, tmp_path / "b.gguf")


def test_rows_that_there_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "swap", "--only", "nothing"]) != 0
    assert "swap,mixed" in capsys.readouterr().err.replace(", ", ",")


@pytest.mark.slow
def test_a_quick_run(tmp_path: Path) -> None:
    file = tmp_path / "swap.json"
    assert main(["bench", "swap", "--quick", "--json", str(file)]) == 0
    results = read_results(file)
    assert not results.failures
    text = "\n".join(line for table in tables_of(results) for line in as_text(table, "zh"))
    assert "切换 2 次" in text and "12 个请求" in text
