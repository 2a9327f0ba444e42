"""Arbiters and fillers that must not see some values: they hear placeholders in their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.domain.intent import Filled, Heard, Query
from pointsman.masking import Masked, mask
from pointsman.ports.arbiter import Arbiter, Filler


class MaskedArbiter:
    """Another arbiter, without values of these kinds."""

    def __init__(self, arbiter: Arbiter, kinds: Sequence[str]) -> None:
        self._arbiter = arbiter
        self._kinds = kinds

    @property
    def name(self) -> str:
        return self._arbiter.name

    async def hear(self, query: Query) -> Heard:
        return await self._arbiter.hear(_masked(query, self._kinds)[0])

    async def ready(self) -> bool:
        return await self._arbiter.ready()

    async def aclose(self) -> None:
        await self._arbiter.aclose()


class MaskedFiller:
    """Another filler, without values of these kinds; those that it reads are put back."""

    def __init__(self, filler: Filler, kinds: Sequence[str]) -> None:
        self._filler = filler
        self._kinds = kinds

    async def fill(self, query: Query, action: str, schema: dict[str, Any]) -> Filled:
        hidden, masked = _masked(query, self._kinds)
        filled = await self._filler.fill(hidden, action, schema)
        parameters = {name: _put_back(value, masked.values) for name, value in filled.parameters.items()}
        return msgspec.structs.replace(filled, parameters=parameters)


def _masked(query: Query, kinds: Sequence[str]) -> tuple[Query, Masked]:
    texts = [query.text, *_texts(query.context)]
    masked = mask(texts, kinds)
    instead = dict(zip(texts, masked.texts, strict=True))
    context = _changed(query.context, instead)
    return msgspec.structs.replace(query, text=masked.texts[0], context=context), masked


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _texts(part)]
    return []


def _changed(value: Any, instead: dict[str, str]) -> Any:
    if isinstance(value, str):
        return instead[value]
    if isinstance(value, dict):
        return {name: _changed(part, instead) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(part, instead) for part in value]
    return value


def _put_back(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, str):
        for placeholder, original in values.items():
            value = value.replace(placeholder, original)
        return value
    if isinstance(value, dict):
        return {name: _put_back(part, values) for name, part in value.items()}
    if isinstance(value, list):
        return [_put_back(part, values) for part in value]
    return value
