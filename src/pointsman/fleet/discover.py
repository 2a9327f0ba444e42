"""Which engines run on this machine: the usual ports of 127.0.0.1 are asked, all at once, and each engine is told by what
it answers, not by its port. What answers is not trusted: sizes are bounded, every value is checked.

Told by: `owned_by` in `/v1/models` (vLLM `vllm`, TensorRT-LLM `tensorrt_llm`, llama.cpp `llamacpp`), `/api/version`
(Ollama), `/api/v0/models` (LM Studio), `/props` (llama.cpp before it said so in `/v1/models`)."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterable
from typing import Any, Literal

import httptools
import msgspec

USUAL = (11434, 8000, 8001, 8080, 1234)
"""Ollama, vLLM and TensorRT-LLM (two), llama.cpp, LM Studio."""
HOST = "127.0.0.1"
SECONDS = 1.0
"""For one port, everything that is asked there included."""
_LARGEST = 4 << 20
_MOST_MODELS = 200
_NO_HTTP = (OSError, ValueError, httptools.HttpParserError, httptools.HttpParserUpgrade)

EngineName = Literal["ollama", "vllm", "llamacpp", "trtllm", "openai"]
Trouble = Literal["silent", "no_http", "unknown", "key", "loading", "pointsman"]
Kind = Literal["chat", "embedding", "remote", "adapter"]
_OWNERS: dict[str, tuple[EngineName, str]] = {
    "vllm": ("vllm", "vLLM"),
    "tensorrt_llm": ("trtllm", "TensorRT-LLM"),
    "llamacpp": ("llamacpp", "llama.cpp"),
}


class FoundModel(msgspec.Struct, frozen=True):
    """A model that an engine offers. `billions` of parameters and `context` in tokens where name or engine tell them.
    `remote` runs on another machine behind the engine, `adapter` belongs to another model of the list."""

    name: str
    billions: float | None = None
    context: int | None = None
    kind: Kind = "chat"

    @property
    def tier(self) -> str:
        """light to about 3 B parameters, heavy from about 14 B, else medium, also where nothing tells the size."""
        if self.billions is None:
            return "medium"
        return "light" if round(self.billions) <= 3 else "heavy" if round(self.billions) >= 14 else "medium"


class FoundEngine(msgspec.Struct, frozen=True):
    """An engine that answers. `engine` is its name in the config, `label` for people."""

    engine: EngineName
    label: str
    port: int
    models: tuple[FoundModel, ...] = ()
    version: str | None = None

    @property
    def base_url(self) -> str:
        return f"http://{HOST}:{self.port}/v1"


class Unclear(msgspec.Struct, frozen=True):
    """A port where something listens that cannot be used as it is."""

    port: int
    trouble: Trouble


class Found(msgspec.Struct, frozen=True):
    """What the ports said, in their order."""

    engines: tuple[FoundEngine, ...] = ()
    unclear: tuple[Unclear, ...] = ()


async def discover(ports: Iterable[int] = USUAL, *, seconds: float = SECONDS) -> Found:
    """Asks every port of this machine's loopback; takes `seconds` at most. Never raises for what a port does."""
    answers = await asyncio.gather(*(_ask(port, seconds) for port in dict.fromkeys(ports)))
    return Found(
        tuple(answer for answer in answers if isinstance(answer, FoundEngine)),
        tuple(answer for answer in answers if isinstance(answer, Unclear)),
    )


def size_of(name: str) -> float | None:
    """Billions of parameters that a model's name tells: qwen2.5:7b, SmolLM2-135M, mixtral-8x7b, gemma3n:e4b."""
    sizes = [
        int(m["times"] or 1) * float(m["size"]) * (0.001 if m["unit"] in "mM" else 1.0) for m in _SIZE.finditer(name)
    ]
    return max(sizes, default=None)


_SIZE = re.compile(
    r"(?<![A-Za-z0-9.])(?:(?P<times>[0-9]{1,3})x|e)?(?P<size>[0-9]{1,4}(?:\.[0-9]{1,3})?)(?P<unit>[bBmM])(?![A-Za-z0-9])"
)
_EMBEDDING = re.compile(r"embed|rerank|\bbge\b|\bgte\b|\be5\b|minilm|arctic-embed", re.IGNORECASE)


async def _ask(port: int, seconds: float) -> FoundEngine | Unclear | None:
    """None where nothing listens."""
    try:
        async with asyncio.timeout(seconds):
            return await _identify(port)
    except TimeoutError:
        return Unclear(port, "silent")
    except (ConnectionRefusedError, OverflowError):
        return None
    except _NO_HTTP:
        return Unclear(port, "no_http")


async def _identify(port: int) -> FoundEngine | Unclear:
    listed = await _get(port, "/v1/models")
    cards = _list(listed.json, "data")
    owner = _text(cards[0].get("owned_by")) if cards else None
    if owner == "pointsman":
        return Unclear(port, "pointsman")
    if owner in _OWNERS:
        return await _told_by_owner(port, owner, cards)
    version = await _get(port, "/api/version")
    if version.status == 200 and (number := _text(_value(version.json, "version"))):
        tags = await _get(port, "/api/tags")
        return FoundEngine("ollama", "Ollama", port, _several(map(_of_ollama, _list(tags.json, "models"))), number)
    if listed.status in (401, 403):
        return Unclear(port, "key")
    if listed.status == 503:
        return Unclear(port, "loading")
    studio = _list((await _get(port, "/api/v0/models")).json, "data")
    if studio and _text(studio[0].get("type")):
        return FoundEngine("openai", "LM Studio", port, _several(map(_of_studio, studio)))
    props = (await _get(port, "/props")).json
    if isinstance(_value(props, "default_generation_settings"), dict):
        return FoundEngine("llamacpp", "llama.cpp", port, _several([_of_props(props)]))
    if listed.status == 200 and cards:
        return FoundEngine("openai", "OpenAI API", port, _several(map(_of_card, cards)))
    return Unclear(port, "unknown")


async def _told_by_owner(port: int, owner: str, cards: list[dict[str, Any]]) -> FoundEngine:
    engine, label = _OWNERS[owner]
    models = _several(map(_of_card, cards))
    version = None
    if engine == "llamacpp":
        with contextlib.suppress(*_NO_HTTP):
            context = _of_props((await _get(port, "/props")).json)
            if context and context.context:
                models = tuple(msgspec.structs.replace(model, context=context.context) for model in models)
    else:
        with contextlib.suppress(*_NO_HTTP):
            version = _text(_value((await _get(port, "/version")).json, "version"))
    return FoundEngine(engine, label, port, models, version)


def _several(models: Iterable[FoundModel | None]) -> tuple[FoundModel, ...]:
    known = {model.name: model for model in models if model is not None}
    return tuple(known.values())[:_MOST_MODELS]


def _of_card(card: dict[str, Any]) -> FoundModel | None:
    """An OpenAI model card: `max_model_len` and `parent` are vLLM's, `meta` llama.cpp's."""
    name = _name(card.get("id"))
    if name is None:
        return None
    counted = _number(_value(card.get("meta"), "n_params"))
    context = _tokens(card.get("max_model_len")) or _tokens(_value(card.get("meta"), "n_ctx"))
    kind: Kind = "adapter" if _text(card.get("parent")) else _kind(name)
    return FoundModel(name, size_of(name) or (counted and counted / 1e9) or None, context, kind)


def _of_ollama(tag: dict[str, Any]) -> FoundModel | None:
    name = _name(tag.get("name"))
    if name is None:
        return None
    details = tag.get("details")
    told = _text(_value(details, "parameter_size"))
    kind = _kind(name)
    if "bert" in (_text(_value(details, "family")) or ""):
        kind = "embedding"
    if tag.get("remote_host") or tag.get("remote_model"):
        kind = "remote"
    return FoundModel(name, size_of(name) or (size_of(told) if told else None), None, kind)


def _of_studio(card: dict[str, Any]) -> FoundModel | None:
    name = _name(card.get("id"))
    if name is None:
        return None
    kind = "embedding" if _text(card.get("type")) == "embeddings" else _kind(name)
    context = _tokens(card.get("loaded_context_length")) or _tokens(card.get("max_context_length"))
    return FoundModel(name, size_of(name), context, kind)


def _of_props(props: Any) -> FoundModel | None:
    path = _text(_value(props, "model_path"))
    name = _name(_value(props, "model_alias")) or (_name(path.replace("\\", "/").rpartition("/")[2]) if path else None)
    if name is None:
        return None
    return FoundModel(name, size_of(name), _tokens(_value(_value(props, "default_generation_settings"), "n_ctx")))


def _kind(name: str) -> Kind:
    return "embedding" if _EMBEDDING.search(name) else "chat"


def _value(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, dict) else None


def _list(data: Any, key: str) -> list[dict[str, Any]]:
    found = _value(data, key)
    return [card for card in found if isinstance(card, dict)] if isinstance(found, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= 1000 and value.isprintable() else None


def _name(value: Any) -> str | None:
    """A model's name that can stand in a config: one printable line, nothing that reads as a variable."""
    text = _text(value)
    return text if text and len(text) <= 200 and "${" not in text and text.strip() == text else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 < value < 1e15 else None


def _tokens(value: Any) -> int | None:
    return value if type(value) is int and 0 < value <= 100_000_000 else None


class _Answer:
    """One response as httptools parses it. `json` is None for a body that is none."""

    def __init__(self) -> None:
        self.status = 0
        self.body = bytearray()
        self.complete = False
        self.parser: Any = httptools.HttpResponseParser(self)

    def on_headers_complete(self) -> None:
        self.status = self.parser.get_status_code()

    def on_body(self, data: bytes) -> None:
        self.body += data

    def on_message_complete(self) -> None:
        self.complete = True

    @property
    def json(self) -> Any:
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


async def _get(port: int, path: str) -> _Answer:
    """Raises OSError (connection), ValueError and HttpParserError (no HTTP, too much)."""
    answer = _Answer()
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nConnection: close\r\n\r\n".encode())
        size = 0
        while not answer.complete and (data := await reader.read(65_536)):
            size += len(data)
            if size > _LARGEST:
                raise ValueError("too much")
            answer.parser.feed_data(data)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if not answer.status:
        raise ValueError("no HTTP")
    return answer
