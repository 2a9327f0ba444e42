"""llama.cpp in a child process of the gateway's own."""

from __future__ import annotations

from typing import ClassVar

from pointsman.backends.llamacpp import LlamaCpp
from pointsman.backends.started import Started


class Embedded(Started, LlamaCpp):
    """As LlamaCpp, of which xllamacpp is one, at whatever address the child has now."""

    engine: ClassVar[str] = "embedded"
