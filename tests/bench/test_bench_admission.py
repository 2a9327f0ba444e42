"""`bench admission`: a short run before a real engine, and the whole proof."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.invoke import Shell
from pointsman.bench.admission.arrivals import Arrival
from pointsman.bench.admission.client import Outcome, Reply
from pointsman.bench.admission.figures import figures
from pointsman.bench.admission.measure import BARE, KILLED, LARGE, LOAD, STALLED, SUBJECTS, Plan, run_admission
from pointsman.bench.panels import panels_of
from pointsman.bench.results import Results, Sample, new_results, read_results
from pointsman.bench.shown import tables_of
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import as_markdown, as_text


def value(results: Results, row: str, key: str, subject: str = POINTSMAN) -> float:
    spread = results.spread(subject, row, key)
    assert spread is not None, (row, key, results.failures)
    return spread.median


def test_a_short_run_accounts_for_every_request(tmp_path: Path) -> None:
    plan = Plan(seconds=3.0, measured=1.0, rows=(LOAD,), subjects=(POINTSMAN,), chains=(0.1,), patience=15.0)
    results = run_admission(plan, lambda text: None)
    assert results.failures == []
    sent = value(results, LOAD, "sent_n")
    ends = [value(results, LOAD, f"{end}_n") for end in ("ok", "shed", "error", "timeout", "lost")]
    assert sent >= 40 and sum(ends) == sent and ends[0] + ends[1] >= 1
    assert value(results, LOAD, "lost_n") == value(results, LOAD, "unaccounted_n") == 0
    results.save(tmp_path / "r.json")
    again = read_results(tmp_path / "r.json")
    assert [as_text(table, "en") for table in tables_of(again)] == [
        as_text(table, "en") for table in tables_of(results)
    ]


def test_tables_and_pictures_of_all_rows() -> None:
    options = {"rounds": 1, "seconds": 9.0, "slots": 4, "cells": 4096, "rate_per_s": 0.8, "within": 10.0}
    results = new_results("admission", options, [LOAD, KILLED, STALLED])
    outcomes: tuple[Outcome, ...] = ("ok", "shed", "timeout")
    replies = [Reply(Arrival(0.0, "a", 3, 1), 0.0, outcome, first=1.0, total=2.0) for outcome in outcomes]
    results.rows.insert(1, LARGE)
    for subject in SUBJECTS:
        results.versions[subject] = "1"
        results.samples.append(Sample(subject, LARGE, 1, figures(replies, 0.0, 10.0)))
        results.samples.append(Sample(subject, LOAD, 1, figures(replies, 9.0, 10.0)))
    for row in (KILLED, STALLED):
        values = figures(replies, 9.0, 10.0) | {"opened_s": 0.3, "half_open_s": 5.3, "closed_s": 6.0, "opened_n": 1.0}
        results.samples.append(Sample(POINTSMAN, row, 1, values | {"unaccounted_n": 0.0}))
    shown = "\n".join(line for table in tables_of(results) for line in as_markdown(table, "en"))
    assert "| engine killed | 3 | 1 | 1 | 0 | 1 | 0 | 0 |" in shown and "| engine stands still | 0.30 |" in shown
    assert "of which three fit into 4096 cells" in shown
    assert "引擎被杀死" in "\n".join(line for table in tables_of(results) for line in as_text(table, "zh"))
    assert [panel["labels"] for panel in panels_of(results)] == [list(SUBJECTS)] * 4


def test_a_row_that_there_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, monkeypatch, capsys)
    done = shell.run("bench", "admission", "--only", "drowned", "--language", "en")
    assert done.code == 1 and "there is no row drowned (valid: load, large, killed, stalled)" in done.err
    assert "没有 drowned 这一行" in shell.run("bench", "admission", "--only", "drowned", "--language", "zh").err


@pytest.mark.slow
def test_the_proof() -> None:
    """Without admission requests run into time-outs; with it all that is not served is told so, and nobody is lost."""
    results = run_admission(Plan(seconds=45.0, subjects=(BARE, POINTSMAN)), lambda text: None)
    assert results.failures == []
    assert value(results, LOAD, "timeout_n", BARE) + value(results, LOAD, "error_n", BARE) > 0
    for key in ("error_n", "timeout_n", "lost_n", "unaccounted_n"):
        assert value(results, LOAD, key) == 0, key
    assert value(results, LOAD, "good_n") > value(results, LOAD, "good_n", BARE)
    assert value(results, LARGE, "error_n", BARE) >= 3 and value(results, LARGE, "ok_n") == 4
    for row in (KILLED, STALLED):
        assert value(results, row, "lost_n") == value(results, row, "unaccounted_n") == 0
        assert value(results, row, "opened_s") < value(results, row, "closed_s")
