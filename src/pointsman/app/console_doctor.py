"""The doctor for the console: `pointsman doctor` in a process of its own, over the gateway's own config and data."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable

import msgspec

from pointsman.app.setup import Setup
from pointsman.child_process import killed, spawned
from pointsman.config.paths import data_dir
from pointsman.console.doctor.page import Examined, Found
from pointsman.domain.said import Said

log = logging.getLogger("pointsman")

COMMAND = (sys.executable, "-m", "pointsman", "doctor", "--json")
LONGEST = 180.0  # seconds


class _Told(msgspec.Struct, frozen=True):
    """What the command prints."""

    checks: list[Found]


class ConsoleDoctor:
    def __init__(self, setup: Callable[[], Setup], command: tuple[str, ...] = COMMAND) -> None:
        self._setup = setup
        self._command = command
        self._task: asyncio.Task[None] | None = None
        self.since: float | None = None
        self.found: Examined | None = None
        self.failed: Said | None = None

    def begin(self) -> None:
        if self._task is None:
            self.since = time.time()
            self._task = asyncio.create_task(self._look())
            self._task.add_done_callback(self._ended)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look(self) -> None:
        begun = time.monotonic()
        setup = self._setup()
        config = setup.config
        given = () if setup.file is None else ("--config", setup.file)
        # What the gateway was started with, over its file.
        environment = {
            **os.environ,
            "POINTSMAN_SERVER_DATA_DIR": str(data_dir(config)),
            "POINTSMAN_SERVER_HOST": config.server.host,
            "POINTSMAN_SERVER_PORT": str(config.server.port),
        }
        pipe = asyncio.subprocess.PIPE
        process = await spawned(
            *self._command,
            *given,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(LONGEST):
                printed, _ = await process.communicate()
            told = msgspec.json.decode(printed, type=_Told)
        except TimeoutError:
            self.failed = Said("it took too long and was given up; try again", "用时过长，已放弃；请重试")
        except msgspec.MsgspecError:
            self.failed = Said(
                "it broke off; `pointsman doctor` in a terminal says why",
                "检查中断；在终端运行 `pointsman doctor` 可看到原因",
            )
        else:
            self.found, self.failed = Examined(time.time(), time.monotonic() - begun, told.checks), None
        finally:
            await killed(process, session=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task, self.since = None, None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the console's doctor failed: %s", type(error).__name__)
            self.failed = Said("its process could not be started", "无法启动检查进程")
