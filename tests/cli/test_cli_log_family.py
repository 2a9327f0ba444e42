"""`pointsman log export`, `log erase` and `log rotate-key`."""

from __future__ import annotations

import csv
import io
import json
import stat
from datetime import UTC
from pathlib import Path

import duckdb
import pytest

from cli.invoke import MODELS, Shell
from cli.test_cli_log import fill
from pointsman.store.log_export import COLUMNS, TEXTS
from pointsman.store.log_keys import older_in
from pointsman.store.log_reader import LogReader


@pytest.fixture
def logged(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    fill(shell.folder / "data", tmp_path_factory.mktemp("policy"))
    shell.write("pointsman.yaml", MODELS + "server: {data_dir: data}\n")
    return shell


def ids(shell: Shell) -> list[str]:
    return [line["id"] for line in shell.run("log", "--json").lines]


class TestExport:
    @pytest.mark.parametrize("text", [False, True])
    def test_all_forms_say_the_same(self, logged: Shell, text: bool) -> None:
        more = ["--text"] if text else []
        for name in ("log.jsonl", "log.csv", "log.parquet"):
            done = logged.run("log", "export", name, *more)
            assert (done.code, done.err, done.out) == (0, "", f"4 requests in {name}\n")
            assert stat.S_IMODE((logged.folder / name).stat().st_mode) == 0o600
        names = [column.name for column in (*COLUMNS, *(TEXTS if text else ()))]
        lines = [json.loads(line) for line in (logged.folder / "log.jsonl").read_text("utf-8").splitlines()]
        assert [list(line) for line in lines] == [names] * 4
        rows = list(csv.DictReader(io.StringIO((logged.folder / "log.csv").read_text("utf-8"))))
        assert [row["id"] for row in rows] == [line["id"] for line in lines] == ["r0", "r1", "r2", "r3"]
        assert [{k: v or None for k, v in row.items()}["rule"] for row in rows] == [line["rule"] for line in lines]
        table = duckdb.connect().execute(f"select * from '{logged.folder / 'log.parquet'}'")
        assert [column[0] for column in table.description] == names
        parquet = [dict(zip(names, row, strict=True)) for row in table.fetchall()]
        for line, row in zip(lines, parquet, strict=True):
            assert row.pop("time").replace(tzinfo=UTC).timestamp() == pytest.approx(line["received"], abs=1e-5)
            del line["time"]
            assert row == line
        if text:
            assert [line["question"] for line in lines] == ["vpn broken", "qwertz", "我的工资", "prove it"]
        assert sorted(path.name for path in logged.folder.glob("log.*")) == ["log.csv", "log.jsonl", "log.parquet"]

    def test_filters_and_times(self, logged: Shell) -> None:
        done = logged.run("log", "export", "-", "--outcome", "failed")
        assert [line["id"] for line in done.lines] == ["r1"]
        done = logged.run("log", "export", "-", "--since", "90m")
        assert [line["id"] for line in done.lines] == ["r2", "r3"]
        done = logged.run("log", "export", "-", "--until", "90m", "--format", "csv")
        assert [line.split(",")[0] for line in done.out.splitlines()] == ["id", "r0", "r1"]
        done = logged.run("log", "export", "-", "--since", "2020-01-01", "--until", "2021-01-01T12:00")
        assert (done.code, done.out) == (0, "")

    @pytest.mark.parametrize(
        ("arguments", "code", "said"),
        [
            (["-", "--format", "parquet"], 2, "needs a file"),
            (["x.csv", "--since", "yesterday"], 1, "no span of time and no date"),
            (["nowhere/x.csv"], 1, "cannot be written"),
            (["nowhere/x.parquet"], 1, "cannot be written"),
        ],
    )
    def test_what_does_not_work(self, logged: Shell, arguments: list[str], code: int, said: str) -> None:
        done = logged.run("log", "export", *arguments)
        assert done.code == code
        assert said in done.err


class TestErase:
    def test_only_looking(self, logged: Shell) -> None:
        done = logged.run("log", "erase", "--caller", "c1", "--dry-run")
        assert (done.code, done.err) == (0, "")
        assert done.out.splitlines()[0] == "1 requests would be erased"
        assert ids(logged) == ["r3", "r2", "r1", "r0"]

    def test_it_asks_back(self, logged: Shell) -> None:
        done = logged.run("log", "erase", "--request", "r2")
        assert (done.code, done.err) == (1, "pointsman log erase: nothing was erased\n")
        assert len(ids(logged)) == 4

    def test_it_erases(self, logged: Shell) -> None:
        done = logged.run("log", "erase", "--request", "r2", "--yes", "--json")
        assert (done.code, done.lines[0]["requests"]) == (0, 1)
        assert ids(logged) == ["r3", "r1", "r0"]
        assert logged.run("log", "erase", "--before", "90m", "--yes").code == 0
        assert ids(logged) == ["r3"]
        done = logged.run("log", "erase", "--request", "r2", "--yes")
        assert (done.code, done.out) == (0, "there are no such requests in the log\n")

    def test_whose(self, logged: Shell) -> None:
        done = logged.run("log", "erase")
        assert (done.code, "say whose" in done.err) == (2, True)


class TestRotateKey:
    def test_older_keys_open_what_they_sealed(self, logged: Shell) -> None:
        data = logged.folder / "data"
        before = (data / "log.key").read_bytes()
        assert logged.run("log", "rotate-key").code == 0
        assert (data / "log.key").read_bytes() != before
        assert older_in(data) == [before]
        self.check(data)

    def test_reseal(self, logged: Shell) -> None:
        data = logged.folder / "data"
        logged.run("log", "rotate-key")
        done = logged.run("log", "rotate-key", "--reseal")
        assert (done.code, done.err) == (0, "")
        assert older_in(data) == []
        self.check(data)

    def test_without_a_key(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS + "server: {data_dir: data}\n")
        done = shell.run("log", "rotate-key")
        assert (done.code, "no key" in done.err) == (1, True)

    def check(self, data: Path) -> None:
        reader = LogReader(data)
        wholes = [reader.whole(f"r{number}") for number in range(4)]
        reader.close()
        assert [whole and whole.request.question for whole in wholes] == [
            "vpn broken",
            "qwertz",
            "我的工资",
            "prove it",
        ]
