"""llama.cpp's server, started by somebody (`llama-server`) or by the gateway itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec

from pointsman.backends.cache_reset import not_found
from pointsman.backends.openai_compat import Link, OpenAICompat, Unfit
from pointsman.backends.settings import BackendSettings
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, ModelFacts, Target
from pointsman.ports.backend import BackendFailure

_ERASING = Said("start llama-server with --slot-save-path", "启动 llama-server 时请加上 --slot-save-path")


class SlotSettings(msgspec.Struct, frozen=True):
    n_ctx: int | None = None


class Props(msgspec.Struct, frozen=True):
    default_generation_settings: SlotSettings = SlotSettings()
    total_slots: int | None = None
    build_info: str | None = None


class Meta(msgspec.Struct, frozen=True):
    n_ctx_train: int | None = None
    n_embd: int | None = None
    n_params: int | None = None


class Loaded(msgspec.Struct, frozen=True):
    meta: Meta | None = None


class LoadedList(msgspec.Struct, frozen=True):
    data: tuple[Loaded, ...] = ()


class Rendered(msgspec.Struct, frozen=True):
    prompt: str


class Tokens(msgspec.Struct, frozen=True):
    tokens: list[int]


def _sound(told: int | None) -> int | None:
    """What a server tells, where that can be: no slots, or fewer, would keep everybody waiting."""
    return told if told is not None and told > 0 else None


class LlamaCpp(OpenAICompat):
    """Measured on xllamacpp 2026.10.11549: every endpoint is 503 "Loading model" while the model loads; `/props` gives
    the context of one slot; the server answers whatever model a request names, so `model` is a label here. A connection
    is closed after 5 s of idleness, after 100 requests, and after every error.

    `address` gives the base URL of a server whose address changes (a child process that is restarted), or None while it
    has none: the backend is then `loading`, and calls fail with BackendFailure("connect"). It is called for every
    request: it must be quick and must not raise."""

    engine: ClassVar[str] = "llamacpp"
    label: ClassVar[str] = "llama.cpp"
    always_v1: ClassVar[bool] = True
    resets: ClassVar[bool] = True
    tells_load: ClassVar[bool] = True

    def __init__(
        self, settings: BackendSettings, target: Target, *, address: Callable[[], str | None] | None = None
    ) -> None:
        self._current = address
        super().__init__(settings, target)

    def _check(self) -> None:
        if self._current is None:
            super()._check()

    def _address(self) -> str | None:
        return self._current() if self._current is not None else super()._address()

    def _unreachable(self, failure: BackendFailure) -> BackendState:
        if self._current is not None and failure.kind == "connect":
            return self._state("loading", problem=failure.message)
        return super()._unreachable(failure)

    async def _look(self, link: Link) -> tuple[ModelFacts, str | None]:
        health = await self._exchange(link.probe, "/health", None, self.settings.probe_timeout)
        if health.status == 503:
            raise Unfit("loading", said("{where} is loading its model", "{where}正在加载模型", where=self._where()))
        answer = await self._ask(link, "/props")
        props = answer.read(Props)
        if props is None:
            raise Unfit(
                "down",
                said(
                    "what answers at {address} is not llama.cpp: it has no /props; is base_url right?",
                    "在 {address} 应答的不是 llama.cpp：它没有 /props；base_url 写对了吗？",
                    address=self._address(),
                ),
            )
        loaded = (await self._ask(link, f"{link.api}/models")).read(LoadedList)
        meta = next((model.meta for model in loaded.data if model.meta), Meta()) if loaded else Meta()
        return (
            ModelFacts(
                context_length=_sound(props.default_generation_settings.n_ctx),
                trained_context=meta.n_ctx_train,
                embedding_size=meta.n_embd,
                parameters=meta.n_params,
                engine_version=props.build_info,
                slots=_sound(props.total_slots),
            ),
            None,
        )

    async def _reset_cache(self) -> None:
        """Every slot is erased (`/slots/N?action=erase`), those that work when they are done."""
        link = await self._reach()
        limit = self.settings.probe_timeout
        props = (await self._exchange(link.probe, "/props", None, limit)).read(Props)
        for slot in range(_sound(props.total_slots if props else None) or 1):
            answer = await self._exchange(link.probe, f"/slots/{slot}?action=erase", {}, limit)
            if answer.status != 200:
                raise not_found(self._where(), answer.status, _ERASING)

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        """What the engine will report as `prompt_tokens`: a chat goes through the model's template (`/apply-template`)
        and the tokenizer with its special tokens (`/tokenize`), a text through the tokenizer alone. None where the
        template declines. Raises BackendFailure."""
        link = await self._reach()
        prompt = messages if isinstance(messages, str) else await self._render(link, messages)
        if prompt is None:
            return None
        fields = {"content": prompt, "add_special": True, "parse_special": True}
        counted = await self._count(link, "/tokenize", fields, Tokens)
        return len(counted.tokens) if counted else None

    async def _render(self, link: Link, messages: Sequence[dict[str, Any]]) -> str | None:
        rendered = await self._count(link, "/apply-template", {"messages": messages}, Rendered)
        return rendered.prompt if rendered else None
