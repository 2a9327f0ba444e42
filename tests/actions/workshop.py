"""What actions work with, in tests: real children and files, no gateway."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.bound import Bound
from pointsman.actions.child import Children
from pointsman.actions.kinds import made_of, spec_of
from pointsman.actions.once import Once
from pointsman.actions.specs import Surroundings
from pointsman.actions.tools import Tools
from pointsman.config.convert import convert
from pointsman.config.schema import Config
from pointsman.domain.links import Links
from pointsman.outbound.calls import HttpOutbound
from pointsman.ports.action import Action, ActionFailed, Occasion
from pointsman.ports.embed import Embed, Vector
from pointsman.store.files.local import LocalFiles

OCCASION = Occasion(request_id="req_1", tongue="en", base_url="http://gateway")
CHINESE = msgspec.structs.replace(OCCASION, tongue="zh")


def config_of(actions: Mapping[str, Any], **more: Any) -> Config:
    problems: list[Any] = []
    config = convert({"actions": actions, **more}, Config, "", problems)
    assert not problems, problems
    return config


class Asked:
    """Stands for a model: says what it is told to, and keeps what it was asked."""

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, list[dict[str, Any]]]] = []

    async def __call__(self, model: str, messages: list[dict[str, Any]], occasion: Occasion, **more: Any) -> str:
        self.asked.append((model, messages))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


class NoModel:
    """Stands for an embedding model that is not installed."""

    model = None

    async def __call__(self, texts: list[str], *, query: bool = False) -> list[Vector]:
        raise ActionFailed("setup", "no embedding model")


@contextlib.asynccontextmanager
async def workshop(
    folder: Path, actions: Mapping[str, Any], model: Asked | None = None, embed: Embed | None = None, **more: Any
) -> AsyncIterator[dict[str, Action]]:
    """The actions of that config, by name, within their limits. `more` are other sections."""
    from pointsman.app.actions import action_specs

    config = config_of(actions, **more)
    specs = action_specs(config, folder, {})
    assert not specs.problems, specs.problems
    files, children = LocalFiles(folder / "files"), Children(folder / "work")
    made: dict[str, Action] = {}

    async def uploaded(file_id: str, caller: str) -> None:
        return None

    tools = Tools(
        config=config,
        base=folder,
        data=folder / "data",
        files=files,
        children=children,
        outbound=HttpOutbound,
        links=Links(b"0123456789abcdef"),
        ask_model=model or Asked(),
        embed=embed or NoModel(),
        uploaded=uploaded,
        sources={},
        find=made.__getitem__,
        wall=lambda: 1_000_000.0,
        keep=3600.0,
    )
    once = Once(files)
    for name, spec in specs.specs.items():
        made[name] = Bound(made_of(spec.kind)(spec, config.actions[name], tools), once)
    try:
        yield made
    finally:
        await tools.residents.close()
        await children.close()


__all__ = ["CHINESE", "OCCASION", "Asked", "Surroundings", "config_of", "spec_of", "workshop"]
