"""llama.cpp's router mode: `llama-server` without a model keeps several, each in a process of its own (its
`tools/server/README.md`, autumn 2026). `GET /models` lists them with their status; what concerns one of them names it, and
loads it unless `autoload=false`."""

from __future__ import annotations

from urllib.parse import quote

import msgspec


class RouterStatus(msgspec.Struct, frozen=True):
    value: str


class RouterModel(msgspec.Struct, frozen=True):
    id: str
    status: RouterStatus | None = None
    aliases: tuple[str, ...] = ()


class RouterModels(msgspec.Struct, frozen=True):
    data: tuple[RouterModel, ...] = ()


def find_model(listed: RouterModels, name: str) -> RouterModel | None:
    """By its name or one of its aliases."""
    return next((model for model in listed.data if name == model.id or name in model.aliases), None)


def asked_of(model: str, path: str) -> str:
    """The path of a question about one model that does not load it."""
    return f"{path}?model={quote(model, safe='')}&autoload=false"
