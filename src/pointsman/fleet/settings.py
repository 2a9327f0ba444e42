"""What one local model process is started with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from pointsman.domain.said import said

Pooling = Literal["none", "mean", "cls", "last", "rank"]

DEFAULT_CONTEXT = 4096
MAX_SETTINGS_BYTES = 32 << 10  # the child's first line; smaller than a pipe's buffer, so that writing it never blocks


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`model` is `builtin:…` or a path to a .gguf file; `name` is the model's name in the child's /v1/models.

    `context` is in tokens per slot (None: the smaller of 4096 and what the model was trained for), `slots` the
    requests served at a time, `batch` the tokens of one prefill step: a request that is given up stops at the next
    one, so 256 and not llama.cpp's 2048. `threads` None: cores - 1, at least 1. `port` 0: a free one
    at each start. `gpu_layers` None: as many as fit. `embedding` makes it an embedding model (each input then has to
    fit into one batch, which grows to the context); `pooling` None means what the model's file says, else mean;
    "rank" makes a reranker. `sha256` (`sha256:…`) is what the file has to be, and `hashes` where such are remembered.
    `extra` sets further attributes of xllamacpp.CommonParams by name (nested ones by mappings, enumerations by name:
    `{"cache_type_k": "q8_0"}`). Raises ValueError for a value out of range."""

    model: str
    name: str
    context: int | None = None
    slots: int = 2
    threads: int | None = None
    batch: int = 256
    port: int = 0
    host: str = "127.0.0.1"
    gpu_layers: int | None = None
    embedding: bool = False
    pooling: Pooling | None = None
    extra: dict[str, Any] = {}
    sha256: str | None = None
    hashes: Path | None = None

    def __post_init__(self) -> None:
        for field, low, high in (
            ("context", 1, 100_000_000),
            ("slots", 1, 256),
            ("threads", 1, 1024),
            ("batch", 1, 1 << 20),
            ("port", 0, 65_535),
            ("gpu_layers", 0, 100_000),
        ):
            value = getattr(self, field)
            if value is not None and not low <= value <= high:
                raise ValueError(
                    said(
                        "{field} is {value} (valid: {low} to {high})",
                        "{field} 是 {value}（合法取值：{low} 到 {high}）",
                        field=field,
                        value=value,
                        low=low,
                        high=high,
                    )
                )
        for field in ("model", "name", "host"):
            if not getattr(self, field) or "\0" in getattr(self, field):
                raise ValueError(
                    said("{field} is empty or holds a zero byte", "{field} 是空的，或者含有零字节", field=field)
                )


class Sizing(msgspec.Struct, frozen=True):
    """What memory depends on: the model's file, tokens of a slot (None: 4096, or what it was trained for), slots, and the
    layers on the GPU (None: all, where there is one)."""

    model: str
    context: int | None = None
    slots: int = 1
    gpu_layers: int | None = None


class ChildSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The one line of JSON that the child reads: everything resolved. `context` is in tokens per slot; `threads` None
    leaves the choice to the child. `parent` is the process id the child has to belong to; `death_signal` False leaves
    PR_SET_PDEATHSIG alone (tests of the second safety net)."""

    path: str
    name: str
    context: int
    slots: int
    threads: int | None
    batch: int
    host: str
    port: int
    gpu_layers: int | None
    embedding: bool
    pooling: Pooling | None
    extra: dict[str, Any]
    parent: int
    death_signal: bool = True


class ChildReport(msgspec.Struct, frozen=True, kw_only=True):
    """The one line of JSON that the child prints: where it listens, or `error`, a sentence for people, and the same in
    Chinese."""

    address: str | None = None
    context_length: int | None = None
    slots: int | None = None
    engine_version: str | None = None
    error: str | None = None
    error_zh: str | None = None
