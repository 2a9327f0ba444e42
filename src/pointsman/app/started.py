"""The engines of a config that the gateway starts itself: the embedded ones, and those with a command."""

from __future__ import annotations

import os
from pathlib import Path

from pointsman.config.commands import words_of
from pointsman.config.schema import Backend as BackendConfig
from pointsman.domain.said import Said
from pointsman.fleet.command_settings import CommandSettings
from pointsman.fleet.file_hash import memory_of
from pointsman.fleet.settings import ModelSettings

LOADING = 300.0
"""Seconds that an engine may take to be ready, where nobody says how long."""
_NOWHERE = "/nonexistent/"
"""llama.cpp lets slots be erased only where it may save them too: into no folder at all."""


def runs_here(backend: BackendConfig) -> bool:
    """Whether the gateway starts its engine."""
    return backend.engine == "embedded" or backend.command is not None


def started_with(backend: BackendConfig, data: Path | None = None) -> ModelSettings | CommandSettings:
    """`data` is the data folder, where hashes of files are remembered. Raises ValueError for what cannot be."""
    hashes = memory_of(data) if data is not None else None
    if backend.command is None:
        return ModelSettings(
            model=backend.model,
            name=backend.model,
            context=backend.context,
            slots=backend.slots or 2,
            threads=backend.threads,
            port=backend.port,
            gpu_layers=backend.gpu_layers,
            embedding=backend.embedding,
            extra={"slot_save_path": _NOWHERE} if backend.reset_cache else {},
            sha256=backend.sha256,
            hashes=hashes,
        )
    if os.name != "posix":
        raise ValueError(Said("a command is started on Linux and macOS alone", "command 只能在 Linux 和 macOS 上使用"))
    return CommandSettings(
        model=backend.model,
        name=backend.model,
        engine=backend.engine,
        command=words_of(backend),
        address=backend.base_url,
        port=backend.port,
        env=backend.env,
        directory=backend.directory,
        context=backend.context,
        slots=backend.slots,
        gpu_layers=backend.gpu_layers,
        api_key=backend.api_key,
        sha256=backend.sha256,
        hashes=hashes,
    )
