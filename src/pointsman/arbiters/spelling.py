"""`ports.Embed` where there is no embedding model: the arbiter goes by spelling alone."""

from __future__ import annotations

from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Vector


class SpellingOnly:
    model = None

    async def __call__(self, texts: list[str], *, query: bool = False, tokens: int | None = None) -> list[Vector]:
        raise ActionFailed("setup", Said("no embedding model is installed", "没有安装向量模型"))
