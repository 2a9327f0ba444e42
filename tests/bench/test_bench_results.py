"""Raw values, what is derived of them, and how they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointsman.bench.load import quantile
from pointsman.bench.panels import panels_of
from pointsman.bench.relay_tables import relay_tables
from pointsman.bench.results import Failure, Results, Sample, new_results, read_results
from pointsman.bench.rows import DIRECT, MEMORY
from pointsman.bench.shown import tables_of
from pointsman.bench.tables import Table, as_markdown, as_text, figure, notes, preamble
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, told


def results() -> Results:
    made = new_results("relay", {"rounds": 3, "seconds": 1.0, "subject_cores": [1], "other_cores": [0]}, ["whole-1"])
    made.versions = {"pointsman": "1.0", "nginx": "1.2"}
    for number, (ours, theirs, direct) in enumerate([(40.0, 20.0, 10.0), (60.0, 22.0, 11.0), (50.0, 24.0, 12.0)], 1):
        for subject, value in (("pointsman", ours), ("nginx", theirs), (DIRECT, direct)):
            values = {
                "cpu_us": value,
                "p50_us": value * 10,
                "p99_us": value * 20,
                "per_s": 1e6 / value,
                "requests": 9.0,
            }
            made.samples.append(Sample(subject, "whole-1", number, values | {"upstream_connections": 1.0}))
        made.samples.append(Sample("pointsman", MEMORY, number, {"started_bytes": 5e7}))
        made.samples.append(Sample("pointsman", MEMORY, number, {"loaded_bytes": 6e7}))
    return made


def test_spread_ratio_and_difference() -> None:
    made = results()
    assert made.spread("pointsman", "whole-1", "cpu_us") == (50.0, 40.0, 60.0)
    assert made.ratio("pointsman", "whole-1", "cpu_us", "nginx") == 50 / 22
    assert made.difference("pointsman", "whole-1", "p50_us", DIRECT) == (380.0, 300.0, 490.0)
    assert made.spread("pointsman", "whole-1", "nothing") is None
    assert made.spread("nobody", "whole-1", "cpu_us") is None


@pytest.mark.parametrize("row", ["whole-1", "*"])
def test_a_row_that_failed_has_no_figure(row: str) -> None:
    made = results()
    made.failures.append(Failure("pointsman", row, 2, Said("the body differs", "回复不同")))
    assert made.spread("pointsman", "whole-1", "cpu_us") is None
    assert made.difference("pointsman", "whole-1", "p50_us", DIRECT) is None
    assert made.ratio("pointsman", "whole-1", "cpu_us", "nginx") is None
    shown = "\n".join(line for table in relay_tables(made) for line in as_text(table, "en"))
    assert "40.0–60.0" not in shown
    [note] = list(notes(made))
    assert f"FAILED pointsman, {row}, round 2: the body differs" == note
    assert "回复不同" in told(note, "zh")


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    made = results()
    made.skipped["litellm"] = Said("not installed", "没有安装")
    made.save(tmp_path / "x.json")
    assert read_results(tmp_path / "x.json") == made
    told_of = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert {"cpu", "cores", "kernel", "python", "pointsman"} <= told_of["machine"].keys()
    assert len(told_of["samples"]) == 15


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 2}', "x"])
def test_no_results(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(PointsmanError, match="holds no results"):
        read_results(tmp_path / "x.json")


def test_tables_in_both_languages() -> None:
    table = Table(Said("Title", "标题"), [Said("subject", "对象"), "µs"], [["nginx", "1.00"], ["网关", "20.0"]])
    assert as_text(table, "en") == ["Title", "  subject    µs", "  nginx    1.00", "  网关     20.0"]
    assert as_text(table, "zh") == ["标题", "  对象     µs", "  nginx  1.00", "  网关   20.0"]
    assert as_markdown(table, "en")[2:5] == ["| subject | µs |", "| --- | ---: |", "| nginx | 1.00 |"]


def test_every_table_of_a_run() -> None:
    made = results()
    shown = "\n".join(line for table in tables_of(made) for line in as_text(table, "en"))
    assert "50.0 (40.0–60.0)" in shown
    assert "Added latency at one client" in shown
    zh = "\n".join(line for table in tables_of(made) for line in as_text(table, "zh"))
    assert "单个客户端时增加的延迟" in zh
    lines = [told(line, "zh") for line in preamble(made)]
    assert "被测对象在核心 1 上运行，负载和上游在 0 上运行" in lines
    assert next(panel["title"] for panel in panels_of(made)) == "Non-stream, 1 in parallel"
    json.dumps(panels_of(made))


def test_figures() -> None:
    assert [figure(value) for value in (0.123, 1.0, 12.34, 123.4, 1234.5)] == ["0.12", "1.00", "12.3", "123", "1,234"]


def test_quantiles() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert (quantile(values, 0.5), quantile(values, 0.99), quantile([7.0], 0.99)) == (50.0, 99.0, 7.0)
