"""An effect that is published once, however often it is made."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import msgspec

from pointsman.ports.action import Effect
from pointsman.ports.file_store import FileStore, FileStoreError

EFFECTS = "effects/"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Effect).decode


class Made(msgspec.Struct, frozen=True):
    """An effect, and the keys of the files that were published for it."""

    effect: Effect
    files: tuple[str, ...] = ()


class Once:
    """Of several that make an effect of one name, at the same time or one after another's death, one publishes it; all
    tell that one. Files are published before the effect that tells of them: those of the others are removed, and where a
    process died in between, they are purged with time, for nobody knows their names.

    A failed effect is not published: the next try may do better."""

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run(self, name: str | None, make: Callable[[], Awaitable[Made]]) -> Effect:
        """`name` is fit to be part of a key; None: nobody else makes this one. Raises what `make` raises, and
        FileStoreError: then the effect may have been published all the same, and is found by the next run."""
        if name is None:
            return (await make()).effect
        key = EFFECTS + name
        told = await self._files.read(key)
        if told is not None:
            return _decode(told)
        made = await make()
        if made.effect.outcome == "failed" or await self._files.publish(key, _encode(made.effect)):
            return made.effect
        told = await self._files.read(key)
        if told is None:  # purged meanwhile
            return made.effect
        for file in made.files:
            with contextlib.suppress(FileStoreError):
                await self._files.delete(file)
        return _decode(told)
