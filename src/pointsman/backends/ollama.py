"""Ollama, over its OpenAI endpoints; its own API says what is installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from pointsman.backends.openai_compat import LISTED, Answer, Link, OpenAICompat, T, Unfit, VersionAnswer
from pointsman.backends.settings import BackendSettings
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Health, ModelFacts, Target
from pointsman.ports.backend import BackendFailure, Call, Stream


class Installed(msgspec.Struct, frozen=True):
    name: str
    remote_host: str | None = None


class Tags(msgspec.Struct, frozen=True):
    models: tuple[Installed, ...] | None


class Running(msgspec.Struct, frozen=True):
    name: str
    context_length: int | None = None


class Ps(msgspec.Struct, frozen=True):
    models: tuple[Running, ...] | None


class Shown(msgspec.Struct, frozen=True):
    model_info: dict[str, Any] | None = None
    parameters: str | None = None


class Ollama(OpenAICompat):
    """Read in Ollama's source and API description (0.32 to 0.40), and in a capture of `/api/ps`.

    **The served context.** `/api/show` tells what the model was trained for. What it is served with is another matter:
    the request's `num_ctx` (which `/v1` does not have), else the model file's `PARAMETER num_ctx`, else the server's
    `OLLAMA_CONTEXT_LENGTH`, else a default by GPU memory (4,096 below 24 GiB). The last two cannot be read over HTTP,
    but `/api/ps` tells the length that a model in memory was loaded with. So `context_length` is, in this order: that
    of the loaded model, `num_ctx` of the model file, `settings.context`, else None: not known before the first request,
    and never the trained one. Some models answer a prompt that is too long with a 400, others drop its beginning in
    silence (ollama/ollama#17889): keep to the length.

    **Cloud models.** A model with `remote_host` runs on that host and not here, so prompts would leave this network
    through a local address. Unless the target is marked external, the probe calls it down and `open` refuses it: no
    call goes out before a probe has seen that the model is installed here.

    Models load at the first request: `up` says installed, not in memory."""

    engine: ClassVar[str] = "ollama"
    label: ClassVar[str] = "Ollama"
    default_base_url: ClassVar[str | None] = "http://127.0.0.1:11434"
    segments: ClassVar[tuple[str, ...]] = ("v1", "api")
    always_v1: ClassVar[bool] = True

    def __init__(
        self, settings: BackendSettings, target: Target, *, address: Callable[[], str | None] | None = None
    ) -> None:
        super().__init__(settings, target, address=address)
        self._stays_here = False
        self._resident: bool | None = None

    async def open(self, call: Call) -> Stream:
        """As OpenAICompat.open; BackendFailure("connect") too for a model that is not known to run on this network."""
        if not (self.target.external or self._stays_here):
            state = await self.probe()
            if not self._stays_here:
                unknown = said(
                    "{where} could not be asked where it runs",
                    "无法向 {where}查明模型在哪里运行",
                    where=self._where(),
                )
                raise BackendFailure("connect", state.problem or unknown)
        return await super().open(call)

    async def _look(self, link: Link) -> tuple[ModelFacts, str | None]:
        version = self._read(await self._ask(link, "/api/version"), VersionAnswer).version
        installed = self._read(await self._ask(link, "/api/tags"), Tags).models or ()
        name = _full(self.settings.model)
        model = next((model for model in installed if _full(model.name) == name), None)
        self._stays_here = model is not None and not model.remote_host
        if model is None:
            raise Unfit("down", self._not_installed([model.name for model in installed]))
        if model.remote_host and not self.target.external:
            raise Unfit(
                "down",
                said(
                    'Ollama runs "{model}" at {host}, not on this machine: prompts would leave this '
                    "network. Mark the backend external: true to allow it, or pull a local model",
                    "Ollama 在 {host} 上运行“{model}”，而不是在本机：提示词会离开本网络。"
                    "要允许，请给这个后端设置 external: true；否则请拉取一个本地模型",
                    model=model.name,
                    host=model.remote_host,
                ),
            )
        shown = self._read(await self._ask(link, "/api/show", {"model": self.settings.model}), Shown)
        running = self._read(await self._ask(link, "/api/ps"), Ps).models or ()
        self._resident = any(_full(entry.name) == name for entry in running)
        loaded = next((entry.context_length for entry in running if _full(entry.name) == name), None)
        return facts(shown, version, loaded), None

    def _state(self, health: Health, facts: ModelFacts | None = None, problem: str | None = None) -> BackendState:
        state = super()._state(health, facts, problem)
        return replace(state, resident=self._resident) if health == "up" else state

    def _read(self, answer: Answer, type: type[T]) -> T:
        value = answer.read(type)
        if value is None:
            raise Unfit(
                "down",
                said(
                    "what answers at {address} is not Ollama (status {status}); is base_url right?",
                    "在 {address} 应答的不是 Ollama（状态码 {status}）；base_url 写对了吗？",
                    address=self._address(),
                    status=answer.status,
                ),
            )
        return value

    def _not_installed(self, names: list[str]) -> Said:
        model = self.settings.model
        close = get_close_matches(model, names, n=3, cutoff=0.4) or sorted(names)[:LISTED]
        closest = (
            said("; installed: {names}", "；已安装的有：{names}", names=", ".join(close))
            if close
            else Said("; nothing is installed", "；还没有安装任何模型")
        )
        return said(
            '{where} has no model "{model}". Get it: ollama pull {model}{closest}',
            "{where}没有模型“{model}”。获取方法：ollama pull {model}{closest}",
            where=self._where(),
            model=model,
            closest=closest,
        )


def facts(shown: Shown, version: str, loaded: int | None) -> ModelFacts:
    """`loaded`: the context length of the model in memory, if it is there."""
    info = shown.model_info or {}
    architecture = info.get("general.architecture")

    def number(key: str) -> int | None:
        value = info.get(f"{architecture}.{key}")
        if isinstance(value, list):  # one value a layer: the largest bounds them
            value = max((item for item in value if isinstance(item, int)), default=None)
        return value if isinstance(value, int) else None

    heads, size = number("attention.head_count"), number("embedding_length")
    num_ctx = re.search(r"^num_ctx\s+(\d+)", shown.parameters or "", re.MULTILINE)
    parameters = info.get("general.parameter_count")
    return ModelFacts(
        context_length=loaded or (int(num_ctx[1]) if num_ctx else None),
        trained_context=number("context_length"),
        layers=number("block_count"),
        heads=heads,
        kv_heads=number("attention.head_count_kv"),
        head_size=number("attention.key_length") or (size // heads if size and heads else None),
        embedding_size=size,
        parameters=parameters if isinstance(parameters, int) else None,
        architecture=architecture if isinstance(architecture, str) else None,
        engine_version=version,
    )


def _full(name: str) -> str:
    """A model's name with its tag, in one case: Ollama reads `llama3` as `llama3:latest`, and ignores case."""
    name = name.lower()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
