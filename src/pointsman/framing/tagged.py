"""Chunks in tags: `<source id="1" name="a.pdf">…</source>` (Open WebUI), `<document index="1"><source>…</source>
<document_content>…</document_content></document>`, `<data>…</data>` (MaxKB), `<Question>…</Question><Answer>…</Answer>`
(FastGPT)."""

from __future__ import annotations

import re

from pointsman.framing.piece import Piece

_ITEMS = "source|document|doc|chunk|passage|item|data|result|snippet|reference|cite|file|page|片段|文档|资料"
_OPENING = re.compile(rf"(?i)<({_ITEMS})((?:\s[^<>]{{0,400}})?)>")
_ATTRIBUTE = re.compile(r"""([\w-]{1,40})\s?=\s?(?:"([^"]{0,300})"|'([^']{0,300})'|([^\s"'>]{1,300}))""")
_IDS = ("id", "index", "source_id", "document_id", "doc_id", "chunk_id", "number", "n", "idx", "ref")
_NAMES = ("name", "title", "source", "file", "filename", "file_name", "document", "url", "path", "sourcename")
_TEXTS = ("document_content", "source_context", "content", "page_content", "text", "body", "context")
_INNER = re.compile(rf"(?i)\s{{0,20}}<({'|'.join((*_IDS, *_NAMES, *_TEXTS))})>")
_LONE = re.compile(r"</?[\w-]{1,40}>")
_PAIR = re.compile(r"(?i)</?(?:question|answer|q|a)>[ \t]*\n?")


def tagged(context: str) -> list[Piece]:
    """Empty where it is not in tags. What stands between two tags is a piece of its own."""
    first = _OPENING.search(context)
    if first is None:
        return _pairs(context)
    name = first[1].lower()
    closing = re.compile(rf"(?i)</{re.escape(name)}\s?>")
    pieces: list[Piece] = []
    at = 0
    for opening in _OPENING.finditer(context):
        if opening.start() < at or opening[1].lower() != name:
            continue
        end = closing.search(context, opening.end())
        if end is None:
            break
        pieces.append(Piece(context[at : opening.start()].strip()))
        pieces.append(_item(context[opening.end() : end.start()], opening[2]))
        at = end.end()
    if not at:
        return []
    pieces.append(Piece(context[at:].strip()))
    return [piece for piece in pieces if piece.text and not _LONE.fullmatch(piece.text)]


def _pairs(context: str) -> list[Piece]:
    """One question with its answer. Several are parted by rules, which are not looked at here."""
    if not context.lower().startswith(("<question>", "<q>")) or context.lower().count("<question>") > 1:
        return []
    return [Piece(_PAIR.sub("", context).strip())]


def _item(inside: str, attributes: str) -> Piece:
    known = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(attributes)}
    text = None
    at = 0
    while (tag := _INNER.match(inside, at)) is not None:
        key = tag[1].lower()
        closings = re.compile(rf"(?i)</{key}>").finditer(inside, tag.end())
        end = next(closings, None)
        if end is None:
            break
        if key in _TEXTS:
            *_, end = (end, *closings)  # it may hold closing tags itself
            text = inside[tag.end() : end.start()].strip()
            break
        known.setdefault(key, inside[tag.end() : end.start()].strip())
        at = end.end()
    if text is None:
        text = inside[at:].strip()
    return Piece(
        _PAIR.sub("", text).strip(),
        next((known[key] for key in _IDS if known.get(key)), None),
        next((known[key] for key in _NAMES if known.get(key)), None),
    )
