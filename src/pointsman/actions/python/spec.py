"""What an installed function takes."""

from __future__ import annotations

import subprocess
import sys

import msgspec

from pointsman.actions.python.describe import Described
from pointsman.actions.specs import Surroundings, limited
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import Said, said

SECONDS = 20.0
"""For the import of its package."""


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Imports the function's package in a process of its own. Raises Problems."""
    given = config.python
    assert given is not None
    path = f"actions.{name}.python"
    told = _described(given.use, msgspec.json.encode(given.settings).decode())
    if isinstance(told, Said):
        raise Problems([Problem(f"{path}.use", told)])
    if told.missing:
        valid = ", ".join(told.valid) or Said("none is installed", "没有安装任何一个")
        en, zh = "no installed package offers {use!r}{hint}", "没有安装提供 {use!r} 的软件包{hint}"
        message = said(en, zh, use=given.use, hint=did_you_mean(given.use, list(told.valid)))
        raise Problems([Problem(f"{path}.use", message, valid=valid)])
    if told.error is not None:
        en, zh = "cannot be used: {why}", "无法使用：{why}"
        raise Problems([Problem(path, said(en, zh, why=told.error))])
    about = {"en": told.about, "zh": told.about} if told.about else {}
    # what a function of somebody's own does in the world is not known: it is done once
    spec = ActionSpec(
        name=name,
        kind="python",
        about=about,
        parameters=told.parameters,
        cpu_seconds=0.5,
        effect=True,
        repeatable="keyed",
    )
    return limited(spec, config)


def _described(use: str, settings: str) -> Described | Said:
    command = (sys.executable, "-m", "pointsman.actions.python.describe", use, settings)
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    except subprocess.TimeoutExpired:
        en, zh = "its package was not imported within {seconds:g} s", "{seconds:g} 秒内没有导入完它的软件包"
        return said(en, zh, seconds=SECONDS)
    try:
        return msgspec.json.decode(done.stdout, type=Described)
    except msgspec.DecodeError:
        en, zh = (
            "its package ended the process when it was imported (status {status})",
            "导入它的软件包时进程退出（状态 {status}）",
        )
        return said(en, zh, status=done.returncode)
