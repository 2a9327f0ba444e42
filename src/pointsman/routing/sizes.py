"""How large a model is, where something says so: its file or engine, its name, or the tier that it stands in."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Literal

from pointsman.domain.target import BackendState, Target

_IN_NAME = re.compile(r"(?<![a-z0-9.])(?:(\d{1,2})x)?(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z0-9])")
_OF_TIER = {"light": 3.0, "medium": 8.0, "heavy": 32.0}
SizeSource = Literal["size", "tier", "none"]
USUAL = 8.0
"""Billions of parameters that a model is taken to have of which nothing is known."""


def size_of(target: Target, state: BackendState) -> tuple[float, SizeSource]:
    """Billions of parameters, and whence that is known."""
    return _size(state.facts.parameters, target.model, target.tier)


@lru_cache(maxsize=1024)
def _size(parameters: int | None, model: str, tier: str) -> tuple[float, SizeSource]:
    if parameters:
        return parameters / 1e9, "size"
    named = size_in(model)
    if named is not None:
        return named, "size"
    of_tier = _OF_TIER.get(tier)
    return (USUAL, "none") if of_tier is None else (of_tier, "tier")


def size_in(name: str) -> float | None:
    """Billions of parameters that a model's name tells: qwen2.5:7b, smollm2-135m, mixtral-8x7b; None where it tells none."""
    found = _IN_NAME.search(name.lower())
    if found is None:
        return None
    size = float(found[2]) * int(found[1] or 1) / (1000.0 if found[3] == "m" else 1.0)
    return size or None


def doublings(size: float) -> float:
    """How often one billion is doubled to come to `size` billions, straight between powers of two: nothing here depends
    on a machine's own logarithm."""
    mantissa, exponent = math.frexp(size)
    return exponent - 1 + (2.0 * mantissa - 1.0)
