"""How to call this very program from where it was started."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def command() -> str:
    """`pointsman` where that is on the PATH, else the way to the program, or `python -m pointsman`."""
    if shutil.which("pointsman"):
        return "pointsman"
    program = Path(sys.argv[0])
    return os.path.relpath(program) if program.name == "pointsman" else f"{sys.executable} -m pointsman"
