"""Chunks as JSON: a list of objects or texts, or objects one after the other (FastGPT parts them by `------`)."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pointsman.framing.piece import Piece

_IDS = ("id", "chunk_id", "document_id", "doc_id", "index", "_id", "number")
_NAMES = ("sourceName", "source", "title", "file", "filename", "file_name", "document_name", "document", "name", "url")
_TEXTS = ("content", "text", "page_content", "chunk", "body", "passage", "snippet", "q")
_LISTS = ("chunks", "documents", "results", "passages", "sources", "data", "records", "context")
_PARTED = re.compile(r"\n[ \t]{0,8}(?:-{3,200}[ \t]{0,8}\r?\n)?\s{0,8}(?=\{)")
_FIELD = re.compile(r'"(id|sourceName|source|title|name)"\s{0,4}:\s{0,4}"([^"\n]{0,300})"')
_CONTENT = re.compile(r'"(?:content|text)"\s{0,4}:\s{0,4}"')
_ENDING = re.compile(r'"\s{0,8}\}\s{0,8}$')


def objects(context: str) -> list[Piece]:
    """Empty where it is no JSON of that kind. Objects whose text has line breaks or quotes as they are count too."""
    start = context.lstrip()[:1]
    if start not in ("[", "{"):
        return []
    whole = _read(context)
    if whole:
        return whole
    if start != "{":
        return []
    pieces: list[Piece] = []
    for text in _PARTED.split(context):
        found = _read(text) or _loose(text)
        if not found:
            return []
        pieces += found
    return pieces


def _read(text: str) -> list[Piece]:
    try:
        value = msgspec.json.decode(text.encode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return []
    if isinstance(value, dict):
        inner = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        value = [value] if inner is None else inner
    if not isinstance(value, list):
        return []
    found = [_piece(item) for item in value]
    return [piece for piece in found if piece is not None] if all(found) else []


def _piece(item: Any) -> Piece | None:
    if isinstance(item, str):
        return Piece(item)
    if not isinstance(item, dict):
        return None
    text = next((str(item[key]) for key in _TEXTS if isinstance(item.get(key), str)), None)
    if text is None:
        return None
    if "q" in item and isinstance(item.get("a"), str):
        text = f"{item['q']}\n{item['a']}"
    return Piece(text.strip(), _first(item, _IDS), _first(item, _NAMES))


def _first(item: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((str(item[key]) for key in keys if isinstance(item.get(key), str | int) and item[key] != ""), None)


def _loose(text: str) -> list[Piece]:
    """An object that a template was filled in of, without escaping what went in."""
    content = _CONTENT.search(text)
    if content is None:
        return []
    ending = _ENDING.search(text, max(content.end(), len(text) - 20))
    if ending is None:
        return []
    known = dict(_FIELD.findall(text[: content.start()]))
    inside = text[content.end() : ending.start()].replace("\\n", "\n").replace('\\"', '"').strip()
    name = next((known[key] for key in ("sourceName", "source", "title", "name") if known.get(key)), None)
    return [Piece(inside, known.get("id") or None, name)]
