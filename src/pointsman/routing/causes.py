"""Why a target failed, by what its engine said: in an error's message, or in the last lines of a process that ended."""

from __future__ import annotations

import re
from typing import Literal

Cause = Literal["connect", "timeout", "out_of_memory", "load", "broke_off", "error"]

_MEMORY = re.compile(
    r"out[ _-]?of[ _-]?memory|outofmemory|\boom\b|failed to allocate|unable to allocate|cannot allocate memory|bad_alloc"
    r"|insufficient memory|requires more system memory|available memory for the cache blocks|kv cache is full"
    r"|context size has been exceeded|free space in the kv cache|free memory on device|kv cache memory"
    r"|enough (?:available )?memory"
    r"|sigkill|signal: killed"
)
"""llama.cpp's allocators on every device and its full cache; vLLM's start, which says what it lacks; Ollama's estimate.
Linux kills with SIGKILL where memory runs out, and hardly anybody else does."""
_LOAD = re.compile(
    r"loading model|load(?:ing)? (?:the |a )?model|failed to load|model not loaded|model failed to load|did not load"
    r"|waiting for llama runner|core initialization failed|was not ready after|no usable gguf|unknown model architecture"
)
_LATE = re.compile(r"timed? ?out|deadline exceeded")


def cause_of(text: str | None) -> Cause | None:
    """None where the text says none of it. Memory goes before all: engines say after it that they could not load."""
    if not text:
        return None
    text = text.lower()
    if _MEMORY.search(text):
        return "out_of_memory"
    if _LOAD.search(text):
        return "load"
    return "timeout" if _LATE.search(text) else None
