"""Which start of the machine this is: its monotonic clock means nothing after the next one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import psutil

_LINUX = Path("/proc/sys/kernel/random/boot_id")
_MACOS = ("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")
_BLUR = 60.0  # seconds by which a system that only knows when it was started may be off


def boot_id() -> str:
    """The same in all processes until the machine is started again. Where the system has no name for it, it is the minute
    of the start: seen as another one by mistake, it costs a lease that ends early."""
    with contextlib.suppress(OSError):
        return _LINUX.read_text(encoding="ascii").strip()
    if sys.platform == "darwin":
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            return subprocess.run(_MACOS, capture_output=True, text=True, check=True, timeout=5).stdout.strip()  # noqa: S603
    return f"{round(psutil.boot_time() / _BLUR)}"
