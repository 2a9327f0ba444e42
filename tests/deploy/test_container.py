"""The container file: a linter takes it, and what it copies is enough to build what it installs."""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from deploy.words import DEPLOY, ROOT, options_of
from pointsman.config.load import load

FILE = DEPLOY / "container" / "Containerfile"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the wheel is tested without the repository")


def instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n", " ", FILE.read_text())
    lines = [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def copied() -> list[str]:
    found = [rest.split()[:-1] for word, rest in instructions() if word == "COPY" and not rest.startswith("--from")]
    return [name for names in found for name in names]


def test_what_it_copies_is_there_and_not_left_out() -> None:
    left_in = [
        line[1:] for line in FILE.with_name(FILE.name + ".dockerignore").read_text().splitlines() if line[0] == "!"
    ]
    for name in copied():
        assert (ROOT / name).exists(), name
        assert any(fnmatch.fnmatch(name, kept) or name.startswith(kept + "/") for kept in left_in), name


@pytest.mark.slow
def test_what_it_copies_is_enough_for_the_wheel(tmp_path: Path) -> None:
    for name in copied():
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    build = "import hatchling.build as b; print(b.build_wheel('dist'))"
    (tmp_path / "dist").mkdir()
    done = subprocess.run([sys.executable, "-c", build], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [wheel] = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "pointsman/cli/serve.py" in names and any(name.endswith("licenses/NOTICE") for name in names)


def test_it_runs_what_there_is_as_nobody_in_particular(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = dict(instructions())
    assert json.loads(found["ENTRYPOINT"]) == ["pointsman"]
    options_of(json.loads(found["CMD"]))
    assert found["USER"] == "10001:10001"
    variables = dict(re.findall(r"(POINTSMAN_\w+)=(\S+)", FILE.read_text()))
    assert variables.pop("POINTSMAN_CONFIG") == "/etc/pointsman/pointsman.yaml"
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "pointsman.yaml").write_text("auth: {keys: [{name: a, hash: sha256:" + "0" * 64 + "}]}\n")
    config = load(tmp_path / "pointsman.yaml", {}).draft
    assert (config.server.host, config.server.data_dir) == ("0.0.0.0", found["VOLUME"])
    assert str(config.server.port) == found["EXPOSE"] and f":{config.server.port}/health" in FILE.read_text()
