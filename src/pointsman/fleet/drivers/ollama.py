"""Ollama: a model is loaded and unloaded by its `keep_alive`, and `/api/ps` tells what is in memory.

Read in Ollama's API description and `server/routes.go` (0.32 to 0.40): a request without a prompt loads, and with
`keep_alive` 0 unloads; a request that names no `keep_alive` leaves the one that a model was loaded with. Models for
embeddings are loaded by `/api/embed` without input, because `/api/generate` refuses them."""

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


class _Running(msgspec.Struct):
    name: str
    size: int = 0
    size_vram: int = 0


class _Ps(msgspec.Struct):
    models: list[_Running] | None = None


class OllamaDriver:
    """A ModelDriver. `deadline` and `gone` are seconds for loading, and until `/api/ps` no longer lists it.
    `measured` hears, in a thread, how many bytes Ollama says that it takes: of the card, where any of it lies there."""

    ended: Said | None = None
    """It does not say."""

    def __init__(
        self,
        backend: Backend,
        *,
        measured: Callable[[int], None] = lambda size: None,
        deadline: float = 120.0,
        gone: float = 30.0,
    ) -> None:
        self._asked = Asked(backend)
        self._measured = measured
        self._embedding = backend.target.embedding
        self._deadline, self._gone = deadline, gone

    async def load(self, tell: Callable[[Said], None]) -> None:
        asked = self._asked
        tell(said("Ollama loads {model}", "Ollama 正在加载 {model}", model=asked.model))
        fields = {"model": asked.model, "keep_alive": -1, "stream": False}
        path = "/api/generate"
        if self._embedding:
            path, fields = "/api/embed", {"model": asked.model, "keep_alive": -1, "input": []}
        try:
            answer = await asked.ask("POST", path, fields, self._deadline)
        except BaseException:
            await finished(self._forget())
            raise
        if answer.status == 404:
            raise LoadFailure(
                "missing",
                said(
                    'Ollama has no model "{model}". Get it: ollama pull {model}',
                    "Ollama 没有模型“{model}”。获取方法：ollama pull {model}",
                    model=asked.model,
                ),
            )
        if answer.status != 200:
            raise asked.refusal(NOT_LOADED, answer)
        running = await self._running()
        if running is None:
            raise LoadFailure(
                "refused",
                said(
                    "Ollama said that it loaded {model}, and does not list it under /api/ps: another model may have pushed "
                    "it out (OLLAMA_MAX_LOADED_MODELS)",
                    "Ollama 报告已加载 {model}，但 /api/ps 没有列出它：可能被别的模型挤出了内存（OLLAMA_MAX_LOADED_MODELS）",
                    model=asked.model,
                ),
            )
        if size := running.size_vram or running.size:
            await asyncio.to_thread(self._measured, size)

    async def unload(self) -> None:
        await finished(self._unload())

    async def resident(self) -> bool:
        return await self._running() is not None

    async def _unload(self) -> None:
        answer = await self._asked.ask(
            "POST", "/api/generate", {"model": self._asked.model, "keep_alive": 0, "stream": False}
        )
        if answer.status not in (200, 404):
            raise self._asked.refusal(NOT_UNLOADED, answer)
        over = time.monotonic() + self._gone
        while await self._running() is not None:
            if time.monotonic() >= over:
                still = Said(
                    "/api/ps lists it still; a request may be holding it", "/api/ps 仍列出它；可能有请求占用着它"
                )
                raise self._asked.unconfirmed(self._gone, still)
            await asyncio.sleep(_EVERY)

    async def _forget(self) -> None:
        """What was begun is not wanted any more."""
        try:
            await self._unload()
        except LoadFailure:
            return  # whoever asks next hears it

    async def _running(self) -> _Running | None:
        listed = (await self._asked.ask("GET", "/api/ps")).read(_Ps)
        if listed is None:
            none = said(
                "what answers for {model} is not Ollama: it has no /api/ps",
                "为 {model} 应答的不是 Ollama：它没有 /api/ps",
                model=self._asked.model,
            )
            raise LoadFailure("refused", none)
        wanted = _full(self._asked.model)
        return next((each for each in listed.models or () if _full(each.name) == wanted), None)


def _full(name: str) -> str:
    """Ollama reads `llama3` as `llama3:latest`, and ignores case."""
    name = name.lower()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
