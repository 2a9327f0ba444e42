"""What actions of one process work with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

from pointsman.actions.child import Children
from pointsman.actions.residents import Residents
from pointsman.actions.tools import Tools
from pointsman.app.embedding import embedding_of
from pointsman.app.setup import Setup
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.links import Links
from pointsman.outbound.calls import HttpOutbound
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.action import Action, AskModel
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStore


def tools_of(
    setup: Setup,
    *,
    files: FileStore,
    children: Children,
    links: Links,
    ask_model: AskModel,
    uploads: Uploads,
    find: Callable[[str], Action],
    clock: Clock,
    residents: Residents,
) -> Tools:
    async def uploaded(file_id: str, caller: str) -> tuple[str, int, AsyncIterator[bytes]] | None:
        upload = await uploads.find(file_id)
        if upload is None or upload.caller != caller:
            return None
        return upload.filename, upload.size, uploads.pieces(file_id)

    return Tools(
        config=setup.config,
        base=Path(setup.base),
        data=data_dir(setup.config),
        files=files,
        children=children,
        outbound=HttpOutbound,
        links=links,
        ask_model=ask_model,
        embed=embedding_of(residents),
        uploaded=uploaded,
        sources=setup.sources,
        find=find,
        wall=clock.wall,
        keep=parse_span(setup.config.files.keep),
        residents=residents,
    )
