"""Vectors of many texts, for learning and for measures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pointsman.domain.errors import PointsmanError
from pointsman.domain.meaning import coordinates
from pointsman.domain.said import Said, said
from pointsman.embedding.installed import installed_model
from pointsman.embedding.process import E5
from pointsman.ports.action import ActionFailed

_AT_A_TIME = 8
_TOLD_EVERY = 1000
"""Texts after which is said how many are done: a text takes hundredths of a second."""
Tell = Callable[[Said], None]


def embedded(texts: Sequence[str], tokens: int, tell: Tell | None = None) -> list[bytes]:
    """Coordinates of each text, as those of a request come; at most so many `tokens` of it are read. `tell` hears how far
    it is. Raises PointsmanError where no model is installed, or it breaks off."""
    name = installed_model()
    if name is None:
        raise PointsmanError(_NONE)
    try:
        return asyncio.run(_rows(texts, E5(name), tokens, tell))
    except ActionFailed as error:
        raise PointsmanError(error.message) from None


_NONE = Said(
    "no embedding model is installed: pip install 'pointsman[embed]'",
    "没有安装向量模型：pip install 'pointsman[embed]'",
)


async def _rows(texts: Sequence[str], embed: E5, tokens: int, tell: Tell | None) -> list[bytes]:
    rows: list[bytes] = []
    try:
        for at in range(0, len(texts), _AT_A_TIME):
            wanted = [text or "." for text in texts[at : at + _AT_A_TIME]]
            rows += map(coordinates, await embed(wanted, query=True, tokens=tokens))
            if tell is not None and len(rows) % _TOLD_EVERY < _AT_A_TIME <= len(rows):
                tell(
                    said(
                        "{done} of {all} texts embedded …", "已向量化 {done}/{all} 条……", done=len(rows), all=len(texts)
                    )
                )
    finally:
        await embed.close()
    return rows
