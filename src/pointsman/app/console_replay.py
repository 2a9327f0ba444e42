"""Replays for the console: `pointsman replay` in a process of its own, over the gateway's own config and log."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import yaml

from pointsman.app.console_commands import done
from pointsman.app.setup import Setup
from pointsman.config.paths import data_dir
from pointsman.config.policy_schema import SHIPPED, weights_of
from pointsman.console.replay.runs import Part, Replayed, ReplayWish
from pointsman.console.shared_run import RunSeen, SharedRun
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

COMMAND = (sys.executable, "-m", "pointsman", "replay", "--json", "--progress", "--samples", "50")
LONGEST = 1800.0  # seconds
_MOST = 50  # files that are offered
_TOLD = 2000  # characters of what the command says of a mistake
_PROGRESS = re.compile(r"(\d{1,3}) %")


class _Told(msgspec.Struct, frozen=True):
    """What the command prints, as far as it is shown."""

    since: float
    until: float
    requests: int
    compared: int
    moved: int
    moved_share: float
    report: list[Part]


class ConsoleReplays:
    """`folder` is where the console keeps what it found, for all processes of the gateway."""

    def __init__(self, setup: Callable[[], Setup], folder: Path, command: tuple[str, ...] = COMMAND) -> None:
        self._setup = setup
        self._command = command
        self._run = SharedRun(folder, "replay", Replayed)

    @property
    def weights(self) -> Mapping[str, tuple[float, float, float]]:
        given = self._setup().config.policy
        return {**SHIPPED, **{name: weights_of(name, each) for name, each in given.items()}}

    @property
    def scored(self) -> Sequence[str]:
        return [name for name, entry in self._setup().config.entries.items() if entry.policy is not None]

    async def seen(self) -> RunSeen[Replayed]:
        return await asyncio.to_thread(self._run.seen)

    def files(self) -> Sequence[str]:
        setup = self._setup()
        own = None if setup.file is None else Path(setup.file).name
        names = sorted(path.name for path in Path(setup.base).glob("*.y*ml") if path.is_file() and path.name != own)
        return names[:_MOST]

    def begin(self, wish: ReplayWish) -> None:
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
        if not self._run.begin(lambda: self._replayed(wish)):
            raise PointsmanError(
                Said(
                    "a replay is under way already; stop it, or wait for its end", "已有重放在进行；请停止它或等它结束"
                ),
                status=409,
                code="replay_under_way",
            )

    async def stop(self) -> None:
        await self._run.stop()

    async def close(self) -> None:
        await self._run.close()

    async def _replayed(self, wish: ReplayWish) -> Replayed:
        """Raises PointsmanError."""
        begun = time.monotonic()
        writing = asyncio.ensure_future(asyncio.to_thread(self._written, wish))
        try:
            command = (*self._command, *self._arguments(wish, await asyncio.shield(writing)))
            printed, why = await done(command, LONGEST, hear=self._heard)
            told = msgspec.json.decode(printed, type=_Told)
        except TimeoutError:
            raise PointsmanError(
                Said("it took too long and was given up; take a shorter span", "用时过长，已放弃；请缩短时间范围")
            ) from None
        except msgspec.MsgspecError:
            raise PointsmanError(
                said("it could not be done: {why}", "无法完成：{why}", why=why[-_TOLD:] or "–")
            ) from None
        finally:
            if (weights := await writing) is not None:  # also where it was being written when somebody stopped it
                weights.unlink(missing_ok=True)
        took = time.monotonic() - begun
        return Replayed(
            wish=wish,
            at=time.time(),
            since=told.since,
            until=told.until,
            took=took,
            requests=told.requests,
            compared=told.compared,
            moved=told.moved,
            moved_share=told.moved_share,
            report=told.report,
        )

    def _heard(self, line: str) -> bool:
        found = _PROGRESS.fullmatch(line)
        if found is None:
            return False
        self._run.tell(int(found[1]) / 100)
        return True

    def _arguments(self, wish: ReplayWish, weights: Path | None) -> list[str]:
        setup = self._setup()
        own = [] if setup.file is None else ["--config", setup.file]
        other = [] if wish.file is None else ["--against", str(Path(setup.base) / wish.file)]
        changed = [] if weights is None else ["--against-weights", str(weights)]
        language = setup.config.server.language
        spoken = [] if language is None else ["--language", language]
        folder = str(data_dir(setup.config))
        return [*own, "--data-dir", folder, "--since", wish.span, *other, *changed, *spoken]

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
