"""`bench nodes`: a short run with real processes, and its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.invoke import Shell
from pointsman.bench.nodes.measure import ALL, ALONE, IDEAL, ONE, THROUGHPUT, TURNS, TURNS_RUN, WAITS, Plan, run_nodes
from pointsman.bench.panels import panels_of
from pointsman.bench.results import Sample, new_results
from pointsman.bench.shown import tables_of
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import as_markdown, as_text


@pytest.mark.slow
def test_a_short_run(tmp_path: Path) -> None:
    plan = Plan(gateways=2, nodes=2, slots=2, mean=0.05, requests=40, seconds=1.0, alone=False)
    results = run_nodes(plan, lambda text: None)
    assert not results.failures
    for subject in (IDEAL, TURNS, TURNS_RUN, POINTSMAN):
        assert results.spread(subject, WAITS, "wait_p99_s") is not None, subject
    served = results.spread(POINTSMAN, THROUGHPUT, "served_n")
    assert served is not None and served.median > 10


def test_tables() -> None:
    results = new_results("nodes", {"rounds": 1, "seconds": 30.0, "gateways": 3, "nodes": 3, "slots": 4, "mean": 1.0,
                                    "load": 0.85, "requests": 1200}, [WAITS, THROUGHPUT])  # fmt: skip
    for number, subject in enumerate((IDEAL, TURNS, TURNS_RUN, ALONE, POINTSMAN), 1):
        values = {f"wait_{which}_s": 0.5 * number for which in ("mean", "p50", "p95", "p99")} | {"at_once_p50_ms": 2.0}
        results.versions[subject] = "1"
        results.samples.append(Sample(subject, WAITS, 1, values))
    for subject, busy in ((ONE, 3.5), (ALL, 10.5)):
        results.versions[subject] = "1"
        results.samples.append(Sample(subject, THROUGHPUT, 1, {"slots_busy": busy, "served_per_s": busy}))
    shown = "\n".join(line for table in tables_of(results) for line in as_markdown(table, "en"))
    assert "| one central queue, computed | 0.50 | 0.50 | 0.50 | 0.50 | 1.00 |" in shown
    assert "3 gateways, 3 nodes of 4 slots, 85 % load" in shown
    assert "| all of them | 10.5 | 10.5 | 3.00 |" in shown
    assert [panel["labels"] for panel in panels_of(results)] == [
        [IDEAL, TURNS, TURNS_RUN, ALONE, POINTSMAN],
        [POINTSMAN, ONE],
    ]
    assert "互不知情的网关" in "\n".join(line for table in tables_of(results) for line in as_text(table, "zh"))


def test_a_load_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, monkeypatch, capsys)
    done = shell.run("bench", "nodes", "--load", "1.5", "--language", "en")
    assert done.code == 1 and "--load above 0 and below 1" in done.err
