"""`pointsman bench`: what it says when it cannot, and one short run."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from cli.invoke import Shell
from pointsman.bench import wrk
from pointsman.bench.results import Sample, new_results

SHORT = ("bench", "relay", "--quick", "--subjects", "pointsman", "--only", "whole-16,l0-16")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, "C")
    return Shell(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("arguments", "en", "zh"),
    [
        (
            ("relay", "--only", "whole-2"),
            "there is no row whole-2 (valid: whole-1, ",
            "没有 whole-2 这一行（合法取值：",
        ),
        (("relay", "--subjects", "apache"), "there is no subject apache (valid: pointsman, ", "没有对象 apache"),
        (("growth", "--only", "fame"), "there is no axis fame (valid: rules, ", "没有 fame 这个维度"),
        (("relay", "--rounds", "-1"), "--rounds is at least 1", "--rounds 至少是 1"),
        (("table", "x.json"), "x.json cannot be read: ", "x.json 无法读取："),
        (("rules", "--json", "no/x.json"), "is no folder that can be written to", "不是可以写入的文件夹"),
        (("growth", "--plot", "x.gif"), "a plot ends in .svg / .png, not x.gif", "图的文件名以"),
        (("growth", "--plot", "x.svg"), "make bench installs matplotlib", "make bench 会装好 matplotlib"),
    ],
)
def test_mistakes(shell: Shell, arguments: tuple[str, ...], en: str, zh: str) -> None:
    for tongue, wanted in (("en", en), ("zh", zh)):
        done = shell.run("bench", *arguments, "--language", tongue)
        assert (done.code, done.out) == (1, "")
        assert wanted in done.err


def test_no_wrk(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrk.shutil, "which", lambda name, path=None: None)
    done = shell.run(*SHORT)
    assert done.code == 1
    assert "the program wrk is not installed; on Debian and Ubuntu: apt install wrk" in done.err
    assert "没有安装 wrk" in shell.run(*SHORT, "--language", "zh").err


def test_the_table_of_a_file(shell: Shell) -> None:
    made = new_results("relay", {"rounds": 1, "seconds": 1.0}, ["whole-16"])
    made.versions["pointsman"] = "1.0"
    made.samples.append(
        Sample("pointsman", "whole-16", 1, {"cpu_us": 23.4, "per_s": 9e3, "p50_us": 1.0, "p99_us": 2.0})
    )
    made.save(shell.folder / "x.json")
    assert "| pointsman | 23.4 | 9,000 | 1.00 | 2.00 | – |" in shell.run("bench", "table", "x.json").out
    assert "每请求 CPU µs" in shell.run("bench", "table", "x.json", "--language", "zh").out
    done = shell.run("bench", "table", "x.json", "--plot", "x.txt")
    assert done.err == "pointsman bench: a plot ends in .svg / .png, not x.txt\n"


@pytest.mark.skipif(shutil.which("wrk") is None or sys.platform != "linux", reason="needs wrk on Linux")
def test_a_short_run(shell: Shell) -> None:
    """Figures of any size, but all of them, and every body right."""
    done = shell.run(*SHORT, "--json", "x.json")
    assert done.code == 0, done.out + done.err
    assert "Non-stream, 16 in parallel" in done.out
    assert "Answers without a model (L0), 16 in parallel" in done.out
    told = json.loads((shell.folder / "x.json").read_text("utf-8"))
    assert (told["kind"], told["failures"], told["rows"]) == ("relay", [], ["whole-16", "l0-16"])
    found = {(sample["subject"], sample["row"]): sample["values"] for sample in told["samples"]}
    assert {("direct", "whole-16"), ("pointsman", "whole-16"), ("pointsman", "l0-16")} <= found.keys()
    whole, l0 = found["pointsman", "whole-16"], found["pointsman", "l0-16"]
    assert whole["cpu_us"] > 0 and l0["cpu_us"] > 0
    assert 0 < whole["upstream_connections"] < whole["upstream_replies"]
    assert l0["upstream_replies"] == 0


def test_a_short_run_of_jobs(shell: Shell) -> None:
    """On the gateway's own store; peers and servers that are not there are named."""
    done = shell.run("bench", "jobs", "--rounds", "1", "--seconds", "0.5", "--venv", "nowhere", "--json", "j.json")
    assert done.code == 0, done.out + done.err
    assert "Durable steps, 64 in flight" in done.out and "taskiq-redis was skipped" in done.out
    told = json.loads((shell.folder / "j.json").read_text("utf-8"))
    found = {sample["row"]: sample["values"] for sample in told["samples"]}
    assert (told["kind"], told["failures"]) == ("jobs", [])
    assert found["durable steps"]["per_s"] > 0 and found["whole jobs"]["per_s"] > 0
    assert found["taken up after a kill"]["s"] > 0
    assert "持久化的状态转换" in shell.run("bench", "table", "j.json", "--language", "zh").out


def test_a_short_run_of_the_log(shell: Shell) -> None:
    """Each kind of request is written and each log is closed; figures of any size."""
    done = shell.run("bench", "log", "--quick", "--seconds", "0.2", "--json", "l.json")
    assert done.code == 0, done.out + done.err
    assert "The request log at 2,500 requests/s" in done.out and "logging, a JSON line each" in done.out
    told = json.loads((shell.folder / "l.json").read_text("utf-8"))
    assert (told["kind"], told["failures"]) == ("log", [])
    assert [(sample["subject"], sample["row"]) for sample in told["samples"]] == [
        *(("pointsman", f"{kind}, 200 characters") for kind in ("soon", "mixed", "noted")),
        *((peer, "soon, 200 characters") for peer in ("logging, a JSON line each", "SQLite, a row each")),
    ]
    assert all(isinstance(sample["values"]["cpu_us"], float) for sample in told["samples"])
    table = shell.run("bench", "table", "l.json", "--language", "zh").out
    assert "请求日志，每秒 2,500 个请求" in table and "先记下、结束时再记录" in table
