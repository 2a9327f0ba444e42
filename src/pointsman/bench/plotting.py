"""Pictures of results, drawn by matplotlib in the virtual environment of the peers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pointsman.bench.panels import Panel, panels_of
from pointsman.bench.results import Results
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_SCRIPT = Path(__file__).with_name("peers") / "draw.py"
ENDINGS = (".svg", ".png")


def plot(results: Results, file: Path, venv: Path) -> None:
    """Raises PointsmanError as `check_plot` does, or where it cannot be drawn."""
    draw(panels_of(results), file, venv)


def draw(panels: Sequence[Panel], file: Path, venv: Path) -> None:
    """Raises as `plot` does."""
    check_plot(file, venv)
    python = venv / "bin" / "python"
    done = subprocess.run([python, str(_SCRIPT), str(file)], input=json.dumps(panels), capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        why = done.stderr.strip().rpartition("\n")[2]
        raise PointsmanError(said("no plot: {why}", "没有画图：{why}", why=why))


def check_plot(file: Path, venv: Path) -> None:
    """Raises PointsmanError where the peers' environment is not there, or the file's name ends in nothing known."""
    if file.suffix not in ENDINGS:
        message = said(
            "a plot ends in {endings}, not {file}",
            "图的文件名以 {endings} 结尾，而不是 {file}",
            endings=" / ".join(ENDINGS),
            file=file.name,
        )
        raise PointsmanError(message)
    if not (venv / "bin" / "python").exists():
        raise PointsmanError(said("no plot: make bench installs matplotlib", "没有画图：make bench 会装好 matplotlib"))
