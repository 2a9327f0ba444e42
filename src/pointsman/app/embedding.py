"""Which embedding model actions use."""

from __future__ import annotations

from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed


async def no_embedding(texts: list[str], *, query: bool = False) -> list[list[float]]:
    """`ports.Embed` where none is installed."""
    raise ActionFailed("setup", Said("No embedding model is installed.", "没有安装向量模型。"))
