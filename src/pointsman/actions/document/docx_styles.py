"""What the styles and lists of a Word file mean."""

from __future__ import annotations

import re

import msgspec

from pointsman.actions.document.archive import Archive
from pointsman.actions.document.xml_events import End, Start, events

_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)


class Styles(msgspec.Struct):
    """Style id → its level as a heading, or the list (number, level) that it belongs to. `numbered` are the (list, level)
    that count; the others have dots."""

    headings: dict[str, int]
    lists: dict[str, tuple[str, int]]
    numbered: set[tuple[str, int]]


def styles_of(archive: Archive, styles: str | None, numbering: str | None) -> Styles:
    found = Styles({}, {}, set())
    if styles in archive.names:
        _read_styles(archive, styles or "", found)
    if numbering in archive.names:
        _read_numbering(archive, numbering or "", found)
    return found


def _read_styles(archive: Archive, part: str, found: Styles) -> None:
    style = number = None
    based: dict[str, str] = {}
    level = 0
    for event in events(archive.pieces(part)):
        if isinstance(event, End) and event.name == "style":
            if style is not None and number is not None:
                found.lists[style] = number, level
            style = None
        if not isinstance(event, Start):
            continue
        value = event.attributes.get("val", "")
        match event.name:
            case "style":
                style, number, level = event.attributes.get("styleId", ""), None, 0
            case "name" if style is not None:
                if heading := _HEADING.match(value):
                    found.headings[style] = int(heading[1])
                elif value.lower() == "title":
                    found.headings[style] = 1
            case "basedOn" if style is not None:
                based[style] = value
            case "outlineLvl" if style is not None and value.isdigit() and int(value) < 9:
                found.headings.setdefault(style, int(value) + 1)
            case "numId":
                number = value
            case "ilvl" if value.isdigit():
                level = int(value)
    for name in based:  # a style inherits what it does not say
        parent, seen = based.get(name), {name}
        while parent is not None and parent not in seen:
            seen.add(parent)
            if name not in found.headings and parent in found.headings:
                found.headings[name] = found.headings[parent]
            if name not in found.lists and parent in found.lists:
                found.lists[name] = found.lists[parent]
            parent = based.get(parent)


def _read_numbering(archive: Archive, part: str, found: Styles) -> None:
    formats: dict[str, set[int]] = {}
    abstract = number = None
    level = 0
    for event in events(archive.pieces(part)):
        if not isinstance(event, Start):
            continue
        value = event.attributes.get("val", "")
        match event.name:
            case "abstractNum":
                abstract, number = event.attributes.get("abstractNumId", ""), None
            case "lvl":
                level = int(event.attributes.get("ilvl", "0") or 0)
            case "numFmt" if abstract is not None and number is None and value not in ("bullet", "none"):
                formats.setdefault(abstract, set()).add(level)
            case "num":
                number = event.attributes.get("numId", "")
            case "abstractNumId" if number is not None:
                found.numbered |= {(number, counted) for counted in formats.get(value, ())}
