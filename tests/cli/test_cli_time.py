"""`pointsman time`: which days a text means, for people, for programs, for sets of texts."""

from __future__ import annotations

import datetime
import json
import re
from zoneinfo import ZoneInfo

import pytest

from cli.invoke import Shell

NOW = ("--now", "2026-11-29", "--tz", "Asia/Shanghai")


@pytest.fixture(autouse=True)
def no_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


class TestForPeople:
    def test_echoes_what_was_understood_with_weekdays(self, shell: Shell) -> None:
        done = shell.run("time", "last Friday and Q3", *NOW)
        assert (done.code, done.err) == (0, "")
        assert done.out.splitlines() == [
            "as of Sun 2026-11-29 (Asia/Shanghai)",
            "last Friday: Fri 2026-11-27, day",
            "Q3: Wed 2026-07-01 – Wed 2026-09-30, quarter",
        ]

    def test_in_chinese(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LANG", "zh_CN.UTF-8")
        lines = shell.run("time", "上周五和Q3", *NOW).out.splitlines()
        assert lines == [
            "以 2026-11-29 周日 为准（Asia/Shanghai）",
            "上周五：2026-11-20 周五，日",
            "Q3：2026-07-01 周三 至 2026-09-30 周三，季度",
        ]

    def test_two_readings_are_shown_as_such(self, shell: Shell) -> None:
        lines = shell.run("time", "03/04/2024 and yesterday", *NOW).out.splitlines()
        assert lines[1:] == [
            "03/04/2024: Mon 2024-03-04, day (reading 1 of 2)",
            "03/04/2024: Wed 2024-04-03, day (reading 2 of 2)",
            "yesterday: Sat 2026-11-28, day",
        ]
        assert "（第 2 种读法，共 2 种）" in shell.run("time", "03/04/2024", *NOW, "--language", "zh").out

    @pytest.mark.parametrize(("language", "words"), [("en", "no time was read"), ("zh", "没有读出时间")])
    def test_nothing_found(self, shell: Shell, language: str, words: str) -> None:
        done = shell.run("time", "Python 3.10", *NOW, "--language", language)
        assert (done.code, done.out) == (1, "")
        assert words in done.err


class TestOptions:
    def test_prefer_and_fiscal_start(self, shell: Shell) -> None:
        def start(*arguments: str) -> str:
            return str(shell.run("time", *arguments, *NOW, "--json").json["periods"][0]["start"])

        assert (start("5月"), start("5月", "--prefer", "future")) == ("2026-05-01", "2027-05-01")
        assert (start("FY2025"), start("FY2025", "--fiscal-start", "4")) == ("2025-01-01", "2024-04-01")

    @pytest.mark.parametrize(
        ("now", "zone", "today"),
        [
            ("2026-11-29T23:30:00Z", "Asia/Shanghai", "2026-11-30"),
            ("2026-11-29T23:30:00Z", "America/New_York", "2026-11-29"),
            ("2026-11-29T23:30:00", "Asia/Shanghai", "2026-11-29"),
            ("2026-11-30T00:30:00+08:00", "UTC", "2026-11-29"),
            ("2026-11-29", "UTC", "2026-11-29"),
        ],
    )
    def test_a_day_begins_in_the_zone(self, shell: Shell, now: str, zone: str, today: str) -> None:
        shown = shell.run("time", "今天", "--now", now, "--tz", zone, "--json").json
        assert shown["periods"][0]["start"] == today

    def test_the_machine_tells_what_is_not_given(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TZ", "Pacific/Kiritimati")
        before = datetime.datetime.now(ZoneInfo("Pacific/Kiritimati")).date()
        shown = shell.run("time", "today", "--json").json
        after = datetime.datetime.now(ZoneInfo("Pacific/Kiritimati")).date()
        assert str(before) <= shown["periods"][0]["start"] <= str(after)
        assert shown["now"].endswith("+14:00")

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (("x", "--now", "tomorrow"), "now 'tomorrow' is no moment (valid: 2026-11-29, 2026-11-29T09:00"),
            (("x", "--now", ""), "now '' is no moment (valid: "),
            (("x", "--now", "2026-02-30"), "now '2026-02-30' is no moment (valid: "),
            (
                ("x", "--tz", "Asia/Shanghia"),
                "--tz: there is no time zone 'Asia/Shanghia', did you mean \"Asia/Shanghai\"? (valid: an IANA name",
            ),
            ((), "give a TEXT or --jsonl FILE"),
            (("x", "--jsonl", "y"), "give a TEXT or --jsonl FILE"),
            (("x", "--prefer", "now"), "past, future"),
            (("x", "--fiscal-start", "13"), "11, 12)"),
        ],
    )
    def test_what_is_wrong_and_what_is_valid(self, shell: Shell, arguments: tuple[str, ...], line: str) -> None:
        done = shell.run("time", *arguments)
        assert (done.code, done.out) == (2, "")
        assert line.replace("'past', 'future'", "past, future") in done.err.replace("'past', 'future'", "past, future")

    def test_what_is_wrong_in_chinese(self, shell: Shell) -> None:
        assert (
            "now 'x' 不是一个时刻（合法取值：2026-11-29、"
            in shell.run("time", "x", "--now", "x", "--language", "zh").err
        )
        assert (
            "--tz：没有时区 'x'（合法取值：IANA 时区名" in shell.run("time", "x", "--tz", "x", "--language", "zh").err
        )
        assert not re.search("[\u4e00-\u9fff]", shell.run("time", "x", "--now", "x", "--language", "en").err)


class TestForPrograms:
    def test_one_text(self, shell: Shell) -> None:
        done = shell.run("time", "导出上周五的报表", *NOW, "--json")
        assert (done.code, done.err) == (0, "")
        assert done.json == {
            "text": "导出上周五的报表",
            "now": "2026-11-29T00:00:00+08:00",
            "periods": [{"start": "2026-11-20", "end": "2026-11-21", "grain": "day", "span": [2, 5], "text": "上周五"}],
        }
        nothing = shell.run("time", "hello", *NOW, "--json")
        assert (nothing.code, nothing.json["periods"]) == (1, [])

    def test_a_set(self, shell: Shell) -> None:
        rows = [
            {"text": "周五", "now": "2026-11-29T10:00:00", "start": "2026-11-27", "note": "labels of a set are let by"},
            {"text": "周五", "now": "2026-11-29", "prefer": "future"},
            {"text": "今天", "now": "2026-11-29T23:00:00Z"},
            {"text": "一周年庆", "now": "2026-11-29"},
            {"text": "Q1和Q2"},
        ]
        shell.write("set.jsonl", "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\r\n")
        done = shell.run("time", "--jsonl", str(shell.folder / "set.jsonl"), *NOW)
        assert (done.code, done.err) == (0, "")
        assert [[period["start"] for period in line["periods"]] for line in done.lines] == [
            ["2026-11-27"],
            ["2026-12-04"],
            ["2026-11-30"],
            [],
            ["2026-01-01", "2026-04-01"],
        ]
        assert done.lines[0] == {
            "text": "周五",
            "now": "2026-11-29T10:00:00",
            "periods": [{"start": "2026-11-27", "end": "2026-11-28", "grain": "day", "span": [0, 2], "text": "周五"}],
        }

    def test_lines_that_cannot_be_read(self, shell: Shell) -> None:
        lines = b"\n".join(
            (
                b'{"text": "Q3", "now": "2026-11-29"}',
                b'{"text": 5}',
                b'{"text": "Q3", "now": 5}',
                b'{"text": "Q3", "now": "soon"}',
                b'{"text": "Q3", "prefer": "now"}',
                b'{"text": "Q3"',
                b"Q3",
                b"\xff",
                b'{"text": "Q4", "now": "2026-11-29"}',
            )
        )
        done = shell.run("time", "--jsonl", "-", *NOW, stdin=lines)
        assert (done.code, done.err) == (2, "")
        errors = [line["error"] for line in done.lines if "error" in line]
        assert [error["line"] for error in errors] == [2, 3, 4, 5, 6, 7, 8]
        assert [error["param"] for error in errors[:4]] == ["text", "now", "now", "prefer"]
        assert "2026-11-29T09:00" in errors[1]["message"]
        assert "past, future" in errors[3]["message"]
        assert done.lines[-1]["periods"][0]["start"] == "2026-10-01"

    def test_standard_input_takes_texts_and_objects(self, shell: Shell) -> None:
        done = shell.run("time", "-", *NOW, stdin='上周五\n\n{"text": "Q3", "now": "2024-11-29"}\nno time\n')
        assert done.code == 0
        assert [[period["text"] for period in line["periods"]] for line in done.lines] == [["上周五"], ["Q3"], []]
        assert done.lines[1]["periods"][0]["start"] == "2024-07-01"

    def test_a_file_that_there_is_not(self, shell: Shell) -> None:
        done = shell.run("time", "--jsonl", str(shell.folder / "none.jsonl"))
        assert done.code == 1
        assert "none.jsonl" in done.err

    def test_json_is_in_english(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = b'{"text": 5}\n{"text": "x", "now": "y"}\n{"a": \n'
        there = shell.run("time", "--jsonl", "-", stdin=lines)
        monkeypatch.setenv("LANG", "zh_CN.UTF-8")
        assert shell.run("time", "--jsonl", "-", stdin=lines).out == there.out
        assert not re.search("[\u4e00-\u9fff]", there.out)
