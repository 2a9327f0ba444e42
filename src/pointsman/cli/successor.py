"""A gateway starts the one that is to take its place: the same command, read from the disk again."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Sequence

from pointsman.app.handover.taking import PLACE
from pointsman.cli.systemd import for_successor
from pointsman.config.others_words import why
from pointsman.domain.said import Said

log = logging.getLogger("pointsman")

_LOOKING = 0.2  # seconds between two looks whether it has ended


def command_again(given: Sequence[str]) -> list[str]:
    """The command line of a process that takes the place of one with that command line."""
    again = [sys.executable, *given[1:]]
    return again if PLACE in again else [*again, PLACE]


async def start_successor() -> None:
    """Starts it, and returns when it has ended or this task is cancelled; it lives on then. It asks for this process's place
    by itself, and where it cannot take it, this one serves on, and the log says so."""
    log.info(_STARTED)
    try:
        process = subprocess.Popen(command_again(sys.orig_argv), env=for_successor(os.environ))  # noqa: ASYNC220, S603
    except OSError as error:
        log.error(_NOT_STARTED, why(error))
        return
    while process.poll() is None:  # noqa: ASYNC110
        await asyncio.sleep(_LOOKING)
    log.error(_ENDED, process.pid, process.returncode)


_STARTED = Said("starting the process that is to take this one's place", "正在启动接替本进程的新进程")
_NOT_STARTED = Said("it cannot be started: %s; this one serves on", "无法启动新进程：%s；本进程继续服务")
_ENDED = Said(
    "process %s, which was started to take this one's place, ended with exit status %s; this one serves on",
    "为接替本进程而启动的进程 %s 已结束，退出状态 %s；本进程继续服务",
)
