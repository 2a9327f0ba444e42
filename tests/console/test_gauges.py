"""Figures of the page Now."""

from __future__ import annotations

import pytest

from pointsman.console.figures_shown import milliseconds, number, percent, seconds, size
from pointsman.console.gauges import gauges_of, quantile
from pointsman.console.history import SPANS, Slice, Summed, began, past_of
from pointsman.console.kinds import KINDS, kind_of
from pointsman.telemetry.counts import Counts


def test_refused_is_refused_wherever_that_was() -> None:
    assert [kind_of(stage, "ok") for stage in ("l0", "l1", "model", None)] == ["l0", "l1", "model", "none"]
    assert {kind_of(stage, "refused") for stage in ("l0", "l1", "model", None)} == {"refused"}


def test_what_was_counted_is_told() -> None:
    counts = Counts.begun()
    for stage, outcome, many in (("l0", "ok", 6), ("l0", "refused", 2), ("model", "ok", 1), ("none", "failed", 1)):
        counts.count("requests", ("auto", "chat", stage, outcome), many)
    counts.count("gpu_baseline_seconds", ("l0",), 12.0)
    counts.count("gpu_seconds", ("small@here",), 2.0)
    counts.count("turned_away", ("queue_full",), 3)
    counts.levels["queue_waiting"] = {(): 4.0}
    counts.levels["target_breaker"] = {("a@b", "open"): 1.0, ("c@d", "closed"): 1.0}
    counts.levels["target_cells"] = {("a@b",): 50.0, ("c@d",): 0.0}
    counts.levels["target_cells_limit"] = {("a@b",): 200.0}
    gauges = gauges_of(counts)
    assert (gauges.many, gauges.failed, gauges.turned_away, gauges.waiting) == (10, 1, [("queue_full", 3)], 4)
    assert gauges.gpu_saved == 10.0 and gauges.open_breakers == ["a@b"]
    assert {share.kind: share.many for share in gauges.shares} == {"l0": 6, "l1": 0, "model": 1, "refused": 2}
    assert sum(share.share for share in gauges.shares) == pytest.approx(1)
    rooms = {room.name: room for room in gauges.memory if room.what == "cells"}
    assert rooms["a@b"].full == 0.25 and rooms["c@d"].most is None and rooms["c@d"].full == 0


def test_a_quantile_lies_within_its_bucket() -> None:
    assert quantile([1, 2, 4], [0, 0, 0, 0], 0.5) is None
    assert quantile([1, 2, 4], [0, 10, 0, 0], 0.5) == 1.5
    assert quantile([1, 2, 4], [5, 5, 0, 0], 0.95) == pytest.approx(1.9)
    assert quantile([1, 2, 4], [0, 0, 0, 3], 0.5) == 4


@pytest.mark.parametrize("span", SPANS)
def test_a_stretch_begins_on_its_step(span: str) -> None:
    now = 1_796_051_138.9
    start = began(span, now)
    assert start % SPANS[span].step == 0 and 0 <= now - start <= SPANS[span].seconds


def test_a_stretch_adds_up() -> None:
    now = 1_796_051_138.9
    start = int(began("15m", now))
    past = past_of(
        Summed(
            [
                Slice(start, "l0", "ok", 60),
                Slice(start + 60, "model", "ok", 30, {1: 20, 2: 10}),
                Slice(start + 60, "model", "failed", 10),
                Slice(start + 60, None, "failed", 1),
            ],
            [10.0, 20.0, 40.0],
        ),
        "15m",
        now,
    )
    assert past.many == 101 and past.failed == 11 and past.refused == 0
    assert past.ttft[0] == pytest.approx(17.5)
    moments, *lines = past.series
    assert len(lines) == len(KINDS) and all(len(line) == len(moments) for line in lines)
    assert moments[0] == start and lines[0][0] == 60 and lines[2][1] == 40


def test_figures_read_alike_everywhere() -> None:
    assert [number(value) for value in (None, 0, 3.25, 12345, 12.3)] == ["–", "0", "3.2", "12,345", "12"]
    assert [milliseconds(value) for value in (None, 0.44, 12.4, 1234)] == ["–", "0.4 ms", "12 ms", "1.23 s"]
    assert [seconds(value) for value in (0.346, 12.34, 90, 7200)] == ["0.35 s", "12.3 s", "1.5 min", "2.0 h"]
    assert [percent(value) for value in (None, 0, 0.004, 0.5, 1)] == ["–", "0 %", "0.4 %", "50 %", "100 %"]
    assert [size(value) for value in (None, 512, 1.5 * 2**20, 24 * 2**30)] == ["–", "512 B", "1.5 MiB", "24 GiB"]
