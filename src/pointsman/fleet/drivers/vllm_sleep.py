"""vLLM's sleep mode: the server stays, its weights go to main memory and its KV cache is dropped (level 1).

Read in vLLM 0.33's `entrypoints/serve/dev/sleep/api_router.py` and `docs/features/sleep_mode.md`: `POST
/sleep?level=1`, `POST /wake_up`, `GET /is_sleeping` are there only with `VLLM_SERVER_DEV_MODE=1`, and do what they say
only with `--enable-sleep-mode`. Some versions answer before it is done, so `/is_sleeping` has the last word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import msgspec

from pointsman.domain.said import Said, said
from pointsman.fleet.drivers.asked import NOT_LOADED, NOT_UNLOADED, Asked
from pointsman.fleet.drivers.finished import finished
from pointsman.ports.backend import Backend
from pointsman.ports.model_driver import LoadFailure

_EVERY = 0.1


class _Sleeping(msgspec.Struct):
    is_sleeping: bool


class SleepDriver:
    """A ModelDriver. `deadline` are the seconds for waking, `gone` for falling asleep."""

    ended: Said | None = None
    """It does not say."""

    def __init__(self, backend: Backend, *, deadline: float = 120.0, gone: float = 60.0) -> None:
        self._asked = Asked(backend)
        self._deadline, self._gone = deadline, gone

    async def load(self, tell: Callable[[Said], None]) -> None:
        if await self.resident():
            return
        asked = self._asked
        tell(said("vLLM wakes {model}", "vLLM 正在唤醒 {model}", model=asked.model))
        try:
            answer = await asked.ask("POST", "/wake_up", {}, self._deadline)
            if answer.status != 200:
                raise asked.refusal(NOT_LOADED, answer)
            if not await self._becomes(awake=True, within=self._deadline):
                late = said(
                    "{model} did not wake within {s:g} s",
                    "{model} 在 {s:g} 秒内没有醒来",
                    model=asked.model,
                    s=self._deadline,
                )
                raise LoadFailure("timeout", late)
        except asyncio.CancelledError:
            await finished(self._forget())
            raise

    async def unload(self) -> None:
        await finished(self._unload())

    async def resident(self) -> bool:
        answer = await self._asked.ask("GET", "/is_sleeping")
        told = answer.read(_Sleeping)
        if told is None:
            if answer.status in (404, 405):
                raise LoadFailure("refused", self._no_sleep())
            raise self._asked.refusal(Said("could not be asked whether it sleeps", "无法查询是否休眠"), answer)
        return not told.is_sleeping

    async def _unload(self) -> None:
        if not await self.resident():
            return
        answer = await self._asked.ask("POST", "/sleep?level=1", {}, self._gone)
        if answer.status in (404, 405):
            raise LoadFailure("refused", self._no_sleep())
        if answer.status != 200:
            raise self._asked.refusal(NOT_UNLOADED, answer)
        if not await self._becomes(awake=False, within=self._gone):
            awake = Said(
                "/is_sleeping says no; is --enable-sleep-mode set?",
                "/is_sleeping 仍为否；启用 --enable-sleep-mode 了吗？",
            )
            raise self._asked.unconfirmed(self._gone, awake)

    async def _becomes(self, *, awake: bool, within: float) -> bool:
        over = time.monotonic() + within
        while await self.resident() is not awake:
            if time.monotonic() >= over:
                return False
            await asyncio.sleep(_EVERY)
        return True

    async def _forget(self) -> None:
        """What was begun is not wanted any more."""
        try:
            await self._unload()
        except LoadFailure:
            return  # whoever asks next hears it

    def _no_sleep(self) -> Said:
        return said(
            "the vLLM of {model} cannot be put to sleep: start it with VLLM_SERVER_DEV_MODE=1 and "
            "--enable-sleep-mode (these "
            "endpoints are for networks that you trust), or let the gateway start it (command)",
            "{model} 的 vLLM 不能休眠：启动时请设置 VLLM_SERVER_DEV_MODE=1 并加上 --enable-sleep-mode"
            "（这些接口只应暴露在可信的网络里），或者让网关来启动它（command）",
            model=self._asked.model,
        )
