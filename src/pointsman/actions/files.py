"""Files that actions get and give."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from pointsman.actions.tools import MADE, Tools
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed, Attached, MadeFile, Occasion


class Fetched(msgspec.Struct, frozen=True):
    """A file in a task's folder. `path` says nothing of what it is called: that is `name`."""

    path: Path
    name: str
    size: int


async def fetched(ref: str, occasion: Occasion, tools: Tools, folder: Path, most: int) -> Fetched:
    """The file that a parameter names: one of the occasion's, or the id of one of the caller's uploads; at most `most`
    bytes. Raises ActionFailed, FileStoreError."""
    path = folder / f"in-{secrets.token_hex(4)}"
    attached = occasion.files.get(ref)
    if attached is not None:
        name = attached.name
        if attached.content is not None:
            _check_size(len(attached.content), most, name)
            await asyncio.to_thread(path.write_bytes, attached.content)
            return Fetched(path, name, len(attached.content))
        pieces = tools.files.pieces(attached.key or "")
    else:
        found = await tools.uploaded(ref, occasion.caller)
        if found is None:
            raise ActionFailed("no_file", said(*_NO_FILE, file=ref[:100], valid=_valid(occasion)))
        name, size, pieces = found
        _check_size(size, most, name)
    return Fetched(path, name, await _written(pieces, path, most, name))


async def published(path: Path, name: str, media_type: str, tools: Tools) -> MadeFile:
    """Takes the file out of the task's folder. Raises FileStoreError."""
    suffix = "".join(c for c in Path(name).suffix.lower() if c.isascii() and c.isalnum())[:10]
    key = f"{MADE}{secrets.token_hex(24)}" + (f".{suffix}" if suffix else "")
    size = path.stat().st_size  # noqa: ASYNC240 - its inode is in memory
    await tools.files.publish(key, path)
    return MadeFile(key, name, media_type, size)


async def _written(pieces: AsyncIterator[bytes], path: Path, most: int, name: str) -> int:
    size = 0
    try:
        with path.open("wb") as file:
            async for piece in pieces:
                size += len(piece)
                _check_size(size, most, name)
                file.write(piece)
    except FileNotFoundError:
        raise ActionFailed("no_file", said(*_GONE, file=name)) from None
    finally:
        if hasattr(pieces, "aclose"):
            await pieces.aclose()
    return size


def _check_size(size: int, most: int, name: str) -> None:
    if size > most:
        en = 'The file "{name}" is larger than the {most:,} bytes that this takes.'
        zh = "文件“{name}”超过了上限 {most:,} 字节。"
        raise ActionFailed("too_large", said(en, zh, name=name, most=most), refused=True)


def _valid(occasion: Occasion) -> str:
    names = [f"{ref} ({attached.name})" for ref, attached in occasion.files.items() if isinstance(attached, Attached)]
    return (
        said("{it}", "{it}", it=", ".join(names))
        if names
        else Said("the id of an upload: file-…", "已上传文件的编号：file-…")
    )


_NO_FILE = 'There is no file "{file}" (valid: {valid}).', "没有文件“{file}”（可用的有：{valid}）。"
_GONE = 'The file "{file}" is not kept any more.', "文件“{file}”已不再保留。"
