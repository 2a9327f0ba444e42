"""llama.cpp's server, started by somebody (`llama-server`) or by the gateway itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from pointsman.backends.cache_reset import not_found
from pointsman.backends.openai_compat import Link, OpenAICompat, Unfit
from pointsman.backends.router_mode import RouterModels, asked_of, find_model
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Health, ModelFacts
from pointsman.ports.backend import EngineLoad

_ERASING = Said("start llama-server with --slot-save-path", "启动 llama-server 时请加上 --slot-save-path")


class SlotSettings(msgspec.Struct, frozen=True):
    n_ctx: int | None = None


class Props(msgspec.Struct, frozen=True):
    default_generation_settings: SlotSettings = SlotSettings()
    total_slots: int | None = None
    build_info: str | None = None
    role: str | None = None


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

    In router mode (`role` in `/props`, see router_mode.py) there are several models, told apart by their names, and `up`
    says that the router has this one, not that it is in memory. Nothing that a probe or a count asks loads it."""

    engine: ClassVar[str] = "llamacpp"
    label: ClassVar[str] = "llama.cpp"
    always_v1: ClassVar[bool] = True
    resets: ClassVar[bool] = True
    tells_load: ClassVar[bool] = True

    _router = False
    _resident: bool | None = None

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
        self._router = props.role == "router"
        if self._router:
            return await self._look_at_router(link)
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

    async def _look_at_router(self, link: Link) -> tuple[ModelFacts, str | None]:
        listed = (await self._ask(link, "/models")).read(RouterModels)
        model = find_model(listed, self.settings.model) if listed else None
        if listed is None or model is None:
            raise Unfit("down", self._not_listed([each.id for each in listed.data] if listed else []))
        self._resident = model.status is None or model.status.value == "loaded"
        if not self._resident:
            return ModelFacts(), None
        props = (await self._ask(link, asked_of(self.settings.model, "/props"))).read(Props) or Props()
        return (
            ModelFacts(
                context_length=_sound(props.default_generation_settings.n_ctx),
                engine_version=props.build_info,
                slots=_sound(props.total_slots),
            ),
            None,
        )

    def _state(self, health: Health, facts: ModelFacts | None = None, problem: str | None = None) -> BackendState:
        state = super()._state(health, facts, problem)
        return replace(state, resident=self._resident) if self._router and health == "up" else state

    async def load(self) -> EngineLoad | None:
        return None if self._router else await super().load()

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
        if self._router and not self._resident:
            return None
        link = await self._reach()
        prompt = messages if isinstance(messages, str) else await self._render(link, messages)
        if prompt is None:
            return None
        fields = {"model": self.settings.model, "content": prompt, "add_special": True, "parse_special": True}
        counted = await self._count(link, "/tokenize", fields, Tokens)
        return len(counted.tokens) if counted else None

    async def _render(self, link: Link, messages: Sequence[dict[str, Any]]) -> str | None:
        rendered = await self._count(
            link, "/apply-template", {"model": self.settings.model, "messages": messages}, Rendered
        )
        return rendered.prompt if rendered else None
