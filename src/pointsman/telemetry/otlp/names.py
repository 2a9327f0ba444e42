"""The names that OpenTelemetry has for calls of models, by version of its conventions: they are in development, and what
they were called yesterday is what somebody's dashboards ask for today."""

from __future__ import annotations

from typing import Literal

import msgspec

Semconv = Literal["1.36", "1.37"]


class Names(msgspec.Struct, frozen=True):
    """`provider` is the attribute that says who serves a model."""

    provider: str
    schema: str


NAMES: dict[Semconv, Names] = {
    "1.36": Names("gen_ai.system", "https://opentelemetry.io/schemas/1.36.0"),
    "1.37": Names("gen_ai.provider.name", "https://opentelemetry.io/schemas/1.37.0"),
}
"""Each holds from its version on until the next one here."""
OPERATIONS = {"chat": "chat", "completions": "text_completion", "embeddings": "embeddings", "tool": "execute_tool"}
"""Endpoint → operation; others keep their name."""
OWN = "pointsman"
"""Who serves what no model does."""
_ENGINES = {"embedded": "llama_cpp", "llamacpp": "llama_cpp", "trtllm": "tensorrt_llm"}


def operation_of(endpoint: str) -> str:
    return OPERATIONS.get(endpoint, endpoint)


def provider_of(engine: str | None) -> str:
    return OWN if engine is None else _ENGINES.get(engine, engine)
