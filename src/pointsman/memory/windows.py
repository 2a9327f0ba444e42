"""Which layers of a network see only a window of the tokens."""

from __future__ import annotations

from collections.abc import Sequence

PERIODS = {
    "afmoe": (4, False),
    "cohere2": (4, False),
    "exaone-moe": (4, False),
    "exaone4": (4, False),
    "gemma-embedding": (6, False),
    "gemma2": (2, False),
    "gemma3": (6, False),
    "gemma3n": (5, False),
    "gpt-oss": (2, False),
    "laguna": (4, True),
    "llama4": (4, False),
    "modern-bert": (3, True),
    "olmo2": (4, False),
    "phi3": (1, False),
    "plamo3": (8, False),
    "smallthinker": (4, True),
}
"""Architecture of a GGUF file → (period, whether the layer that sees all stands first in each), as llama.cpp has them in
its code. A file may name another period. 1: no layer has a window, whatever the file says of one."""

HF_PERIODS = {
    "cohere2": (4, False),
    "exaone4": (4, False),
    "gemma2": (2, False),
    "gemma3": (6, False),
    "gemma3_text": (6, False),
    "gemma3n_text": (5, False),
    "gpt_oss": (2, False),
    "olmo3": (4, False),
    "phi3": (1, False),
}
"""The same by `model_type` of a config.json, where it lists no types of layers."""


def windowed(count: int, period: int | Sequence[int | float | bool], whole_first: bool = False) -> tuple[bool, ...]:
    """Of each of `count` layers, whether it has a window. A period of n: the last (or first) layer of every n sees all;
    0: none does. A sequence says it layer by layer; layers beyond its end see all."""
    if not isinstance(period, int):
        return tuple(at < len(period) and bool(period[at]) for at in range(count))
    if period == 0:
        return (True,) * count
    whole = 0 if whole_first else period - 1
    return tuple(at % period != whole for at in range(count))
