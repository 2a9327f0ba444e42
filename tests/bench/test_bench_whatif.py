"""`bench whatif`: a short run with real engines, and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.invoke import Shell
from pointsman.bench.results import Sample, new_results
from pointsman.bench.shown import tables_of
from pointsman.bench.tables import as_markdown, as_text
from pointsman.bench.whatif.measure import BASE, FORETOLD, NODES, REAL, ROWS, Plan, run_whatif


@pytest.mark.slow
def test_a_short_run() -> None:
    results = run_whatif(Plan(seconds=8.0, measured=2.0), lambda text: None)
    assert not results.failures
    for row in ROWS:
        for subject in (REAL, FORETOLD):
            assert results.spread(subject, row, "wait_p99_s") is not None, (subject, row)


def test_the_table_has_the_error() -> None:
    results = new_results("whatif", {"rounds": 1, "seconds": 120.0, "requests": 200}, [BASE, NODES])
    results.versions = {REAL: "1", FORETOLD: "1"}
    real = {f"wait_p{share}_s": 2.0 for share in (50, 95, 99)}
    told = {
        f"wait_p{share}{end}_s": at for share in (50, 95, 99) for end, at in (("", 2.5), ("_low", 1.0), ("_high", 3.0))
    }
    results.samples += [Sample(REAL, BASE, 1, {**real, "engine_cores": 0.5}), Sample(FORETOLD, BASE, 1, told)]
    [table] = tables_of(results)
    shown = "\n".join(as_markdown(table, "en"))
    cells = " | ".join(["2.50 (1.00–3.00) | 2.00 | +0.50"] * 3)
    assert f"| one node, whose log it is | {cells} | 0.50 |" in shown
    assert f"| two nodes | {' | '.join(['–'] * 10)} |" in shown
    assert "两个节点" in "\n".join(as_text(table, "zh"))


def test_a_load_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Shell(tmp_path, monkeypatch, capsys).run("bench", "whatif", "--load", "3", "--language", "en")
    assert done.code == 1 and "--load is above 0" in done.err
