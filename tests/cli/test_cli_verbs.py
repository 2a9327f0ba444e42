"""The other verbs, the help of all, and the command as a process of its own."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.invoke import MODELS, Shell
from pointsman import __version__
from pointsman.config.load import load

FLAGS = {
    "serve": ["--config", "--host", "--port", "--data-dir", "--log-level"],
    "check": ["--config", "--json"],
    "explain": ["TEXT", "--config", "--json", "--model", "--task", "--role"],
    "decide": ["TEXT", "--json", "--model", "--task", "--url", "--key"],
    "log": [
        *("--config", "--data-dir", "--since", "--limit", "--text", "--json", "--id", "--stage", "--rule", "--target"),
        *("--outcome", "--caller", "--model", "--endpoint", "--language", "--task-type", "--error"),
    ],
    "replay": ["--since", "--against", "--max-moved", "--max-stolen", "--verify", "--text", "--markdown", "--json"],
    "report": ["weekly"],
    "trace": ["ID", "--json", "--url", "--key", "--store", "--data-dir", "--config"],
    "jobs": ["ls", "show", "dead", "retry", "cancel", "watch", "batch"],
    "actions": ["ls", "show", "run"],
    "node": ["--engine", "--base-url", "--advertise", "--name", "--model", "--slots", "--drain", "--store", "--config"],
    "worker": ["--concurrency", "--queues", "--store", "--data-dir", "--config", "--log-level"],
    "fit": ["MODEL", "--ctx", "--parallel", "--kv-type", "--gpu", "--plan", "--metrics", "--json"],
    "keys": ["new", "hash"],
    "version": ["--json"],
}


class TestHelp:
    def test_all_verbs(self, shell: Shell) -> None:
        done = shell.run("--help")
        assert done.code == 0
        for verb in FLAGS:
            assert re.search(rf"^ +{verb} +\S", done.out, re.MULTILINE)

    @pytest.mark.parametrize("verb", FLAGS)
    def test_each_verb_tells_its_flags(self, shell: Shell, verb: str) -> None:
        done = shell.run(verb, "--help")
        assert done.code == 0
        for flag in FLAGS[verb]:
            assert flag in done.out

    @pytest.mark.parametrize("verb", FLAGS)
    def test_every_flag_is_explained(self, shell: Shell, verb: str) -> None:
        done = shell.run(verb, "--help")
        for line in done.out.splitlines():
            flag = re.fullmatch(r"  (--?\S.*)", line)
            if flag and "  " not in flag.group(1):
                following = done.out.split(line + "\n", 1)[1].split("\n", 1)[0]
                assert following.startswith("      "), f"{verb} {line.strip()} has no help"

    def test_of_an_action_of_keys(self, shell: Shell) -> None:
        assert "--json" in shell.run("keys", "new", "--help").out
        assert "--json" in shell.run("keys", "hash", "--help").out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("check", "--nope"),
        ("check", "extra"),
        ("explain",),
        ("explain", "hi", "--task", "fax"),
        ("keys",),
        ("keys", "new"),
        ("keys", "burn"),
        ("serve", "--port", "x"),
        ("serve", "--log-level", "loud"),
        ("version", "x"),
        ("trace",),
        ("jobs",),
        ("jobs", "burn"),
        ("jobs", "show"),
        ("jobs", "ls", "extra"),
        ("worker", "--concurrency", "x"),
    ],
)
def test_usage(shell: Shell, arguments: tuple[str, ...]) -> None:
    done = shell.run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "usage: pointsman" in done.err


def test_an_unknown_task_lists_the_valid_ones(shell: Shell) -> None:
    assert "summarization" in shell.run("explain", "hi", "--task", "fax").err


class TestVersion:
    def test_plain_and_json(self, shell: Shell) -> None:
        assert shell.run("version").out == f"pointsman {__version__}\n"
        assert shell.run("version", "--json").json["version"] == __version__


class TestKeys:
    def test_a_new_one(self, shell: Shell) -> None:
        made = shell.run("keys", "new", "alice", "--json").json
        assert made["name"] == "alice"
        assert made["key"].startswith("pm-")
        assert len(made["key"]) > 40
        assert made["hash"] == "sha256:" + hashlib.sha256(made["key"].encode()).hexdigest()
        assert shell.run("keys", "new", "alice", "--json").json["key"] != made["key"]

    @pytest.mark.parametrize(
        "name", ["alice", "Dify prod", "O'Brien, Bob", "a: b", "off", "7", "张三", "#1", "{x}", "a\nb"]
    )
    def test_what_it_prints_goes_into_the_config_as_it_stands(self, shell: Shell, name: str) -> None:
        done = shell.run("keys", "new", name)
        assert done.code == 0
        snippet = done.out.split("in pointsman.yaml:\n", 1)[1]
        path = shell.write("pointsman.yaml", "server: {host: 0.0.0.0}\n" + _dedent(snippet))
        [key] = load(path, None, {}).config.auth.keys
        made = re.search(r"pm-\S+", done.out)
        assert made
        assert key.name == name
        assert key.hash == "sha256:" + hashlib.sha256(made.group().encode()).hexdigest()

    def test_the_hash_of_one_that_is_there(self, shell: Shell) -> None:
        expected = "sha256:" + hashlib.sha256(b"pm-abc").hexdigest()
        assert shell.run("keys", "hash", stdin="pm-abc\n").out == expected + "\n"
        assert shell.run("keys", "hash", stdin="pm-abc").out == expected + "\n"
        assert shell.run("keys", "hash", "--json", stdin=" pm-abc \r\n").json == {"hash": expected}

    @pytest.mark.parametrize("data", ["", "\n", "  \n"])
    def test_no_key_is_usage(self, shell: Shell, data: str) -> None:
        done = shell.run("keys", "hash", stdin=data)
        assert (done.code, done.out) == (2, "")
        assert "no key" in done.err


def _dedent(text: str) -> str:
    lines = text.splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] if line[:indent].isspace() else line for line in lines) + "\n"


class TestServeThatCannotStart:
    """A wrong flag, a taken port, a folder that cannot be used: a line that says so, and no traceback."""

    def refused(self, shell: Shell, *arguments: str) -> str:
        shell.write("pointsman.yaml", MODELS)
        done = shell.run("serve", "--port", "0", *arguments)
        assert done.code == 1
        assert "Traceback" not in done.err
        return done.err

    def test_a_public_address_without_a_key(self, shell: Shell) -> None:
        assert "auth.keys" in self.refused(shell, "--host", "0.0.0.0")

    def test_an_address_of_another_machine(self, shell: Shell) -> None:
        assert "127.0.0.1" in self.refused(shell, "--host", "127.0.0.1.example.invalid")

    def test_a_port_that_is_none(self, shell: Shell) -> None:
        assert "65535" in self.refused(shell, "--port", "70000")

    def test_a_file_where_the_data_folder_should_be(self, shell: Shell) -> None:
        shell.write("file", "x")
        assert "file" in self.refused(shell, "--data-dir", "file")

    def test_a_key_that_is_broken(self, shell: Shell) -> None:
        shell.write("data/log.key", b"short")
        assert "log.key" in self.refused(shell, "--data-dir", "data")

    def test_a_log_that_is_no_database(self, shell: Shell) -> None:
        shell.write("data/log.sqlite", b"garbage " * 100)
        assert "log.sqlite" in self.refused(shell, "--data-dir", "data")


class TestProcess:
    def run(self, folder: Path, *arguments: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("POINTSMAN_")}
        return subprocess.run(
            [sys.executable, "-m", "pointsman", *arguments],
            input=stdin,
            capture_output=True,
            cwd=folder,
            env={**clean, "XDG_DATA_HOME": str(folder), **env},
            timeout=60,
        )

    def test_version(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "version")
        assert (done.returncode, done.stdout, done.stderr) == (0, f"pointsman {__version__}\n".encode(), b"")

    def test_check_and_its_exit_codes(self, tmp_path: Path) -> None:
        (tmp_path / "pointsman.yaml").write_text(MODELS, encoding="utf-8")
        assert self.run(tmp_path, "check").returncode == 0
        done = self.run(tmp_path, "check", POINTSMAN_SERVER_PRT="1")
        assert done.returncode == 1
        assert b"POINTSMAN_SERVER_PORT" in done.stderr
        assert self.run(tmp_path, "chek").returncode == 2

    def test_texts_through_a_pipe(self, tmp_path: Path) -> None:
        (tmp_path / "pointsman.yaml").write_text(MODELS, encoding="utf-8")
        done = self.run(tmp_path, "explain", "-", stdin="你好\n\xff\n".encode("latin-1", "ignore") + "你好\n".encode())
        assert done.returncode == 1
        assert len(done.stdout.splitlines()) == 2
        assert done.stderr == b""

    def test_a_terminal_that_knows_no_chinese(self, tmp_path: Path) -> None:
        (tmp_path / "pointsman.yaml").write_text(MODELS, encoding="utf-8")
        done = self.run(tmp_path, "explain", "你好", PYTHONIOENCODING="ascii")
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr

    def test_bytes_that_are_no_utf8(self, tmp_path: Path) -> None:
        (tmp_path / "pointsman.yaml").write_text(MODELS, encoding="utf-8")
        command = [sys.executable, "-m", "pointsman", "explain", "--json", b"a\xffb"]
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=60)
        assert b"Traceback" not in done.stderr

    def test_a_reader_that_goes_away(self, tmp_path: Path) -> None:
        (tmp_path / "pointsman.yaml").write_text(MODELS, encoding="utf-8")
        (tmp_path / "in.txt").write_text("hello world\n" * 3000, encoding="utf-8")
        command = f"{sys.executable} -m pointsman explain - < in.txt | head -n 1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=tmp_path, timeout=60)
        assert done.stdout.count(b"\n") == 1
        assert b"Traceback" not in done.stderr
        assert b"Exception" not in done.stderr
