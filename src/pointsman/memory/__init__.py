"""What a model takes of a device's memory, as arithmetic: no file is read here, no engine asked.

Source of the rules: what llama.cpp prints when it loads a model (tests/memory holds every figure against it), its
architectures' hyperparameters, and vLLM's documentation."""

from pointsman.memory.cache import cells, kv_bytes, kv_tokens_available, tokens_per_sequence
from pointsman.memory.network import Layer, Network, Unreadable, uniform
from pointsman.memory.rows import F16, Types

__all__ = [
    "F16",
    "Layer",
    "Network",
    "Types",
    "Unreadable",
    "cells",
    "kv_bytes",
    "kv_tokens_available",
    "tokens_per_sequence",
    "uniform",
]
