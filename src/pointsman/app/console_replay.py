"""Replays for the console: `pointsman replay` in a process of its own, over the gateway's own config and log."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import yaml

from pointsman.app.setup import Setup
from pointsman.child_process import killed, spawned
from pointsman.config.paths import data_dir
from pointsman.config.policy_schema import SHIPPED, weights_of
from pointsman.console.replay.runs import Part, Replayed, ReplayWish
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

log = logging.getLogger("pointsman")

COMMAND = (sys.executable, "-m", "pointsman", "replay", "--json")
LONGEST = 1800.0  # seconds
_MOST = 50  # files that are offered
_TOLD = 2000  # characters of what the command says of a mistake


class _Told(msgspec.Struct, frozen=True):
    """What the command prints, as far as it is shown."""

    requests: int
    compared: int
    moved: int
    moved_share: float
    report: list[Part]


class ConsoleReplays:
    def __init__(self, setup: Callable[[], Setup], command: tuple[str, ...] = COMMAND) -> None:
        self._setup = setup
        self._command = command
        self._task: asyncio.Task[None] | None = None
        self.since: float | None = None
        self.found: Replayed | None = None
        self.failed: Said | None = None

    @property
    def weights(self) -> Mapping[str, tuple[float, float, float]]:
        given = self._setup().config.policy
        return {**SHIPPED, **{name: weights_of(name, each) for name, each in given.items()}}

    @property
    def scored(self) -> Sequence[str]:
        return [name for name, entry in self._setup().config.entries.items() if entry.policy is not None]

    def files(self) -> Sequence[str]:
        setup = self._setup()
        own = None if setup.file is None else Path(setup.file).name
        names = sorted(path.name for path in Path(setup.base).glob("*.y*ml") if path.is_file() and path.name != own)
        return names[:_MOST]

    def begin(self, wish: ReplayWish) -> None:
        if self._task is not None:
            raise PointsmanError(
                Said(
                    "a replay is under way already; stop it, or wait for its end", "已有重放在进行；请停止它或等它结束"
                ),
                status=409,
                code="replay_under_way",
            )
        if wish.file is not None and wish.file not in self.files():
            raise PointsmanError(
                said(
                    "there is no config {file} beside the one in force",
                    "当前配置旁边没有 {file}",
                    file=wish.file[:100],
                ),
                status=404,
                code="no_such_file",
            )
        self.since = time.time()
        self._task = asyncio.create_task(self._run(wish))
        self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, wish: ReplayWish) -> None:
        begun = time.monotonic()
        weights = await asyncio.to_thread(self._written, wish)
        try:
            printed, wrong = await self._asked(self._arguments(wish, weights))
        except TimeoutError:
            self.failed = Said(
                "it took too long and was given up; take a shorter span", "用时过长，已放弃；请缩短时间范围"
            )
            return
        finally:
            if weights is not None:
                weights.unlink(missing_ok=True)
        try:
            told = msgspec.json.decode(printed, type=_Told)
        except msgspec.MsgspecError:
            why = wrong.decode(errors="replace").strip()[:_TOLD]
            self.failed = said("it could not be done: {why}", "无法完成：{why}", why=why or "–")
            return
        took = time.monotonic() - begun
        self.failed = None
        self.found = Replayed(
            wish, time.time(), took, told.requests, told.compared, told.moved, told.moved_share, told.report
        )

    def _arguments(self, wish: ReplayWish, weights: Path | None) -> list[str]:
        setup = self._setup()
        own = [] if setup.file is None else ["--config", setup.file]
        other = [] if wish.file is None else ["--against", str(Path(setup.base) / wish.file)]
        changed = [] if weights is None else ["--against-weights", str(weights)]
        language = setup.config.server.language
        spoken = [] if language is None else ["--language", language]
        folder = str(data_dir(setup.config))
        return [*own, "--data-dir", folder, "--since", wish.span, *other, *changed, *spoken]

    async def _asked(self, arguments: Sequence[str]) -> tuple[bytes, bytes]:
        pipe = asyncio.subprocess.PIPE
        process = await spawned(
            *self._command,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(LONGEST):
                return await process.communicate()
        finally:
            await killed(process, session=True)

    def _written(self, wish: ReplayWish) -> Path | None:
        """A file with the weights, where there are any. A session's stay is as it is in force."""
        if not wish.weights:
            return None
        given = self._setup().config.policy
        weights = {
            name: {
                "quality": quality,
                "latency": latency,
                "cost": cost,
                **({"stay": given[name].stay} if name in given else {}),
            }
            for name, (quality, latency, cost) in wish.weights.items()
        }
        number, name = tempfile.mkstemp(prefix="weights.", suffix=".yaml", dir=data_dir(self._setup().config))
        with os.fdopen(number, "w", encoding="utf-8") as file:
            yaml.safe_dump(weights, file, allow_unicode=True, sort_keys=False)
        return Path(name)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task, self.since = None, None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the console's replay failed: %s", type(error).__name__)
            self.failed = Said("its process could not be started", "无法启动重放进程")
