"""What a backend is made from."""

from __future__ import annotations

import msgspec


class BackendSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One inference server. Times in seconds.

    `base_url` as a person writes it, with or without `/v1` (None: the engine's usual address, where it has one);
    `model` is the model's name there. `api_key` goes out as a Bearer token. `headers` go out with every call, and win
    over what is set here otherwise. `forward_authorization` hands on the client's own key instead of `api_key` where a
    client sent one; otherwise no client's credentials leave the gateway. `context` counts where the engine cannot tell
    how many tokens one sequence may hold. `idle_expiry` stays below the 5 s after which uvicorn (vLLM, TensorRT-LLM)
    and llama.cpp close an idle connection. `probe_timeout` bounds one whole probe.
    `reset_cache`: after so many calls the engine is told to forget the prompts that it keeps (llama.cpp, vLLM).
    `ca_file`: a PEM file of the authorities to trust, in place of the system's.
    A call's own times for the first byte and for silence are cut to `first_byte_timeout` (`reply_timeout` where the answer
    comes at once, when the engine is done) and `idle_timeout`."""

    model: str
    base_url: str | None = None
    api_key: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    forward_authorization: bool = False
    context: int | None = None
    connect_timeout: float = 5.0
    first_byte_timeout: float = 300.0
    reply_timeout: float = 600.0
    idle_timeout: float = 120.0
    idle_expiry: float = 4.0
    ca_file: str | None = None
    max_idle: int = 64
    probe_timeout: float = 2.0
    reset_cache: int | None = None
