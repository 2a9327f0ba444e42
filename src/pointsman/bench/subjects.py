"""What stands in front of the upstream, in the order of each round, and whether it is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pointsman import __version__
from pointsman.bench import starts
from pointsman.bench.canned import CHAT
from pointsman.bench.starts import CANNED, Start
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

POINTSMAN = "pointsman"
OTHER = "pointsman-other"
NAMES = (POINTSMAN, "nginx", "vllm-router", "bare-asyncio", "bare-asgi", "aiohttp", "starlette-httpx", "litellm")
"""All that can be asked for. LiteLLM is left out unless it is."""
_VERSIONS = "import sys; from importlib.metadata import version; print(*(version(name) for name in sys.argv[1:]))"


@dataclass(frozen=True)
class Subject:
    """`start(port, upstream port, folder)` writes what it needs into the folder and says how to run it. `version` is None
    where it is not there; `missing` then says what to do. `l0` is the path that answers without the upstream, where it has
    one. `env` is added to the environment. `text_only`: it makes replies of its own, of which only the text is compared."""

    name: str
    version: str | None
    start: Callable[[int, int, Path], Start]
    missing: str = ""
    l0: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    text_only: bool = False


def pointsman(
    name: str = POINTSMAN,
    sections: Mapping[str, Any] | None = None,
    *,
    python: str = sys.executable,
    program: Sequence[str] = ("-m", "pointsman"),
    arguments: Sequence[str] = (),
    missing: str = "",
    l0: str | None = CHAT,
) -> Subject:
    """The gateway as shipped, but for whole `sections` of its config (None leaves one out) and further `arguments` of
    `serve`. With `missing` it is one that is not there."""

    def start(port: int, upstream: int, folder: Path) -> Start:
        return starts.pointsman([python, *program], sections or {}, arguments, port, upstream, folder)

    version = __version__ if python == sys.executable else versions_in(Path(python), "pointsman")
    return Subject(name, None if missing else version, start, missing, l0)


def all_subjects(venv: Path, other: Path | None = None) -> list[Subject]:
    """The peers in Python are those of the virtual environment `venv`, LiteLLM that of `.venv-litellm` beside it; `other` is
    the interpreter of another Pointsman."""
    litellm = venv.with_name(".venv-litellm")
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    apt = Said(
        "not installed; on Debian and Ubuntu: apt install nginx-light",
        "没有安装；在 Debian 和 Ubuntu 上执行：apt install nginx-light",
    )
    absent = Said("not installed: make bench installs it", "没有安装：make bench 会装好它")
    extra = Said("not installed: make .venv-litellm/.ready installs it", "没有安装：make .venv-litellm/.ready 会装好它")

    def peer(name: str, *packages: str, l0: str | None = None) -> Subject:
        return Subject(name, versions_in(venv / "bin" / "python", *packages), starts.peer(name, venv), absent, l0)

    return [
        pointsman(),
        *([pointsman(OTHER, python=str(other))] if other else []),
        Subject("nginx", _nginx_version(nginx), starts.nginx(nginx or ""), apt),
        Subject("vllm-router", versions_in(venv / "bin" / "python", "vllm-router"), starts.vllm_router(venv), absent),
        peer("bare-asyncio", "uvloop", "httptools", l0=CANNED),
        peer("bare-asgi", "uvicorn", "uvloop", "httptools", l0=CANNED),
        peer("aiohttp", "aiohttp", "uvloop"),
        peer("starlette-httpx", "starlette", "uvicorn", "httpx"),
        Subject(
            "litellm",
            versions_in(litellm / "bin" / "python", "litellm"),
            starts.litellm(litellm),
            extra,
            text_only=True,
        ),
    ]


def chosen(subjects: Sequence[Subject], names: Sequence[str]) -> list[Subject]:
    """Those named, in their own order. Raises PointsmanError that lists the valid names."""
    known = [subject.name for subject in subjects]
    for name in names:
        if name not in known:
            raise PointsmanError(
                said(
                    "there is no subject {name} (valid: {valid})",
                    "没有对象 {name}（合法取值：{valid}）",
                    name=name,
                    valid=", ".join(known),
                ),
            )
    return [subject for subject in subjects if subject.name in names]


def versions_in(python: Path, *packages: str) -> str | None:
    """Of those packages where that interpreter finds them, None where it or one of them is not there."""
    if not python.exists():
        return None
    done = subprocess.run([python, "-c", _VERSIONS, *packages], capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        return None
    found = done.stdout.split()
    if len(packages) < 2:
        return found[0] if found else ""
    return ", ".join(f"{name} {version}" for name, version in zip(packages, found, strict=True))


def _nginx_version(program: str | None) -> str | None:
    if program is None:
        return None
    return subprocess.run([program, "-v"], capture_output=True, text=True).stderr.strip().rpartition("/")[2]  # noqa: S603
