"""How parts of an Office Open XML file name each other."""

from __future__ import annotations

import posixpath

from pointsman.actions.document.archive import Archive
from pointsman.actions.document.xml_events import Start, events


def relations_of(archive: Archive, part: str) -> dict[str, tuple[str, str]]:
    """Of a part: id → the kind of relation (its last word) and the other part's name."""
    folder, name = posixpath.split(part)
    member = posixpath.join(folder, "_rels", f"{name}.rels")
    found: dict[str, tuple[str, str]] = {}
    if member not in archive.names:
        return found
    for event in events(archive.pieces(member)):
        if isinstance(event, Start) and event.name == "Relationship":
            target = event.attributes.get("Target", "")
            path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            kind = event.attributes.get("Type", "").rpartition("/")[2]
            if event.attributes.get("TargetMode") != "External":
                found[event.attributes.get("Id", "")] = kind, path
    return found


def main_part(archive: Archive, otherwise: str) -> str:
    """The part that is the document."""
    if "_rels/.rels" not in archive.names:
        return otherwise
    for event in events(archive.pieces("_rels/.rels")):
        if isinstance(event, Start) and event.attributes.get("Type", "").endswith("/officeDocument"):
            return event.attributes.get("Target", "").lstrip("/")
    return otherwise
