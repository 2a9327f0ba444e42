"""A gateway of the demo's own: a child with the built-in demo config, on a free port, that ends with the demo."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from pointsman.child_process import stopped
from pointsman.domain.said import Said, Tongue

STARTING = 150.0  # seconds until it listens and its model is loaded
STOPPING = 15.0
_CHILD = (
    "import sys\n"
    "from pointsman.parent_death import die_with_parent\n"
    "die_with_parent(int(sys.argv[1]))\n"
    "from pointsman.cli import main\n"
    "sys.exit(main(sys.argv[2:]))\n"
)
_READY = re.compile(
    r"Pointsman \S+ (?:(?:is ready|listens) on|已就绪，地址|已启动，尚未就绪，地址) (http://[^\s:]+:[0-9]+)"
)


class NotStarted(Exception):
    """The message (`args[0]`) says why, with the last lines of the child."""


class OwnGateway:
    """Sees neither the caller's pointsman.yaml nor its POINTSMAN_* variables. Everything it writes is in `folder`."""

    def __init__(self, folder: Path, tongue: Tongue) -> None:
        self.base = ""
        self.data = folder / "data"
        self._output = folder / "gateway.log"
        env = {name: value for name, value in os.environ.items() if not name.startswith("POINTSMAN_")}
        command = [sys.executable, "-c", _CHILD, str(os.getpid())]
        command += ["serve", "--host", "127.0.0.1", "--port", "0", "--data-dir", str(self.data)]
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603
                command,
                cwd=folder,
                env={**env, "POINTSMAN_SERVER_LANGUAGE": tongue, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"},
                stdin=subprocess.PIPE,  # the child ends when this end of the pipe is closed
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self, seconds: float = STARTING) -> None:
        """Returns once it serves. Raises NotStarted."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            ended = self._process.poll()
            if found := _READY.search(self._said()):
                self.base = found[1]
                return
            if ended is not None:
                raise NotStarted(self._last_lines() or Said(f"exit code {ended}", f"退出码 {ended}"))
            time.sleep(0.05)
        raise NotStarted(self._last_lines() or Said(f"nothing after {seconds:g} s", f"{seconds:g} 秒内没有任何输出"))

    def stop(self) -> None:
        stopped(self._process, STOPPING)

    def _last_lines(self) -> str:
        return "\n".join(self._said().splitlines()[-5:])

    def _said(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace")
