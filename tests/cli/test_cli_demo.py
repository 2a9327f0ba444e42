"""`pointsman demo`: every step behaves against a real gateway, its own gateway ends with it, and what fails is said."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from cli.invoke import Shell
from fleet.fake_engines import cards, engine, raw
from pointsman.cli import demo_gateway
from pointsman.cli.demo_screen import Screen, cells, duration
from pointsman.cli.demo_steps import STEPS, too_long
from pointsman.cli.gateway_client import ChatReply, readiness
from running import Process, running
from twins.twin import Twin

REPLY = ChatReply(200, "hello", "l0", "r", "", "because", "req_1", 0.0014)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_all_steps_behave(shell: Shell, real_gateway: Process, language: str) -> None:
    done = shell.run("demo", "--url", real_gateway.base, "--language", language, "--save", "reports")
    assert (done.code, done.err) == (0, "")
    for step in STEPS:
        assert step.title[language] in done.out  # type: ignore[index]
    assert "8/11 (73 %)" in done.out
    assert "TTFT" in done.out
    assert "\033" not in done.out
    assert ("分段" if language == "zh" else "please split it") in done.out
    kept = {path.name: path.read_bytes()[:4] for path in (shell.folder / "reports").iterdir()}
    assert kept == {
        "pointsman-demo-4.pdf": b"%PDF",
        "pointsman-demo-5.xlsx": b"PK\x03\x04",
        "pointsman-demo-6.xlsx": b"PK\x03\x04",
    }
    assert all(cells(line) <= 100 for line in done.out.splitlines() if line.startswith("   "))


def test_json(shell: Shell, real_gateway: Process) -> None:
    done = shell.run("demo", "--url", real_gateway.base + "/", "--json")
    assert (done.code, done.err) == (0, "")
    result = done.json
    assert (result["ok"], result["problems"], result["l0"], result["requests"]) == (True, [], 8, 11)
    assert [step["stage"] for step in result["steps"]] == [
        *("l0", "l0", "model", "l0", "l0", "l0", "l0", "model", "l0", "l0", "model")
    ]
    assert sum(step.get("file_bytes", 0) > 10_000 for step in result["steps"]) == 3


async def test_a_gateway_that_behaves_otherwise(shell: Shell) -> None:
    async with Twin("vllm-0.33.0") as twin:
        backend = {"engine": "vllm", "base_url": twin.base_url, "model": "Qwen/Qwen2.5-7B-Instruct"}
        config: dict[str, Any] = {
            "models": {"medium": {"backends": [backend]}},
            "rules": {"packs": ["builtin:smalltalk"]},
        }
        async with running(config, shell.folder) as gateway:
            done = await asyncio.to_thread(shell.run, "demo", "--url", gateway.base)
    assert done.code == 1
    assert [line.split(":")[0] for line in done.err.splitlines()[:-1]] == ["step 4", "step 5", "step 6", "step 8"]
    assert "was to be taken by l0, and was by model" in done.err
    assert "--own" in done.err.splitlines()[-1]


class TestOwnGateway:
    def start(self, folder: Path, *arguments: str) -> subprocess.Popen[str]:
        env = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LANG")}
        (folder / "pointsman.yaml").write_text(
            "nonsense: [", encoding="utf-8"
        )  # the demo's gateway looks at no such file
        return subprocess.Popen(
            [sys.executable, "-m", "pointsman", "demo", "--own", "--language", "en", *arguments],
            cwd=folder,
            env={**env, "PYTHONUNBUFFERED": "1", "POINTSMAN_SERVER_PORT": "nonsense", "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def test_runs_and_leaves_nothing(self, tmp_path: Path) -> None:
        demo = self.start(tmp_path)
        said, _ = demo.communicate(timeout=110)
        assert demo.returncode == 0, said
        assert "ready at http://127.0.0.1:" in said
        assert "report_export" in said.split("Last lines of the request log")[1]
        assert [path.name for path in tmp_path.iterdir()] == ["pointsman.yaml"]

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
    def test_ends_with_the_demo(self, tmp_path: Path, number: signal.Signals) -> None:
        demo = self.start(tmp_path)
        assert demo.stdout
        for line in demo.stdout:
            if "ready at" in line:
                break
        children = psutil.Process(demo.pid).children(recursive=True)
        assert children
        demo.send_signal(number)
        rest = demo.stdout.read()
        demo.stdout.close()
        assert demo.wait(30) == (-signal.SIGKILL if number == signal.SIGKILL else 130)
        assert "Traceback" not in rest
        _, alive = psutil.wait_procs(children, timeout=20)
        assert not alive

    def test_that_does_not_start(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(demo_gateway, "_CHILD", "import sys; sys.exit('it is broken')")
        begun = time.monotonic()
        done = shell.run("demo", "--own")
        assert time.monotonic() - begun < 60
        assert done.code == 1
        assert "it is broken" in done.err
        assert "Traceback" not in done.err


class TestUrl:
    @pytest.mark.parametrize("url", ["", "x", "ftp://a", "http://", "http://a/b", "file:///etc/passwd"])
    def test_that_is_none(self, shell: Shell, url: str) -> None:
        done = shell.run("demo", f"--url={url}")
        assert (done.code, done.out) == (1, "")
        assert "http://127.0.0.1:8900" in done.err

    def test_of_something_else_is_not_taken_for_a_gateway(self) -> None:
        with engine(cards("vllm", "x")) as port:
            assert readiness(f"http://127.0.0.1:{port}") is None
        with engine({"/ready": (200, '{"ready": true}')}) as port:
            assert readiness(f"http://127.0.0.1:{port}") is None
        with raw(b"SSH-2.0-x\r\n") as port:
            assert readiness(f"http://127.0.0.1:{port}") is None
        with raw(None) as port:
            assert readiness(f"http://127.0.0.1:{port}", seconds=0.2) is None
        assert readiness("http://127.0.0.1:99999") is None

    def test_a_folder_that_cannot_be(self, shell: Shell) -> None:
        shell.write("file", "x")
        done = shell.run("demo", "--save", "file/x")
        assert (done.code, done.out) == (1, "")
        assert "file/x" in done.err


class TestScreen:
    def test_colours_only_on_a_terminal(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        Screen().reply(REPLY, "en")
        assert "\033" not in capsys.readouterr().out
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        Screen().reply(REPLY, "en")
        assert "\033[1;32mL0\033[0m" in capsys.readouterr().out
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            with monkeypatch.context() as patch:
                patch.setenv(name, value)
                Screen().reply(REPLY, "en")
            assert "\033" not in capsys.readouterr().out

    def test_what_a_model_says_cannot_steer_the_terminal(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = "\x1b[2Jcleared \x07 \u202e " + "长" * 500
        Screen().reply(ChatReply(200, text, "model", "", "m\x1b@b", "", "r", 1.0), "zh")
        said = capsys.readouterr().out
        assert "\x1b" not in said and "\x07" not in said and "\u202e" not in said
        assert all(cells(line) <= 110 for line in said.splitlines())

    def test_widths_and_times(self) -> None:
        assert [cells(text) for text in ("abc", "你好", "e\u0301", "，", "…")] == [3, 4, 1, 2, 1]
        assert [duration(s) for s in (0.00041, 0.0123, 0.9994, 3.14)] == ["0.4 ms", "12 ms", "999 ms", "3.1 s"]


@pytest.mark.parametrize("tongue", ["zh", "en"])
def test_a_text_that_is_too_long(tongue: Any) -> None:
    from pointsman.features.tokens import estimate_tokens

    for context in (512, 8192, 131_072):
        assert estimate_tokens(too_long(context, tongue)) > 1.1 * context
