"""The command of a backend in a config: what it may be, and what is said where it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.app.instances import same_model_twice
from pointsman.app.started import started_with
from pointsman.app.targets import not_installed, started_here, targets_of, unworkable
from pointsman.config.load import load
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem, Problems
from pointsman.fleet.command_settings import CommandSettings

DIGEST = "sha256:" + "0" * 64


def loaded(folder: Path, *backends: dict[str, Any]) -> Config:
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump({"models": {"light": {"backends": list(backends)}}}))
    return load(path, {}).config


def mistakes(folder: Path, **backend: Any) -> dict[str, Problem]:
    """By the place in the backend."""
    try:
        config = loaded(folder, {"model": "m", **backend})
    except Problems as error:
        found = error.problems
    else:
        found = unworkable(config)
    return {problem.path.removeprefix("models.light.backends[0]."): problem for problem in found}


def test_a_command_is_split_into_words_and_never_read_by_a_shell(tmp_path: Path) -> None:
    line = "vllm serve {model} --port {port} --served-model-name 'my model' $HOME"
    config = loaded(
        tmp_path, {"engine": "vllm", "model": "org/m", "command": line, "env": {"A": "b"}, "directory": "/"}
    )
    ((target, backend),) = started_here(config)
    assert target.name == "org/m@vllm"
    settings = started_with(backend, tmp_path)
    assert isinstance(settings, CommandSettings)
    assert settings.command[:3] == ("vllm", "serve", "{model}")
    assert settings.command[-2:] == ("my model", "$HOME")
    assert (settings.env, settings.directory, settings.hashes) == (
        {"A": "b"},
        "/",
        tmp_path / "models" / "hashes.json",
    )


def test_names_of_backends_that_commands_start(tmp_path: Path) -> None:
    one = {"engine": "vllm", "model": "m", "command": ["a", "{port}"]}
    config = loaded(tmp_path, one, one | {"command": ["b", "{port}"]}, one | {"base_url": "http://127.0.0.1:8000/v1"})
    names = [target.name for target, _ in targets_of(config)["light"]]
    assert names == ["m@vllm", "m@vllm-2", "m@127.0.0.1:8000"]


@pytest.mark.parametrize(
    ("backend", "place", "words"),
    [
        ({"engine": "vllm", "command": "vllm serve 'm --port {port}"}, "command", "cannot be split into words"),
        ({"engine": "vllm", "command": ""}, "command", "the command is empty"),
        ({"engine": "vllm", "command": []}, "command", "the command is empty"),
        ({"engine": "vllm", "command": "vllm serve m"}, "command", "nobody knows where the command will listen"),
        ({"engine": "vllm", "command": "v {porrt}"}, "command", "{porrt} stands for nothing, did you mean"),
        ({"engine": "llamacpp", "command": "l {port} -c {context}"}, "command", "context is not set"),
        ({"engine": "embedded", "model": "builtin:smollm2-135m", "command": "l {port}"}, "command", "needs none"),
        ({"engine": "vllm", "base_url": "http://h:1", "env": {"A": "b"}}, "env", "there is none"),
        ({"engine": "vllm", "base_url": "http://h:1", "directory": "/"}, "directory", "there is none"),
        ({"engine": "vllm", "base_url": "http://h:1", "sha256": DIGEST}, "sha256", "loads its own"),
        ({"engine": "vllm", "command": "v {port}", "sha256": "abc"}, "sha256", "sha256: and 64 hexadecimal digits"),
        ({"engine": "vllm", "command": "v {port}", "nodes": ["http://h:1"]}, "command", "nodes are started by others"),
        ({"engine": "vllm", "command": "v", "base_url": "https://h:1"}, "command", "http://host:port"),
    ],
)
def test_mistakes(tmp_path: Path, backend: dict[str, Any], place: str, words: str) -> None:
    found = mistakes(tmp_path, **backend)
    assert place in found, found
    assert words in str(found[place])
    assert found[place].said.zh != str(found[place])


def test_where_it_listens(tmp_path: Path) -> None:
    assert mistakes(tmp_path, engine="vllm", command="v --port 8000", port=8000) == {}
    assert mistakes(tmp_path, engine="vllm", command="docker run …", base_url="http://127.0.0.1:8000/v1") == {}
    assert mistakes(tmp_path, engine="ollama", command="ollama serve", env={"A": "b"}, port=11434) == {}


def test_a_program_that_is_not_there_is_noted(tmp_path: Path) -> None:
    """It may come later, so it is no mistake."""
    sound = {"engine": "vllm", "model": "m", "command": ["env", "{port}"]}
    config = loaded(
        tmp_path, sound, sound | {"command": "vlllm-serve --port {port}"}, sound | {"directory": "/nowhere"}
    )
    assert unworkable(config) == []
    found = {problem.path: str(problem) for problem in not_installed(config)}
    assert list(found) == ["models.light.backends[1].command", "models.light.backends[2].command"]
    assert 'there is no program "vlllm-serve" in PATH' in found["models.light.backends[1].command"]
    assert 'no folder "/nowhere"' in found["models.light.backends[2].command"]


def test_a_model_that_would_be_in_memory_twice_is_noted(tmp_path: Path) -> None:
    one = {"engine": "embedded", "model": "builtin:smollm2-135m", "context": 512}
    twice = loaded(tmp_path, one | {"name": "a"}, one | {"name": "b", "threads": 1})
    [note] = same_model_twice(twice)
    assert note.startswith("builtin:smollm2-135m@a, builtin:smollm2-135m@b load the same model with the same settings")
    assert "占 2 份" in note.zh
    assert list(same_model_twice(loaded(tmp_path, one, one | {"context": 1024}))) == []
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump({"models": {"light": {"backends": [one]}, "heavy": {"backends": [one]}}}))
    assert list(same_model_twice(load(path, {}).config)) == []  # one target, loaded once
