"""From a model's settings to what its child is started with: the file found, its metadata read, defaults filled in."""

from __future__ import annotations

import os
import sys

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.said import said
from pointsman.domain.target import ModelFacts
from pointsman.fleet.builtin import find_engine, find_model
from pointsman.fleet.gguf import GgufError, GgufMetadata, read_gguf
from pointsman.fleet.settings import DEFAULT_CONTEXT, MAX_SETTINGS_BYTES, ChildSettings, ModelSettings, Pooling

# -P: a folder that happens to hold a json.py does not get into the child
COMMAND = (sys.executable, "-P", "-m", "pointsman.fleet.child")


def prepare(settings: ModelSettings, *, death_signal: bool = True) -> tuple[bytes, ModelFacts]:
    """The child's line of JSON, and what the model's file says. Blocking (file reads, tens of ms). Raises Problem: no
    engine, no file, a damaged file, settings too long. A file of a kind that only our reader does not know passes, with
    empty facts: llama.cpp has the last word."""
    find_engine()
    path = find_model(settings.model)
    try:
        metadata = read_gguf(path)
    except OSError as error:
        unread = said(
            '"{model}" cannot be read: {why}', "无法读取“{model}”：“{why}”", model=settings.model, why=error.strerror
        )
        raise Problem("model", unread) from None
    except GgufError as error:
        if error.damaged:
            damaged = said(
                '"{model}" is no usable GGUF file: {why}',
                "“{model}”不是可用的 GGUF 文件：{why}",
                model=settings.model,
                why=error.message,
            )
            raise Problem("model", damaged) from None
        metadata = GgufMetadata(ModelFacts(), {}, {}, 0, 0)
    facts = metadata.facts
    line = msgspec.json.encode(
        ChildSettings(
            path=str(path),
            name=settings.name,
            context=settings.context or min(DEFAULT_CONTEXT, facts.trained_context or DEFAULT_CONTEXT),
            slots=settings.slots,
            threads=settings.threads,
            batch=settings.batch,
            host=settings.host,
            port=settings.port,
            gpu_layers=settings.gpu_layers,
            embedding=settings.embedding,
            pooling=_pooling(settings, metadata),
            extra=settings.extra,
            parent=os.getpid(),
            death_signal=death_signal,
        )
    )
    if len(line) >= MAX_SETTINGS_BYTES:
        raise Problem(
            "extra",
            said("the settings take {size:,} bytes", "这些设置占 {size:,} 字节", size=len(line)),
            valid=said("less than {most:,}", "小于 {most:,}", most=MAX_SETTINGS_BYTES),
        )
    return line + b"\n", facts


def _pooling(settings: ModelSettings, metadata: GgufMetadata) -> Pooling | None:
    """Mean where neither the settings nor the file say how: without pooling /v1/embeddings fails."""
    if settings.pooling is None and not metadata.scalars.get(f"{metadata.facts.architecture}.pooling_type"):
        return "mean"
    return settings.pooling
