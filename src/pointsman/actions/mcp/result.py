"""What a tool gave, as people, programs and later steps get it. All of it is a third party's."""

from __future__ import annotations

import asyncio
import base64
import binascii
import mimetypes
import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from pointsman.actions.files import published
from pointsman.actions.mcp.words import clean, clean_all, one_line
from pointsman.actions.tools import Tools
from pointsman.domain.said import Said, said, told
from pointsman.ports.action import ActionFailed, Effect, MadeFile, Occasion

MOST_FILES = 20
LONGEST_WORDS = 2000
"""Characters of what a tool says where it failed."""
_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,80}")
_SUFFIXES = {
    "image/jpeg": ".jpg",
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
    "audio/mpeg": ".mp3",
    "text/markdown": ".md",
}
_DONE = Said("Done.", "已完成。")


class Given(msgspec.Struct, frozen=True):
    """A file of a result: its name, its type, its content."""

    name: str
    media_type: str
    content: bytes


class Read(msgspec.Struct, frozen=True):
    """A result, read. `values` is an object, whatever the tool gave."""

    text: str
    values: dict[str, Any]
    files: list[Given]
    failed: bool


class _Resource(msgspec.Struct, frozen=True, rename="camel"):
    uri: str = ""
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None


class _Block(msgspec.Struct, frozen=True, rename="camel"):
    """Of any type: what its `type` does not have is not there."""

    type: str
    text: str | None = None
    data: str | None = None
    mime_type: str | None = None
    resource: _Resource | None = None
    uri: str | None = None
    name: str | None = None
    title: str | None = None


class _Result(msgspec.Struct, frozen=True, rename="camel"):
    content: list[_Block] = []
    structured_content: Any = None
    is_error: bool = False
    result_type: str = "complete"


def read_result(result: dict[str, Any], most: int) -> Read:
    """`most`: characters of text that are of use. Raises ActionFailed."""
    try:
        found = msgspec.convert(result, _Result, strict=False)
        values = clean_all(found.structured_content)
    except (msgspec.ValidationError, ValueError) as error:
        raise ActionFailed("protocol", _FORM, detail=str(error)) from None
    if found.result_type != "complete":
        raise ActionFailed("needs_input", _ASKS, detail=one_line(found.result_type, 100))
    texts: list[str] = []
    files: list[Given] = []
    for block in found.content:
        if block.type == "text" and block.text is not None:
            texts.append(block.text)
        elif block.type == "resource_link" and block.uri:
            texts.append(_link(block))
        elif len(files) < MOST_FILES and (file := _file(block, len(files) + 1)) is not None:
            files.append(file)
    if values is None and len(texts) == 1:
        values = _as_json(texts[0])
    text = clean("\n\n".join(texts)[: 2 * most]).strip()
    if not text and values is not None and not files:
        text = msgspec.json.format(msgspec.json.encode(values), indent=2).decode()
    return Read(text, _object(values), files, found.is_error)


async def effect_of(read: Read, spec_name: str, occasion: Occasion, tools: Tools) -> Effect:
    """Its files are published, and linked to under the text. Raises ActionFailed where the tool itself failed,
    FileStoreError."""
    if read.failed:
        en, zh = 'The tool "{name}" failed: {words}', "工具“{name}”执行失败：{words}"
        words = clean(read.text, LONGEST_WORDS) or Said("it does not say why", "没有说明原因")
        raise ActionFailed("tool_error", said(en, zh, name=spec_name, words=words))
    made: list[MadeFile] = []
    if read.files:
        async with tools.children.folder() as folder:
            for number, file in enumerate(read.files):
                path = folder / f"out-{number}"
                await asyncio.to_thread(path.write_bytes, file.content)
                made.append(await published(path, file.name, file.media_type, tools))
    links = [f"{file.name}{'：' if occasion.tongue == 'zh' else ': '}{tools.link(file, occasion)}" for file in made]
    text = "\n\n".join(part for part in (read.text, "\n".join(links)) if part)
    return Effect(text or told(_DONE, occasion.tongue), values=read.values, files=tuple(made))


def _file(block: _Block, number: int) -> Given | None:
    """What it holds besides text; None where that is nothing."""
    resource = block.resource
    if block.type in ("image", "audio") and block.data is not None:
        content, media_type, name = _bytes(block.data), block.mime_type, f"{block.type}-{number}"
    elif block.type == "resource" and resource is not None and (resource.text is not None or resource.blob is not None):
        content = _bytes(resource.blob) if resource.text is None else resource.text.encode("utf-8", "replace")
        media_type = resource.mime_type or ("text/plain" if resource.text is not None else None)
        name = _name_in(resource.uri) or f"resource-{number}"
    else:
        return None
    media_type = (media_type or "").partition(";")[0].strip().lower()
    if not _TYPE.fullmatch(media_type):
        media_type = "application/octet-stream"
    if not PurePosixPath(name).suffix:
        name += _SUFFIXES.get(media_type) or mimetypes.guess_extension(media_type) or ".bin"
    return Given(name, media_type, content)


def _bytes(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "", validate=True)
    except (binascii.Error, ValueError):
        raise ActionFailed("protocol", _FORM, detail="a file that is no base64") from None


def _name_in(uri: str) -> str:
    try:
        last = PurePosixPath(unquote(urlsplit(uri).path)).name
    except ValueError:
        return ""
    return one_line("".join("_" if character in '/\\:*?"<>|' else character for character in last), 100).lstrip(".")


def _link(block: _Block) -> str:
    name = one_line(block.title or block.name or "", 200)
    return f"{name}: {one_line(block.uri or '', 2000)}" if name else one_line(block.uri or "", 2000)


def _as_json(text: str) -> Any:
    """What many tools put into their text for want of another place."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return clean_all(msgspec.json.decode(text))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _object(values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    return values if isinstance(values, dict) else {"items" if isinstance(values, list) else "value": values}


_FORM = Said("The tool gave something whose form is not known.", "工具返回的内容格式无法识别。")
_ASKS = Said("The tool asks something back, which cannot be answered here.", "工具要求补充信息，而这里无法提供。")
