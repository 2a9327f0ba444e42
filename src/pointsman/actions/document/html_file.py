"""Web pages: what a reader would read, without menus, scripts and styles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pointsman.actions.document.block import Block, Heading, Item, PageStart, Paragraph, Table

_DROPPED = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "iframe",
    "object",
    "head",
    "select",
    "button",
    "rt",
    "rp",
}
_FRAME = {"nav", "aside", "footer", "form"}
_BLOCKS = {
    "p", "div", "section", "article", "main", "header", "footer", "aside", "nav", "blockquote", "pre", "figure",
    "figcaption", "address", "dl", "dt", "dd", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "fieldset",
    "form", "details", "summary", "body", "html", "center", "table",
}  # fmt: skip
_ENOUGH = 200  # characters of an article that make the rest of the page its frame
_MOST_NODES = 500_000


def html_blocks(text: str) -> Iterator[Block]:
    tree = LexborHTMLParser(text)
    yield PageStart(1)
    title = tree.css_first("title")
    if title is not None and title.text().strip():
        yield Heading(1, title.text())
    root = _article(tree)
    if root is not None:
        walk = _Walk(root is not tree.body)
        yield from walk.all(root)


def _article(tree: LexborHTMLParser) -> LexborNode | None:
    for name in ("main", "article"):
        found = tree.css(name)
        if len(found) == 1 and len(found[0].text()) > _ENOUGH:
            return found[0]
    return tree.body


class _Walk:
    """`whole`: what frames a page is not left out, because what is walked is not a page."""

    def __init__(self, whole: bool) -> None:
        self._dropped = _DROPPED if whole else _DROPPED | _FRAME
        self._text: list[str] = []
        self._kinds: list[tuple[str, Any]] = []
        self._nodes = 0

    def all(self, root: LexborNode) -> Iterator[Block]:
        """Without recursion: pages nest as deep as somebody likes."""
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        lists: list[int | None] = []
        inside: list[tuple[str, Any]] = [("p", 0)]
        while stack and self._nodes < _MOST_NODES:
            node, leaving = stack.pop()
            name = node.tag
            if leaving:
                yield from self._flushed(inside[-1])
                inside.pop()
                if name in ("ul", "ol"):
                    lists.pop()
                continue
            self._nodes += 1
            if name == "-text":
                self._text.append(node.text_content or "")
            elif name == "br":
                self._text.append("\n")
            elif name in self._dropped or name == "-comment" or _is_hidden(node):
                continue
            elif name == "table" and not node.css("table table"):
                yield from self._flushed(inside[-1])
                rows = _rows(node)
                if len(rows) > 1 or (rows and len(rows[0]) > 1):
                    yield Table(rows)
                else:
                    self._text.append(node.text(separator=" "))
                    yield from self._flushed(("p", 0))
            else:
                if name in _BLOCKS:
                    yield from self._flushed(inside[-1])
                    inside.append(_kind(str(name), lists, inside[-1]))
                    stack.append((node, True))
                    if name in ("ul", "ol"):
                        lists.append(0 if name == "ol" else None)
                children = list(node.iter(include_text=True))
                stack += [(child, False) for child in reversed(children)]
        yield from self._flushed(inside[-1])

    def _flushed(self, kind: tuple[str, Any]) -> Iterator[Block]:
        lines = [" ".join(line.split()) for line in "".join(self._text).split("\n")] if kind[0] != "pre" else []
        text = "\n".join(line for line in lines if line) if kind[0] != "pre" else "".join(self._text).strip("\n")
        if kind[0] not in ("pre",) and "\n" in text and not any(part == "\n" for part in self._text):
            text = " ".join(text.split())
        self._text.clear()
        if not text.strip():
            return
        match kind[0]:
            case "h":
                yield Heading(kind[1], text)
            case "li":
                depth, number = kind[1]
                yield Item(depth, text, number)
            case _:
                yield Paragraph(text)


def _kind(name: str, lists: list[int | None], outer: tuple[str, Any]) -> tuple[str, Any]:
    if name[0] == "h" and name[1:].isdigit():
        return "h", int(name[1:])
    if name == "li":
        number = None
        if lists and (count := lists[-1]) is not None:
            number = lists[-1] = count + 1
        return "li", (max(len(lists) - 1, 0), number)
    if name == "pre":
        return "pre", 0
    return outer if name in ("p", "div") and outer[0] == "li" else ("p", 0)


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def _rows(table: LexborNode) -> list[list[Any]]:
    """Cells over several columns or rows stand in the first."""
    rows: list[list[Any]] = []
    below: dict[int, int] = {}  # column → rows that a cell above still covers
    for line in table.css("tr"):
        row: list[Any] = []
        for cell in line.iter():
            if cell.tag not in ("td", "th"):
                continue
            while below.get(len(row), 0) > 0:
                below[len(row)] -= 1
                row.append("")
            across, down = (_span(cell.attributes.get(name)) for name in ("colspan", "rowspan"))
            for place in range(len(row), len(row) + across):
                if down > 1:
                    below[place] = down - 1
            row += [" ".join(cell.text(separator=" ").split()), *[""] * (across - 1)]
        rows.append(row)
    return rows


def _span(text: str | None) -> int:
    return (
        max(1, min(int(text), 1000)) if text is not None and text.isascii() and text.isdigit() and len(text) < 5 else 1
    )
