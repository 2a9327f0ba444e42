"""The embedded llama.cpp as a kind of child: its model's file found and looked at, defaults filled in."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.said import said
from pointsman.domain.target import ModelFacts
from pointsman.fleet.builtin import find_engine, find_model
from pointsman.fleet.child_kind import Launch
from pointsman.fleet.file_promise import check_hash
from pointsman.fleet.gguf import GgufError, GgufMetadata, read_gguf
from pointsman.fleet.health_probe import wait_healthy
from pointsman.fleet.model_check import BadModel, check_model
from pointsman.fleet.port_owner import explain_port, is_free
from pointsman.fleet.same_file import holders, note_of
from pointsman.fleet.settings import DEFAULT_CONTEXT, MAX_SETTINGS_BYTES, ChildSettings, ModelSettings, Pooling
from pointsman.ports.model_driver import LoadFailure

# -P: a folder that happens to hold a json.py does not get into the child
COMMAND = (sys.executable, "-P", "-m", "pointsman.fleet.child")


class EmbeddedChild:
    """A ChildKind."""

    def __init__(self, settings: ModelSettings, *, death_signal: bool = True) -> None:
        self._settings = settings
        self._death_signal = death_signal
        self.name = settings.name
        self.place = (settings.host, settings.port)
        self.force = signal.SIGKILL if os.name == "posix" else signal.SIGTERM

    def prepare(self, given_up: threading.Event) -> Launch:
        """Blocking (file reads, tens of ms). A file of a kind that only our reader does not know passes, with empty facts:
        llama.cpp has the last word."""
        settings = self._settings
        try:
            find_engine()
            path = find_model(settings.model)
        except Problem as problem:
            raise LoadFailure("missing", problem.said) from None
        try:
            check_model(str(path))
        except BadModel as bad:
            raise LoadFailure(bad.fault, bad.said) from None
        check_hash(path, settings.sha256, settings.hashes, given_up)
        if settings.port and not is_free(settings.host, settings.port):
            raise LoadFailure("port", explain_port(settings.host, settings.port))
        metadata = GgufMetadata(ModelFacts(), {}, {}, 0, 0)
        with contextlib.suppress(GgufError):
            metadata = read_gguf(path)
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
                death_signal=self._death_signal,
            )
        )
        if len(line) >= MAX_SETTINGS_BYTES:
            long = said(
                "the settings take {size:,} bytes (valid: less than {most:,})",
                "这些设置占 {size:,} 字节（合法取值：小于 {most:,}）",
                size=len(line),
                most=MAX_SETTINGS_BYTES,
            )
            raise LoadFailure("refused", long)
        note = note_of(path, holders(path))
        return Launch(COMMAND, line + b"\n", facts, (note,) if note else ())

    async def serving(self, address: str) -> None:
        """It serves the file that it was given."""
        await wait_healthy(address)

    def silent(self, pid: int, address: str | None) -> str:
        return ""


def _pooling(settings: ModelSettings, metadata: GgufMetadata) -> Pooling | None:
    """Mean where neither the settings nor the file say how: without pooling /v1/embeddings fails."""
    if settings.pooling is None and not metadata.scalars.get(f"{metadata.facts.architecture}.pooling_type"):
        return "mean"
    return settings.pooling
