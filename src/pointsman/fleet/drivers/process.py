"""A model in a process of the gateway's own: the embedded llama.cpp, or a command."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from pointsman.domain.said import Said, said
from pointsman.fleet.card_memory import Level, came_back, card_level
from pointsman.fleet.drivers.finished import finished
from pointsman.fleet.memory_watch import ProcessGone, resident
from pointsman.fleet.process import ModelProcess
from pointsman.memory.sizes import MIB
from pointsman.ports.model_driver import LoadFailure

_TELL = 1.0


class ProcessDriver:
    """A ModelDriver. A process that dies stays down: who decides hears it from `resident`. `process` has its own deadline
    for loading. `check` is called in a thread before it is started, and raises NoRoom. `back` are the seconds that the
    card's memory may take to come back once the process is gone. Memory is known to be free when the process and all that it
    started have ended, and where there is a card, when that has as little in use as before the load, or less by what the
    load took. `measured` hears, in a thread, how many bytes it took: of the card, or of main memory where it took none
    there."""

    def __init__(
        self,
        process: ModelProcess,
        *,
        check: Callable[[], None] = lambda: None,
        measured: Callable[[int], None] = lambda size: None,
        level: Level = card_level,
        back: float = 10.0,
    ) -> None:
        self.process = process
        self._check = check
        self._measured = measured
        self._level = level
        self._back = back
        self._before: int | None = None
        self._on_card = 0

    @property
    def ended(self) -> Said | None:
        problem = self.process.problem
        return problem if isinstance(problem, Said) else None

    async def load(self, tell: Callable[[Said], None]) -> None:
        process = self.process
        if process.running and process.state == "up":
            return
        name = process.settings.name
        await process.stop()
        await asyncio.to_thread(self._check)
        self._before = await asyncio.to_thread(self._level)
        tell(said("{name}: its process starts", "{name}：进程正在启动", name=name))
        await process.start(restart=False)
        try:
            seconds = 0.0
            while await process.settled(_TELL) == "loading":
                seconds += _TELL
                tell(said("{name} has been loading for {s:.0f} s", "{name} 已加载 {s:.0f} 秒", name=name, s=seconds))
            if process.state != "up":
                problem = process.problem
                dead = said("the process of {name} ended", "{name} 的进程已结束", name=name)
                raise LoadFailure(process.fault or "exited", problem if isinstance(problem, Said) else dead)
            await asyncio.to_thread(self._measure)
        except BaseException:
            await finished(process.stop())
            raise

    async def unload(self) -> None:
        await finished(self._unload())

    async def resident(self) -> bool:
        return self.process.state == "up"

    async def _unload(self) -> None:
        process = self.process
        name = process.settings.name
        used = await asyncio.to_thread(self._level)
        await process.stop()
        if left := await asyncio.to_thread(process.remains):
            raise LoadFailure(
                "unconfirmed",
                said(
                    "{name} was ended, and processes of it still run: {pids}. The system cannot end them; look at what they "
                    "wait for, or restart the machine",
                    "{name} 已被要求结束，但它的进程仍在运行：{pids}。系统无法结束它们；请查看它们在等什么，或重启机器",
                    name=name,
                    pids=", ".join(f"pid {pid}" for pid in left),
                ),
            )
        if used is None or self._before is None:
            return
        over = await came_back(self._level, max(self._before, used - self._on_card), self._back)
        if over is not None:
            raise LoadFailure(
                "unconfirmed",
                said(
                    "{name} was ended, and its memory on the card did not come back within {s:g} s: {over:,} "
                    "MiB are in use, "
                    "{before:,} MiB were before it was loaded. See who has them: nvidia-smi",
                    "{name} 已结束，但它的显存在 {s:g} 秒内没有释放：仍占用 {over:,} MiB，加载前是 {before:,} MiB。"
                    "请用 nvidia-smi 查看被谁占用",
                    name=name,
                    s=self._back,
                    over=over // MIB,
                    before=self._before // MIB,
                ),
            )

    def _measure(self) -> None:
        after, pid = self._level(), self.process.pid
        self._on_card = max(0, after - self._before) if after is not None and self._before is not None else 0
        with contextlib.suppress(ProcessGone):
            if self._on_card or pid:
                self._measured(self._on_card or resident(pid or 0))
