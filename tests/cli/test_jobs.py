"""`pointsman jobs`: what it lists and shows, and what it does to the store; the gateway does not run."""

from __future__ import annotations

import argparse
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.invoke import Done, Shell
from cli.kept_jobs import batch, dead, done, job_in, kept, moved, on
from pointsman.cli.command import again
from pointsman.ports.job_store import JobStore

IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One job of each sort; the digits of an id say how old it is."""

    async def fill(store: JobStore) -> None:
        await kept(store, "job_1", webhook="https://x.example/hook")
        await done(store, "job_1")
        await kept(store, "job_2")
        await dead(store, "job_2")
        await batch(store, "batch_3", 3)
        await kept(store, "job_4", caller="bob")
        await kept(store, "webhook_4", kind="webhook", queue="webhook", body=b"")
        await kept(store, "job_5")

    on(tmp_path / "data", fill)
    return tmp_path / "data"


def jobs(shell: Shell, *arguments: str) -> Done:
    return shell.run("jobs", *arguments, "--data-dir", str(shell.folder / "data"))


def ids(done: Done) -> list[str]:
    return [line["id"] for line in done.lines]


@pytest.mark.usefixtures("data")
class TestLs:
    def test_newest_first_over_all_kinds_and_a_batch_stands_for_its_requests(self, shell: Shell) -> None:
        assert ids(jobs(shell, "ls", "--json")) == ["job_5", "webhook_4", "job_4", "batch_3", "job_2", "job_1"]

    def test_page_after_page_shows_each_once(self, shell: Shell) -> None:
        seen, after = [], []
        while page := ids(jobs(shell, "ls", "--json", "--limit", "1", *after)):
            seen += page
            after = ["--after", page[-1]]
        assert seen == ["job_5", "webhook_4", "job_4", "batch_3", "job_2", "job_1"]

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (("--phase", "dead"), ["job_2"]),
            (("--phase", "over"), ["job_1"]),
            (("--phase", "parked"), ["batch_3"]),
            (("--phase", "running"), []),
            (("--kind", "batch"), ["batch_3"]),
            (("--kind", "webhook"), ["webhook_4"]),
            (("--kind", "request"), ["job_5", "job_4", "job_2", "job_1"]),
            (("--queue", "webhook"), ["webhook_4"]),
            (("--caller", "bob"), ["job_4"]),
            (("--parent", "batch_3"), ["job_3.3", "job_3.2", "job_3.1"]),
            (("--parent", "batch_3", "--limit", "1", "--after", "job_3.3"), ["job_3.2"]),
        ],
    )
    def test_filters(self, shell: Shell, filters: tuple[str, ...], expected: list[str]) -> None:
        assert ids(jobs(shell, "ls", "--json", *filters)) == expected

    def test_a_table_with_the_numbers_below_it(self, shell: Shell) -> None:
        done = jobs(shell, "ls", "--limit", "4")
        lines = done.out.splitlines()
        assert done.code == 0 and lines[0].split() == [
            *("id", "kind", "phase", "state", "outcome", "schedule", "age", "failed", "worker", "error")
        ]
        assert re.fullmatch(r"batch_3 +batch +parked +execution +- +- +\d+ \w +- +- +-", lines[4])
        assert lines[5] == "more: --after batch_3"
        assert lines[-1].startswith("now  ") and "batch: waiting 3, parked 1" in lines[-1]
        assert "interactive: waiting 2, dead 1" in lines[-1]

    def test_what_a_program_gets(self, shell: Shell) -> None:
        [one] = jobs(shell, "ls", "--json", "--phase", "dead").lines
        assert (
            one["phase"] == "dead" and one["caller"] == "ann" and one["failures"] == 3 and one["state"] == "execution"
        )

    def test_nothing_there(self, shell: Shell) -> None:
        done = jobs(shell, "ls", "--caller", "nobody")
        assert done.code == 0 and done.out.startswith("there is no such job\n")

    def test_usage(self, shell: Shell) -> None:
        assert jobs(shell, "ls", "--limit", "0").code == 2
        done = jobs(shell, "ls", "--phase", "asleep")
        assert done.code == 2 and "'waiting', 'running', 'parked', 'over', 'dead'" in done.err


class TestWhichStore:
    def test_no_store_yet(self, shell: Shell) -> None:
        done = jobs(shell, "ls")
        assert done.code == 1 and "no job was kept yet in" in done.err and "--data-dir" in done.err
        assert not (shell.folder / "data").exists()

    @pytest.mark.parametrize(
        ("url", "part"),
        [
            ("mysql://x", "--store: no store of jobs is called 'mysql' (valid: sqlite:///"),
            ("sqlite:x", "three slashes"),
            ("redis://127.0.0.1:1/0?wait=x", "wait"),
            ("", "--store: the store's URL is empty (valid: sqlite:///"),
        ],
    )
    def test_a_flag_that_names_none(self, shell: Shell, url: str, part: str) -> None:
        for verb in (("jobs", "ls"), ("jobs", "show", "x"), ("trace", "x"), ("worker",)):
            done = shell.run(*verb, "--store", url)
            assert (done.code, done.out) == (2, "") and part in done.err and "Traceback" not in done.err

    def test_a_folder_that_is_none(self, shell: Shell) -> None:
        for verb in (("jobs", "ls"), ("trace", "x"), ("worker",)):
            assert shell.run(*verb, "--data-dir", "").code == 2

    def test_what_the_config_names_is_no_mistake_of_usage(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", "store: mysql://x\n")
        done = shell.run("jobs", "ls")
        assert done.code == 1 and "pointsman.yaml:1: store: no store of jobs is called" in done.err

    def test_a_server_that_is_gone(self, shell: Shell) -> None:
        done = shell.run("jobs", "ls", "--store", "redis://127.0.0.1:1/0")
        assert done.code == 1 and "127.0.0.1:1" in done.err and "Traceback" not in done.err

    @pytest.mark.usefixtures("data")
    def test_the_config_names_it_and_the_flag_wins(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", "server: {data_dir: data}\nstore: sqlite:///other.sqlite\n")
        assert "other.sqlite" in shell.run("jobs", "ls").err
        assert shell.run("jobs", "ls", "--store", "sqlite:///jobs.sqlite").code == 0


@pytest.mark.usefixtures("data")
class TestShow:
    def test_a_job_with_its_way(self, shell: Shell) -> None:
        done = jobs(shell, "show", "job_1")
        assert done.code == 0
        for part in (
            r"^state +completed, ok$",
            r"^caller +ann$",
            r"^what +POST /v1/chat/completions$",
            r"^result +200, ",
        ):
            assert re.search(part, done.out, re.MULTILINE), part
        steps = re.findall(r"^ *\d+  \d\d:\d\d:\d\d\.\d\d\d .*$", done.out, re.MULTILINE)
        assert [re.split(r" {2,}", step.strip())[-4] for step in steps][1:] == [
            "admitted",
            "matched",
            "dispatched",
            "ended",
        ]
        assert "tell nobody" not in done.out and '"fine"' not in done.out

    def test_its_reply_where_it_is_asked_for(self, shell: Shell) -> None:
        assert '{"text":"fine"}' in jobs(shell, "show", "job_1", "--text").out
        whole = jobs(shell, "show", "job_1", "--json").json
        assert whole["result"]["body"] == {"text": "fine"} and [step["number"] for step in whole["trace"]] == [
            1,
            2,
            3,
            4,
            5,
        ]

    def test_one_that_died_says_why(self, shell: Shell) -> None:
        assert re.search(r"^error +connect: the engine is gone$", jobs(shell, "show", "job_2").out, re.MULTILINE)
        chinese = jobs(shell, "show", "job_2", "--language", "zh").out
        assert re.search(r"^错误 +connect：引擎不见了$", chinese, re.MULTILINE) and not SENTENCE.search(chinese)

    def test_a_batch(self, shell: Shell) -> None:
        assert re.search(r"^requests +3: 0 over, 3 left$", jobs(shell, "show", "batch_3").out, re.MULTILINE)
        assert jobs(shell, "show", "batch_3", "--json").json["batch"]["request_counts"]["total"] == 3

    @pytest.mark.parametrize(
        ("name", "part"),
        [("job_9", 'there is no job "job_9": `'), ("req_1", "pointsman trace req_1 --data-dir ")],
    )
    def test_none(self, shell: Shell, name: str, part: str) -> None:
        done = jobs(shell, "show", name)
        assert (done.code, done.out) == (1, "") and part in done.err


@pytest.mark.usefixtures("data")
class TestDeadAndRetry:
    def test_why_they_died(self, shell: Shell) -> None:
        lines = jobs(shell, "dead").out.splitlines()
        assert lines[0].startswith("job_2  request, in execution, ") and lines[1] == "    connect: the engine is gone"
        assert "jobs retry" in lines[2]
        [one] = jobs(shell, "dead", "--json").lines
        assert one["error"] == {"code": "connect", "message": "the engine is gone"}

    def test_begun_anew_by_name(self, shell: Shell, data: Path) -> None:
        done = jobs(shell, "retry", "job_2", "job_1", "job_9")
        assert done.code == 1 and done.out == "job_2: goes on from execution\n"
        assert "job_1 is not dead (completed, ok)" in done.err and 'there is no job "job_9"' in done.err
        job = job_in(data, "job_2")
        assert job is not None and job.generation == 2 and not job.over and job.failures == 0
        assert jobs(shell, "dead").out == "no job is dead\n"

    def test_all_of_them_but_parts_of_what_is_over(self, shell: Shell, data: Path) -> None:
        async def more(store: JobStore) -> None:
            await kept(store, "job_6.1", parent="batch_6")  # whose batch is gone
            await dead(store, "job_6.1")
            await dead(store, "job_3.2")

        on(data, more)
        done = jobs(shell, "retry", "--all-dead")
        assert done.code == 0 and "1 are parts of batches that are over" in done.err
        assert sorted(line.split(":")[0] for line in done.out.splitlines()) == ["job_2", "job_3.2"]
        assert jobs(shell, "retry", "--all-dead").out == "there is no job to begin anew\n"

    def test_usage(self, shell: Shell) -> None:
        assert jobs(shell, "retry").code == 2
        assert jobs(shell, "retry", "job_2", "--all-dead").code == 2


@pytest.mark.usefixtures("data")
class TestCancel:
    def test_who_waits_is_over_at_once(self, shell: Shell, data: Path) -> None:
        done = jobs(shell, "cancel", "job_5", "job_1", "job_9")
        assert done.code == 1 and done.out == "job_5: called off\n"
        assert "job_1 is over already (completed, ok)" in done.err and 'there is no job "job_9"' in done.err
        job = job_in(data, "job_5")
        assert job is not None and job.place.outcome == "cancelled"

    def test_a_batch_is_told(self, shell: Shell, data: Path) -> None:
        done = jobs(shell, "cancel", "batch_3")
        assert done.code == 0 and done.out.startswith("batch_3: is being called off; what was done is delivered")
        job = job_in(data, "batch_3")
        assert job is not None and not job.over and job.place.disposition == "active"

    def test_whoever_waits_for_its_end_is_told(self, shell: Shell, data: Path) -> None:
        on(data, lambda store: kept(store, "job_7", webhook="https://x.example/hook"))
        assert jobs(shell, "cancel", "job_7", "--json").json == {
            "id": "job_7",
            "state": "completed",
            "disposition": "cancelled",
        }
        assert "webhook_7" in ids(jobs(shell, "ls", "--json", "--kind", "webhook"))


@pytest.mark.usefixtures("data")
class TestWatch:
    def test_what_is_over(self, shell: Shell) -> None:
        done = jobs(shell, "watch", "job_1")
        assert done.code == 0 and "completed (ok)" in done.out and "--text" in done.out
        assert jobs(shell, "watch", "job_2").code == 1
        assert "引擎不见了" in jobs(shell, "watch", "job_2", "--language", "zh").out

    def test_none(self, shell: Shell) -> None:
        assert jobs(shell, "watch", "job_9").code == 1

    def watching(self, data: Path, name: str, out: int) -> subprocess.Popen[bytes]:
        env = {**os.environ, "TERM": "xterm", "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "pointsman", "jobs", "watch", name, "--data-dir", str(data)]
        return subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=env)

    def test_a_batch_is_followed_line_by_line(self, data: Path) -> None:
        watching = self.watching(data, "batch_3", subprocess.PIPE)
        assert watching.stdout
        seen = watching.stdout.readline().decode()
        assert re.search(r"in progress  0/3 \(0 %\)", seen)
        for number in (1, 2, 3):
            on(data, lambda store, name=f"job_3.{number}": done(store, name))
            seen = watching.stdout.readline().decode()
            assert f"{number}/3" in seen, seen
        on(data, lambda store: moved(store, "batch_3", "ended:ok"))
        rest = watching.stdout.read().decode()
        assert watching.wait(60) == 0 and "completed  3/3" in rest
        watching.stdout.close()

    def test_ctrl_c_says_how_to_come_back_and_changes_nothing(self, data: Path) -> None:
        ours, theirs = pty.openpty()
        watching = self.watching(data, "batch_3", theirs)
        os.close(theirs)
        seen = b""
        while b"0/3" not in seen:
            seen += os.read(ours, 4096)
        assert "░░░" in seen.decode() and b"\r\033[K" in seen
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 130
        seen = b""
        deadline = time.monotonic() + 60
        while b"jobs watch batch_3" not in seen and time.monotonic() < deadline:
            seen += os.read(ours, 4096)
        os.close(ours)
        job = job_in(data, "batch_3")
        assert job is not None and not job.over


@pytest.mark.usefixtures("data")
class TestHints:
    """What is to be called next finds the same jobs."""

    @pytest.mark.parametrize(
        ("arguments", "next_call"),
        [
            (("watch", "job_1"), "jobs show job_1 --text"),
            (("watch", "job_2"), "jobs retry job_2"),
            (("dead",), "jobs retry"),
            (("retry",), "jobs dead"),
            (("retry", "job_1"), "jobs dead"),
            (("cancel", "batch_3"), "jobs watch batch_3"),
            (("show", "job_9"), "jobs ls"),
            (("show", "req_9"), "trace req_9"),
        ],
    )
    @pytest.mark.parametrize("tongue", ["en", "zh"])
    def test_the_flags_that_were_given(
        self, shell: Shell, arguments: tuple[str, ...], next_call: str, tongue: str
    ) -> None:
        shell.write("my config.yaml", "server: {watch: false}\n")
        where = ("-c", "my config.yaml", "--store", "sqlite:///jobs.sqlite", "--data-dir", str(shell.folder / "data"))
        done = shell.run("jobs", *arguments, *where, "--language", tongue)
        assert f" {next_call} {shlex.join(where)}" in done.out + done.err
        assert "--store" not in "".join(jobs(shell, *arguments)[1:])

    def test_a_password_is_not_repeated(self) -> None:
        options = argparse.Namespace(store="redis://me:s3c@ret@h:1/0", data_dir=None)
        assert again(options, "jobs ls").endswith(" jobs ls --store 'redis://me:***@h:1/0'")


class TestLanguages:
    """In Chinese all that is said is Chinese, apart from names that programs use."""

    @pytest.mark.usefixtures("data")
    @pytest.mark.parametrize(
        "arguments",
        [
            ("ls",),
            ("dead",),
            ("show", "batch_3"),
            ("show", "job_1"),
            ("show", "job_9"),
            ("show", "req_9"),
            ("retry", "job_1", "job_2", "job_9"),
            ("retry",),
            ("cancel", "job_5", "job_1", "batch_3"),
            ("watch", "job_2"),
            ("ls", "--store", "mysql://x"),
            ("ls", "--limit", "0"),
        ],
    )
    def test_in_chinese(self, shell: Shell, arguments: tuple[str, ...]) -> None:
        done = jobs(shell, *arguments, "--language", "zh")
        text = re.sub(r"pointsman jobs \w+", "", done.out + done.err)
        assert IDEOGRAPH.search(text) and not SENTENCE.search(text), text
        english = jobs(shell, *arguments, "--language", "en")
        assert not IDEOGRAPH.search(english.out + english.err)

    @pytest.mark.parametrize("verb", ["ls", "show", "dead", "retry", "cancel", "watch", "batch"])
    def test_every_flag_is_explained(self, shell: Shell, verb: str) -> None:
        done = shell.run("jobs", verb, "--help")
        assert done.code == 0 and "--language {zh,en}" in done.out
        for flag in re.findall(r"^  (--?\S[^\n]*)\n(?!      )", done.out, re.MULTILINE):
            assert "  " in flag, f"{verb} {flag} has no help"

    def test_help(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("LC_ALL", "LC_MESSAGES"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("LANG", "zh_CN.UTF-8")
        assert "重新开始已被放弃的任务" in shell.run("jobs", "--help").out
        assert "参数 --phase：没有 'x' 这个取值" in shell.run("jobs", "ls", "--phase", "x").err
