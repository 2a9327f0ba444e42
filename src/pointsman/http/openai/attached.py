"""Files that came with a message: parts of its content that are no text."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said
from pointsman.domain.upload import is_file_id
from pointsman.ports.action import Attached

_PREFIX = "attached:"
_AUDIO = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def refs_in(messages: Any) -> tuple[str, ...]:
    """Names for the files of the last message of the user, in order: the id of an upload, or `attached:N`. Links to files
    elsewhere have none: nobody fetches them."""
    return tuple(ref for ref, _ in _files(messages))


def attached_in(messages: Any) -> dict[str, Attached]:
    """What `attached:N` stands for. Raises PointsmanError (400) for one that is no base64."""
    found = {}
    for ref, part in _files(messages):
        if ref.startswith(_PREFIX):
            found[ref] = _read(part, ref)
    return found


def _files(messages: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    last = next((m for m in reversed(messages) if isinstance(m, dict) and m.get("role") == "user"), None)
    parts = last.get("content") if last is not None else None
    number = 0
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, dict):
            continue
        kind = part.get("type")
        body = part.get(kind) if isinstance(kind, str) else None
        if kind == "file" and isinstance(body, dict):
            file_id = body.get("file_id")
            if isinstance(file_id, str) and is_file_id(file_id):
                yield file_id, part
                continue
            held = isinstance(body.get("file_data"), str)
        elif kind == "image_url":
            url = body.get("url") if isinstance(body, dict) else body
            held = isinstance(url, str) and url.startswith("data:")
        else:
            held = kind == "input_audio" and isinstance(body, dict) and isinstance(body.get("data"), str)
        if held:
            yield f"{_PREFIX}{number}", part
            number += 1


def _read(part: dict[str, Any], ref: str) -> Attached:
    kind: str = part["type"]
    body = part[kind]
    if kind == "input_audio":
        form = str(body.get("format") or "wav")[:10]
        return Attached(f"audio.{form}", _AUDIO.get(form, "application/octet-stream"), _bytes(body["data"], ref))
    if kind == "file":
        media_type, data = _data_url(body["file_data"])
        name = body.get("filename")
        return Attached(str(name)[:200] if name else "file", media_type, _bytes(data, ref))
    media_type, data = _data_url(body["url"] if isinstance(body, dict) else body)
    return Attached("image." + media_type.rpartition("/")[2][:10], media_type, _bytes(data, ref))


def _data_url(text: str) -> tuple[str, str]:
    """Media type and base64, also where they stand bare."""
    if not text.startswith("data:"):
        return "application/octet-stream", text
    head, _, data = text[5:].partition(",")
    return head.partition(";")[0] or "application/octet-stream", data


def _bytes(data: str, ref: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        why = Said("the file is not valid base64", "文件不是有效的 base64")
        raise PointsmanError(why, code="bad_file", param=ref) from None
