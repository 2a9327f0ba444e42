"""`pointsman models verify|pull|flags`: what they say, in both languages, and their exit codes."""

from __future__ import annotations

import hashlib
import json
import shlex

import pytest

from cli.invoke import Shell
from fleet.test_model_check import whole_gguf
from memory.networks import LLAMA_31_8B
from pointsman.cli import fit_asked

SMOL = "builtin:smollm2-135m"
MODEL = whole_gguf()
DIGEST = hashlib.sha256(MODEL).hexdigest()


@pytest.fixture(autouse=True)
def aside(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr(fit_asked, "largest_gpu", lambda: None)
    monkeypatch.setenv("POINTSMAN_SERVER_DATA_DIR", str(shell.folder / "data"))
    for name in ("HF_ENDPOINT", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_a_model_that_is_whole(shell: Shell) -> None:
    path = str(shell.write("m.gguf", MODEL))
    first, again = shell.run("models", "verify", path), shell.run("models", "verify", path, "--language", "zh")
    assert first.code == 0 and f"{DIGEST}  nothing to hold it against" in first.out and "2 tensors" in first.out
    assert again.out.startswith("完好") and "取自记录" in again.out
    found = shell.run("models", "verify", path, "--sha256", DIGEST, "--json").json
    assert found["ok"] and found["problem"] is None
    assert found["files"] == [{"path": path, "size": len(MODEL), "sha256": DIGEST, "expected": DIGEST, "kept": True}]
    quick = shell.run("models", "verify", path, "--quick", "--json").json
    assert quick["ok"] and quick["files"][0]["sha256"] is None


def test_models_that_are_not(shell: Shell) -> None:
    cut = str(shell.write("cut.gguf", MODEL[:-1]))
    picture = str(shell.write("picture.gguf", b"\x89PNG\r\n\x1a\n"))
    done = shell.run("models", "verify", cut, picture, str(shell.folder), "none.gguf", SMOL, "--quick", "--json")
    assert done.code == 1
    first, second, folder, none, smol = done.lines
    assert first["offset"] == len(MODEL) - 1 and "文件已损坏" in first["problem"]["zh"]
    assert "a PNG picture" in second["problem"]["en"] and "is a folder" in folder["problem"]["en"]
    assert "no file" in none["problem"]["en"] and smol["ok"]
    assert "bad  " in shell.run("models", "verify", cut).out


def test_a_hash_that_differs(shell: Shell) -> None:
    path = str(shell.write("m.gguf", MODEL))
    shell.write("m.gguf.sha256", f"{'0' * 64}  m.gguf\n")
    done = shell.run("models", "verify", path, "--json")
    assert done.code == 1 and "should have 0000" in done.json["problem"]["en"]
    assert shell.run("models", "verify", path, "--sha256", DIGEST).code == 0  # who says it now counts
    assert shell.run("models", "verify", path, "--sha256", "12").code == 2
    assert shell.run("models", "verify", path, path, "--sha256", DIGEST).code == 2


def test_the_models_of_the_config_and_what_was_pulled(shell: Shell) -> None:
    shell.write("pointsman.yaml", f"models: {{light: {{backends: [{{engine: embedded, model: {SMOL}}}]}}}}\n")
    source = str(shell.write("from/m.gguf", MODEL))
    assert shell.run("models", "pull", source).code == 0
    first, second = shell.run("models", "verify", "--json").lines
    assert first["model"] == SMOL and second["model"] == str(shell.folder / "data" / "models" / "m.gguf")
    assert second["files"][0]["kept"] and second["files"][0]["expected"] == DIGEST
    assert (shell.folder / "data").stat().st_mode & 0o777 == 0o700


def test_the_hash_that_the_config_wants(shell: Shell) -> None:
    path = str(shell.write("m.gguf", MODEL))
    text = f"models: {{light: {{backends: [{{engine: embedded, model: {path}, sha256: 'sha256:%s'}}]}}}}\n"
    shell.write("pointsman.yaml", text % DIGEST)
    assert shell.run("models", "verify", "--json").json["files"][0]["expected"] == DIGEST
    shell.write("pointsman.yaml", text % ("0" * 64))
    assert "should have 0000" in shell.run("models", "verify").out


def test_nothing_to_verify(shell: Shell) -> None:
    shell.write("pointsman.yaml", "models: {light: {backends: [{engine: ollama, model: qwen}]}}\n")
    assert "none was pulled" in shell.run("models", "verify").out
    assert shell.run("models", "verify", "--json").lines == []


def test_pull_from_a_folder(shell: Shell) -> None:
    source = str(shell.write("from/m.gguf", MODEL))
    done = shell.run("models", "pull", source, "--to", "to")
    assert done.code == 0 and f"SHA-256 {DIGEST}" in done.out and "models flags to/m.gguf" in done.out
    again = shell.run("models", "pull", source, "--to", "to", "--language", "zh")
    assert again.code == 0 and "已经在了" in again.out
    found = shell.run("models", "pull", source, "--to", "other", "--sha256", DIGEST, "--json").json
    assert (found["sha256"], found["fetched"], found["resumed_at"]) == (DIGEST, len(MODEL), 0)


def test_pulls_that_cannot_be(shell: Shell) -> None:
    source = str(shell.write("from/m.gguf", MODEL))
    other = shell.run("models", "pull", source, "--sha256", "0" * 64)
    assert other.code == 1 and "should have 0000" in other.err and other.out.count("SHA-256") <= 1
    assert shell.run("models", "pull", source, "--sha256", "x").code == 2
    assert shell.run("models", "pull", "https://h/m-00001-of-00002.gguf", "--sha256", DIGEST).code == 2
    assert "names no file" in shell.run("models", "pull", "hf:org/repo").err
    assert "no model's file" in shell.run("models", "pull", str(shell.write("m.bin", MODEL))).err
    broken = shell.run("models", "pull", str(shell.write("broken.gguf", MODEL[:-1])), "--language", "zh")
    assert broken.code == 1 and "文件已损坏" in broken.err


def test_flags_of_llama(shell: Shell) -> None:
    done = shell.run("models", "flags", SMOL, "--gpu", "8GiB")
    assert done.code == 0 and done.out.startswith("llama-server -m ") and "-ngl all" in done.out
    found = shell.run("models", "flags", SMOL, "--gpu", "8GiB", "--parallel", "2", "--tokens", "4096", "--json").json
    words = shlex.split(found["command"])
    assert words[words.index("-c") + 1] == "8192" and words[words.index("-np") + 1] == "2"
    assert found["fits"] and all(flag["reason"]["en"] and flag["reason"]["zh"] for flag in found["flags"])
    assert "启动时一次分配" in shell.run("models", "flags", SMOL, "--language", "zh").out


def test_flags_of_vllm_and_ollama(shell: Shell) -> None:
    folder = str(shell.write("llama/config.json", json.dumps(LLAMA_31_8B)).parent)
    done = shell.run("models", "flags", folder, "--gpu", "24GiB")
    assert done.code == 0 and f"vllm serve {folder} --max-model-len " in done.out
    assert "--enable-prefix-caching" in done.out and "bfloat16" in done.out
    small = shell.run("models", "flags", folder, "--gpu", "12GiB")
    assert small.code == 1 and "It does not fit" in small.out
    ollama = shell.run("models", "flags", SMOL, "--engine", "ollama", "--gpu", "8GiB").out
    assert ollama.startswith("OLLAMA_CONTEXT_LENGTH=") and " ollama serve" in ollama


def test_flags_that_cannot_be(shell: Shell) -> None:
    folder = str(shell.write("llama/config.json", json.dumps(LLAMA_31_8B)).parent)
    for asked in (
        (SMOL, "--tokens", "9000"),
        (SMOL, "--parallel", "0"),
        (SMOL, "--kv-type", "q9"),
        (SMOL, "--gpu", "much"),
        (SMOL, "--engine", "ollama", "--kv-type", "q5_1"),
        (folder,),
        (folder, "--engine", "llamacpp", "--gpu", "80GiB"),
    ):
        done = shell.run("models", "flags", *asked)
        assert done.code == 2 and done.err.startswith("pointsman models flags: "), asked
    assert shell.run("models", "flags", "none.gguf").code == 1
