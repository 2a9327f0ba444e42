"""A model that a bench asks: the backend behind it, started where it is embedded."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from pointsman.app.targets import process_of, serve_target, targets_of
from pointsman.config.schema import Config
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import said
from pointsman.ports.backend import Backend

_LOADING = 300.0
"""Seconds that an embedded model may take to load."""


def models_named(wanted: str | None, config: Config) -> list[str]:
    """Keys of `models:`, by commas; None: all that can chat. Raises PointsmanError for one that the config has not."""
    able = [name for name, model in config.models.items() if not any(backend.embedding for backend in model.backends)]
    if wanted is None:
        return able
    names = [name.strip() for name in wanted.split(",")]
    for name in names:
        if name not in able:
            text = said(
                'no model "{name}"{hint} (valid: {valid})',
                "没有模型“{name}”{hint}（合法取值：{valid}）",
                name=name,
                hint=did_you_mean(name, able),
                valid=", ".join(able),
            )
            raise PointsmanError(text)
    return list(dict.fromkeys(names))


@contextlib.asynccontextmanager
async def backend_of(config: Config, name: str) -> AsyncIterator[Backend]:
    """The first backend of a model; an embedded one runs until the end."""
    target, given = targets_of(config)[name][0]
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as logs:
        process = None
        if given.engine == "embedded":
            process = process_of(target, given, Path(logs), lambda *_: None)
            await process.start()
            await process.settled(_LOADING)
        served = serve_target(target, given, process)
        try:
            yield served.backend
        finally:
            await served.backend.close()
            if process is not None:
                await process.stop()
