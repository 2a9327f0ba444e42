"""From a backend to how its engine is asked."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.arbiters.llm.chat import ChatEngine, TrtLlmEngine
from pointsman.arbiters.llm.engine import Engine
from pointsman.arbiters.llm.llamacpp import LlamaCppEngine
from pointsman.arbiters.llm.ollama import OllamaEngine
from pointsman.arbiters.llm.vllm import VllmEngine
from pointsman.ports.backend import Backend

_ENGINES: dict[str, Callable[[Backend], Engine]] = {
    "embedded": LlamaCppEngine,
    "llamacpp": LlamaCppEngine,
    "ollama": OllamaEngine,
    "openai": ChatEngine,
    "trtllm": TrtLlmEngine,
    "vllm": VllmEngine,
}


def engine_of(backend: Backend) -> Engine:
    """Raises KeyError for an engine that there is none for."""
    return _ENGINES[backend.target.engine](backend)
