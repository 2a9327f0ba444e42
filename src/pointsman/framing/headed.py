"""Chunks below a line, or behind a mark, that says which they are: `[1] …`, `[CONTEXT 0]:` (AnythingLLM), `ID: 0` and
`Document: a.pdf` (RAGFlow), `Document 2:`, `来源：a.pdf`, `出处 [1] [a.md](…)` (Langchain-Chatchat)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from pointsman.framing.piece import Piece

Kind = Literal["mark", "context", "id", "number", "name", "cited", "content"]

_WORDS = (
    r"document|doc|source|passage|chunk|snippet|reference|result|article|context|excerpt|文档|片段|资料|参考资料|参考|段落|来源"
    r"|上下文|知识"
)
_HEADS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("context", re.compile(r"(?i)\[CONTEXT (\d{1,6})\]:?[ \t]*")),
    ("mark", re.compile(rf"(?i)(?:\[\[?|【)(?:(?:{_WORDS})[ :：]?)?(\d{{1,6}})(?:\]\]?|】)[ \t]*[:：.、]?[ \t]*")),
    ("id", re.compile(r"(?i)(?:chunk[ _]?)?ID[ \t]?[:：][ \t]*([\w.-]{1,64})[ \t]*$")),
    ("cited", re.compile(r"出处 ?\[(\d{1,6})\] ?\[([^\]\n]{1,200})\](?:\([^)\n]{0,400}\))?[ \t]*")),
    (
        "number",
        re.compile(
            rf"(?i)(?:#{{1,6}} |\*\*)?(?:{_WORDS})[ \t]?#?(\d{{1,6}})[ \t]*(?:\*\*)?(?:[:：.、)）](?:\*\*)?[ \t]*|$)"
        ),
    ),
    (
        "name",
        re.compile(
            r"(?i)(?:#{1,6} |\*\*)?(?:document|source|file(?:[ _]?name|_path)?|filename|title|文档|文件(?:名)?|来源|标题"
            r"|出处)(?:\*\*)?[ \t]?[:：](?:\*\*)?[ \t]*(?=\S)([^\n]{1,200})$"
        ),
    ),
    ("content", re.compile(r"(?i)(?:content|page_content|内容|正文)[ \t]?[:：][ \t]*")),
)
_TREE = re.compile(r"[├└│ ]{1,4}──[ \t]?([^\n:：]{1,40})[:：][ \t]*([^\n]*)$")
_ASIDE = re.compile(
    r"(?i)(?:URL|score|page(?:_label)?|relevance|similarity|updated?|created|author|date|页码|相关度|更新时间)"
    r"[ \t]?[:：][^\n]{0,300}$"
)
_NAMED = re.compile(
    r"(?i)(?:source|file(?:[ _]?name|_path)?|filename|title|document|来源|文件(?:名)?|标题|出处)"
    r"[ \t]?[:：][ \t]*([^\n]{1,200})$"
)
_ENDS = re.compile(r"(?i)\[END CONTEXT \d{1,6}\][ \t]*$|-{3,200}[ \t]*$|relevant fragments as following:?[ \t]*-*$")
_WITH: dict[Kind, tuple[Kind, ...]] = {"name": ("name", "id")}
"""Kinds that part a text which begins with one; else only that kind does."""


class _Open(msgspec.Struct):
    """A chunk that is being read."""

    id: str | None = None
    name: str | None = None
    lines: list[str] = []

    def piece(self) -> Piece:
        return Piece("\n".join(self.lines).strip(), self.id, self.name)


def headed(context: str) -> list[Piece]:
    """Empty where the first line is no head. Of documents' names the last counts for what follows; lines that only tell of
    a chunk (page, score) right below its head are left out."""
    lines = context.split("\n")
    first = next((line.strip() for line in lines if line.strip() and not _ENDS.match(line.strip())), "")
    opening = _head(first, lambda kind: True)
    if opening is None:
        return []
    kinds = _WITH.get(opening[0], (opening[0],))
    document: str | None = None
    open_chunk = _Open()
    chunks = [open_chunk]
    for line in lines:
        bare = line.strip()
        head = _head(bare, kinds.__contains__)
        if head is not None:
            kind, found, rest = head
            if kind == "name":
                document = found[0].strip(" *`")
            open_chunk = _Open(
                id=found[0] if kind in ("mark", "context", "id", "number", "cited") else None,
                name=found[1] if kind == "cited" else document,
                lines=[rest] if rest else [],
            )
            chunks.append(open_chunk)
        elif not _told(bare, open_chunk) and not _ENDS.match(bare):
            open_chunk.lines.append(line.rstrip())
    return [piece for chunk in chunks if (piece := chunk.piece()).text]


def _head(line: str, wanted: Callable[[Kind], bool]) -> tuple[Kind, tuple[str, ...], str] | None:
    for kind, pattern in _HEADS:
        if wanted(kind) and (match := pattern.match(line)):
            return kind, match.groups(), line[match.end() :].strip()
    return None


def _told(line: str, chunk: _Open) -> bool:
    """Whether the line only tells of the chunk whose text has not begun."""
    if (branch := _TREE.match(line)) is not None:
        key = branch[1].strip().lower()
        if key in ("title", "name", "document", "标题", "文档"):
            chunk.name = branch[2].strip() or chunk.name
        elif key in ("content", "内容") and branch[2].strip():
            chunk.lines.append(branch[2])
        return True
    if any(text.strip() for text in chunk.lines):
        return False
    if (named := _NAMED.match(line)) is not None:
        chunk.name = chunk.name or named[1].strip()
        return True
    return _ASIDE.match(line) is not None
