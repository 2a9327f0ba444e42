"""Which embedding model there is."""

from __future__ import annotations

from pointsman.actions.residents import Residents
from pointsman.domain.said import Said
from pointsman.embedding import E5, installed_model
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Embed, Vector


class NoEmbedding:
    """`ports.Embed` where none is installed."""

    model = None

    async def __call__(self, texts: list[str], *, query: bool = False, tokens: int | None = None) -> list[Vector]:
        raise ActionFailed("setup", _NONE)


def embedding_of(residents: Residents) -> Embed:
    """The one of this process; it takes no memory until it is asked."""
    model = installed_model()
    if model is None:
        return NoEmbedding()
    return residents.get(f"embedding {model}", lambda: E5(model), E5)


_NONE = Said(
    "No embedding model is installed. An administrator can install it: pip install 'pointsman[embed]'.",
    "没有安装向量模型。管理员可以安装：pip install 'pointsman[embed]'。",
)
