"""The doctor for the console: `pointsman doctor` in a process of its own, over the gateway's own config and data."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from pointsman.app.console_commands import done
from pointsman.app.setup import Setup
from pointsman.config.paths import data_dir
from pointsman.console.doctor.page import Examined, Found
from pointsman.console.shared_run import RunSeen, SharedRun
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

COMMAND = (sys.executable, "-m", "pointsman", "doctor", "--json")
LONGEST = 180.0  # seconds


class _Told(msgspec.Struct, frozen=True):
    """What the command prints."""

    checks: list[Found]


class ConsoleDoctor:
    """`folder` is where the console keeps what it found, for all processes of the gateway."""

    def __init__(self, setup: Callable[[], Setup], folder: Path, command: tuple[str, ...] = COMMAND) -> None:
        self._setup = setup
        self._command = command
        self._run = SharedRun(folder, "doctor", Examined)

    async def seen(self) -> RunSeen[Examined]:
        return await asyncio.to_thread(self._run.seen)

    def begin(self) -> None:
        self._run.begin(self._look)

    async def close(self) -> None:
        await self._run.close()

    async def _look(self) -> Examined:
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
        try:
            printed, _ = await done((*self._command, *given), LONGEST, environment=environment)
            told = msgspec.json.decode(printed, type=_Told)
        except TimeoutError:
            raise PointsmanError(
                Said("it took too long and was given up; try again", "用时过长，已放弃；请重试")
            ) from None
        except msgspec.MsgspecError:
            raise PointsmanError(
                Said(
                    "it broke off; `pointsman doctor` in a terminal says why",
                    "检查中断；在终端运行 `pointsman doctor` 可看到原因",
                )
            ) from None
        return Examined(time.time(), time.monotonic() - begun, told.checks)
