"""llama.cpp's router mode: `llama-server` without a model, which runs each of its models in a process of its own.

Read in llama.cpp's `tools/server/server-models.cpp` and its README (b11000, autumn 2026). `GET /models` tells of each model
`status.value`: unloaded, loading, loaded, sleeping, downloading; after a failed load unloaded with `failed` and `exit_code`,
which older versions also say after an unload that was asked for (llama.cpp issue 23257): they count only once we have
loaded. `POST /models/load` and `/models/unload` answer at once; loading what runs already and unloading what does not
are 400."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import msgspec

from pointsman.domain.said import Said, said
from pointsman.fleet.drivers.asked import NOT_LOADED, NOT_UNLOADED, Asked
from pointsman.fleet.drivers.finished import finished
from pointsman.fleet.load_faults import fault_of
from pointsman.ports.backend import Backend
from pointsman.ports.model_driver import LoadFailure

_EVERY = 0.2
_LISTED = 8
_RUNS = ("loading", "loaded", "sleeping", "downloading")


class _Status(msgspec.Struct):
    value: str
    failed: bool = False
    exit_code: int | None = None


class _Model(msgspec.Struct):
    id: str
    status: _Status | None = None
    aliases: list[str] = []


class _Models(msgspec.Struct):
    data: list[_Model]


class RouterDriver:
    """A ModelDriver. `deadline` and `gone` are seconds for loading, and until the router calls it unloaded. The router
    ends a model's process by itself ten seconds after it was asked to (`stop-timeout`), so `gone` is longer."""

    ended: Said | None = None
    """It does not say."""

    def __init__(self, backend: Backend, *, deadline: float = 120.0, gone: float = 30.0) -> None:
        self._asked = Asked(backend)
        self._deadline, self._gone = deadline, gone

    async def load(self, tell: Callable[[Said], None]) -> None:
        status = await self._status()
        if status.value == "loaded":
            return
        if status.value == "sleeping":  # its process is there, and its weights are not
            await self.unload()
        try:
            if status.value not in ("loading", "downloading"):
                await self._order("load")
            await self._loaded(tell)
        except BaseException:
            await finished(self._forget())
            raise

    async def unload(self) -> None:
        await finished(self._unload())

    async def resident(self) -> bool:
        return (await self._status()).value == "loaded"

    async def _loaded(self, tell: Callable[[Said], None]) -> None:
        asked = self._asked
        over = time.monotonic() + self._deadline
        told = ""
        while (status := await self._status()).value != "loaded":
            if status.value not in _RUNS:
                raise self._failed(status)
            if time.monotonic() >= over:
                raise LoadFailure(
                    "timeout",
                    said(
                        "{model} was not loaded after {s:g} s: the router says {value}",
                        "{model} 在 {s:g} 秒后仍未加载：路由进程报告 {value}",
                        model=asked.model,
                        s=self._deadline,
                        value=status.value,
                    ),
                )
            if status.value != told:
                told = status.value
                tell(
                    said(
                        "llama.cpp: {model} is {value}",
                        "llama.cpp：{model} 状态为 {value}",
                        model=asked.model,
                        value=told,
                    )
                )
            await asyncio.sleep(_EVERY)

    def _failed(self, status: _Status) -> LoadFailure:
        fault = fault_of(status.exit_code, ())
        text = said(
            "{model} did not load: its process ended with exit status {code}{memory}; the router's log says why",
            "{model} 没有加载成功：它的进程以状态 {code} 结束{memory}；原因见路由进程的日志",
            model=self._asked.model,
            code=status.exit_code,
            memory=said(", as when memory runs out", "（内存耗尽时就是这样）") if fault else "",
        )
        return LoadFailure("memory" if fault else "exited", text)

    async def _unload(self) -> None:
        if (await self._status()).value not in _RUNS:
            return
        await self._order("unload")
        over = time.monotonic() + self._gone
        while (status := await self._status()).value in _RUNS:
            if time.monotonic() >= over:
                still = said("the router still says {value}", "路由进程仍报告 {value}", value=status.value)
                raise self._asked.unconfirmed(self._gone, still)
            await asyncio.sleep(_EVERY)

    async def _forget(self) -> None:
        """What was begun is not wanted any more."""
        try:
            await self._unload()
        except LoadFailure:
            return  # whoever asks next hears it

    async def _order(self, what: str) -> None:
        answer = await self._asked.ask("POST", f"/models/{what}", {"model": await self._id()})
        if answer.status == 400 and ("already running" in answer.error or "not running" in answer.error):
            return  # it is as we want it, or will be told next
        if answer.status != 200:
            raise self._asked.refusal(NOT_LOADED if what == "load" else NOT_UNLOADED, answer)

    async def _id(self) -> str:
        return (await self._entry()).id

    async def _status(self) -> _Status:
        status = (await self._entry()).status
        if status is None:
            raise LoadFailure("refused", self._no_router())
        return status

    async def _entry(self) -> _Model:
        answer = await self._asked.ask("GET", "/models")
        if answer.status in (401, 403):
            raise self._asked.refusal(Said("could not be looked up", "无法查询"), answer)
        listed = answer.read(_Models)
        if listed is None:
            raise LoadFailure("refused", self._no_router())
        name = self._asked.model
        found = next((each for each in listed.data if name == each.id or name in each.aliases), None)
        if found is None and len(listed.data) == 1 and listed.data[0].status is None:
            raise LoadFailure("refused", self._no_router())
        if found is None:
            names = [each.id for each in listed.data]
            raise LoadFailure(
                "missing",
                said(
                    'the router has no model "{model}" (it has: {names})',
                    "路由进程没有模型“{model}”（它有：{names}）",
                    model=name,
                    names=", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "") or Said("none", "无"),
                ),
            )
        return found

    def _no_router(self) -> Said:
        return said(
            "the server of {model} is no llama.cpp in router mode: start llama-server without a model (--models-dir, "
            "--models-preset), or let the gateway start it (command)",
            "{model} 的服务不是 llama.cpp 的路由模式：启动 llama-server 时不要指定模型（--models-dir、--models-preset），"
            "或者让网关来启动它（command）",
            model=self._asked.model,
        )
