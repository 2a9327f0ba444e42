"""An effect that is published once, however often it is made."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import msgspec

from pointsman.ports.action import Effect
from pointsman.ports.file_store import FileStore, FileStoreError

EFFECTS = "effects/"
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
_decode = msgspec.msgpack.Decoder(Effect).decode


class Once:
    """Of several that make an effect of one name, at the same time or one after another's death, one publishes it; all
    tell that one. Files are published before the effect that tells of them: those of the others are removed, and where a
    process died in between, they are purged with time, for nobody knows their names.

    A failed effect is not published: the next try may do better. An uncertain one is: nobody may try again."""

    def __init__(self, files: FileStore) -> None:
        self._files = files

    async def run(self, name: str | None, make: Callable[[], Awaitable[Effect]]) -> Effect:
        """`name` is fit to be part of a key; None: nobody else makes this one. Raises what `make` raises, and
        FileStoreError: then the effect may have been published all the same, and is found by the next run."""
        if name is None:
            return await make()
        key = EFFECTS + name
        told = await self._files.read(key)
        if told is not None:
            return _decode(told)
        made = await make()
        final = made.outcome != "failed" or made.error == "uncertain"
        if not final or await self._files.publish(key, _encode(made)):
            return made
        told = await self._files.read(key)
        if told is None:  # purged meanwhile
            return made
        for file in made.files:
            with contextlib.suppress(FileStoreError):
                await self._files.delete(file.key)
        return _decode(told)
