"""From an engine's name to its adapter."""

from __future__ import annotations

from pointsman.backends.embedded import Embedded
from pointsman.backends.llamacpp import LlamaCpp
from pointsman.backends.ollama import Ollama
from pointsman.backends.openai_compat import OpenAICompat
from pointsman.backends.settings import BackendSettings
from pointsman.backends.started import started
from pointsman.backends.trtllm import TrtLlm
from pointsman.backends.vllm import Vllm
from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import said
from pointsman.domain.target import Target
from pointsman.ports.backend import NodeBackend
from pointsman.ports.local_server import LocalServer

ENGINES: dict[str, type[OpenAICompat]] = {
    adapter.engine: adapter for adapter in (LlamaCpp, Ollama, OpenAICompat, TrtLlm, Vllm)
}


def make_backend(
    engine: str,
    settings: BackendSettings,
    target: Target,
    *,
    server: LocalServer | None = None,
) -> NodeBackend:
    """The adapter of `engine`: llamacpp, ollama, openai, trtllm, vllm, or embedded, which has to have a `server`, its
    process; the others have one where the gateway starts them. ValueError: an unknown engine (it lists the valid ones),
    or settings that this engine cannot work with."""
    if engine == Embedded.engine:
        if server is None:
            raise ValueError("engine embedded needs its server: the process that runs it")
        return Embedded(settings, target, server)
    adapter = ENGINES.get(engine)
    if adapter is None:
        valid = sorted([*ENGINES, Embedded.engine])
        raise ValueError(
            said(
                'unknown engine "{engine}"{hint} (valid: {valid})',
                "未知的引擎“{engine}”{hint}（合法取值：{valid}）",
                engine=engine,
                hint=did_you_mean(engine, valid),
                valid=", ".join(valid),
            )
        )
    return adapter(settings, target) if server is None else started(adapter)(settings, target, server)
