"""vLLM's own server (`vllm serve`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from pointsman.backends.cache_reset import Busy, not_found
from pointsman.backends.openai_compat import Link, OpenAICompat, Unfit
from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts

WHOLE_SINCE = (0, 7)
_DEVELOPING = Said("start vLLM with VLLM_SERVER_DEV_MODE=1", "启动 vLLM 时请设置 VLLM_SERVER_DEV_MODE=1")


class Counted(msgspec.Struct, frozen=True):
    count: int


class ResetAnswer(msgspec.Struct, frozen=True):
    success: bool = True


class Vllm(OpenAICompat):
    """Read in vLLM 0.33.0's source (`vllm/entrypoints/serve`): `/health` is 503 when the engine died and never while it
    loads, because the port opens after loading; `/v1/models` gives `max_model_len`, for LoRA adapters null (it is that
    of their `parent`); any other name is a 404. Keys guard `/v1` only: `/health`, `/version` and `/tokenize` answer
    anyone. Reasoning comes as `reasoning`. Idle connections are closed after 5 s (VLLM_HTTP_TIMEOUT_KEEP_ALIVE).

    Since its pull request 11190 (December 2024) a handler without a stream waits for the disconnect beside its work and is
    cancelled by it, so from 0.7 on a whole reply is asked for as one."""

    engine: ClassVar[str] = "vllm"
    label: ClassVar[str] = "vLLM"
    always_v1: ClassVar[bool] = True
    resets: ClassVar[bool] = True
    tells_load: ClassVar[bool] = True
    _whole = False

    @property
    def whole(self) -> bool:
        """As the version says that the last probe saw."""
        return self._whole

    async def _look(self, link: Link) -> tuple[ModelFacts, str | None]:
        health = await self._exchange(link.probe, "/health", None, self.settings.probe_timeout)
        if health.status == 503:
            raise Unfit(
                "down",
                said(
                    "{where} says that its engine died: its log says why, and it needs a restart",
                    "{where}报告引擎已崩溃：原因见它的日志，需要重新启动",
                    where=self._where(),
                ),
            )
        listed = {model.id: model for model in self._listed(await self._ask(link, f"{link.api}/models"))}
        model = listed.get(self.settings.model)
        if model is None:
            raise Unfit("down", self._not_listed(list(listed)))
        context = model.context or next((base.context for base in listed.values() if base.context), None)
        version = await self._version(link)
        self._whole = version is not None and _at_least(version, WHOLE_SINCE)
        return ModelFacts(context_length=context, engine_version=version), None

    async def _reset_cache(self) -> None:
        """`/reset_prefix_cache`, which is there in the mode for development alone. While a request is running vLLM says 409,
        or 200 with `success` false; older versions say 200 and nothing."""
        link = await self._reach()
        answer = await self._exchange(link.probe, "/reset_prefix_cache", {}, self.settings.probe_timeout)
        told = answer.read(ResetAnswer)
        if answer.status == 409 or (told is not None and not told.success):
            raise Busy
        if answer.status != 200:
            raise not_found(self._where(), answer.status, _DEVELOPING)

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        """By `/tokenize`: a chat with the generation prompt that the model will see, a text as `/v1/completions` would
        read it. None where vLLM declines (a message it cannot render, an unknown model). Raises BackendFailure."""
        prompt = {"prompt": messages} if isinstance(messages, str) else {"messages": messages}
        fields = {"model": self.settings.model, **prompt}
        counted = await self._count(await self._reach(), "/tokenize", fields, Counted)
        return counted.count if counted else None


def _at_least(version: str, since: tuple[int, ...]) -> bool:
    """By the first numbers of it; what is no version is older than any."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= since
