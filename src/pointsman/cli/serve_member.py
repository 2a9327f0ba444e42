"""`python -m pointsman.cli.serve_member LEVEL LANGUAGE HUB NUMBER SOCKET CROWD CHANNEL`: one of the processes of `serve
--workers`. Only that starts it."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys

from pointsman.app.workers.worker import Worker
from pointsman.cli.event_loop import KEEP_ALIVE, run_loop, stop_signals
from pointsman.cli.spoken_log import SpokenLog
from pointsman.cli.tongue import lenient_output
from pointsman.domain.said import Tongue
from pointsman.parent_death import die_with_parent

_MODULE = "pointsman.cli.serve_member"


def command(level: str, tongue: Tongue) -> list[str]:
    """What starts a worker of this process; Crew adds the rest."""
    # -P: a folder that happens to hold a json.py does not get into the worker
    return [sys.executable, "-P", "-m", _MODULE, level, tongue, str(os.getpid())]


def main(level: str, tongue: str, hub: str, *numbers: str) -> None:
    for handle in map(int, numbers[1:]):
        os.set_inheritable(handle, False)  # a report's process has nothing to do with them
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends them to all processes; the hub sees to them
        signal.signal(number, signal.SIG_IGN)
    die_with_parent(int(hub))
    lenient_output()
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(SpokenLog("zh" if tongue == "zh" else "en"))
    logging.basicConfig(level=level.upper(), handlers=[lines])
    run_loop(_serve(*map(int, numbers)))


async def _serve(number: int, listener: int, crowd: int, channel: int) -> None:
    with socket.socket(fileno=listener) as shared:
        worker = Worker(number, shared, crowd, keep_alive=KEEP_ALIVE, leave=lambda: os._exit(1))
        stop_signals(worker.stopping, signal.SIGTERM)
        await worker.connect(socket.socket(fileno=channel))
        await worker.stopping.wait()
        await worker.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
