"""The adapters and the twin that stands for each one's engine."""

from dataclasses import dataclass
from typing import Any

from pointsman.backends.make import make_backend
from pointsman.backends.openai_compat import OpenAICompat
from pointsman.backends.settings import BackendSettings
from pointsman.domain.target import Target
from pointsman.ports.backend import Call
from twins import Twin


@dataclass(frozen=True)
class Case:
    """`first` is the first path of a probe, `missing` the health of a backend whose engine does not list the model."""

    engine: str
    recording: str
    first: str
    missing: str

    def backend(self, twin: Twin, suffix: str = "", **settings: Any) -> OpenAICompat:
        external = settings.pop("external", False)
        settings = {"model": twin.engine.model, "base_url": twin.base_url + suffix} | settings
        target = Target("m@b", "light", settings["model"], "b", self.engine, external)
        backend = make_backend(self.engine, BackendSettings(**settings), target)
        assert isinstance(backend, OpenAICompat)
        return backend


CASES = (
    Case("llamacpp", "llamacpp-2026.10.11549", "/health", "up"),
    Case("vllm", "vllm-0.33.0", "/health", "down"),
    Case("ollama", "ollama-0.32.9", "/api/version", "down"),
    Case("trtllm", "trtllm-1.2.1", "/health", "up"),
    Case("openai", "vllm-0.33.0", "/v1/models", "up"),
)


def case(engine: str) -> Case:
    return next(case for case in CASES if case.engine == engine)


def chat(body: bytes = b'{"stream":true}', **more: Any) -> Call:
    return Call("/chat/completions", body, **more)
