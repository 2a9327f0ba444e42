"""Why an engine did not load, by what it left behind: its exit and the words in its log, or in an error that it answered.

Whose words these are: llama.cpp's (ggml's allocators, its KV cache), vLLM's (its cache blocks, its share of the card),
Ollama's, PyTorch's, glibc's, the kernel's. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

_MEMORY = re.compile(
    r"out[ -]of[ -]memory|OutOfMemory|OutOfDeviceMemory|std::bad_alloc|MemoryError|[Cc]annot allocate memory"
    r"|(?:failed|unable|not able) to (?:allocate|reserve)\b|alloc(?:ation)?[\w ]* failed"
    r"|requires more (?:system|GPU|VRAM) ?memory|[Nn]ot enough (?:memory|VRAM)|insufficient memory"
    r"|No available memory for the cache blocks|less than desired GPU memory utilization"
    r"|larger than the available KV cache memory|signal: killed"
)
_PORT = re.compile(r"couldn't bind|[Aa]ddress already in use|EADDRINUSE|port (?:\d+ )?is already (?:in use|allocated)")
_KILLED = (-9, 137)
"""By SIGKILL, as the system ends a process when memory runs out; 137 is how a shell or a container says it."""


class Fault(msgspec.Struct, frozen=True):
    """`line` is where it showed, None where the exit alone says so."""

    kind: Literal["memory", "port"]
    line: str | None = None


def fault_of(code: int | None, lines: Iterable[str]) -> Fault | None:
    """None where neither the exit status (negative: by that signal) nor a line tells. An abort (134, -6) is no sign by
    itself: a failed assertion ends so, too."""
    for line in lines:
        if "mlock" in line:
            continue  # a warning: the pages stay where they are
        if _MEMORY.search(line):
            return Fault("memory", _short(line))
        if _PORT.search(line):
            return Fault("port", _short(line))
    return Fault("memory") if code in _KILLED else None


def _short(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()[:300]
