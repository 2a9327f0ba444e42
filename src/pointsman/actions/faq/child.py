"""Reads an FAQ file in a process of its own: thousands of entries take a second of a core."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.actions.child.work import Room
from pointsman.actions.faq.entry import Entry
from pointsman.actions.faq.read import read_entries
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed


class Asked(msgspec.Struct, frozen=True):
    path: str


class Book(msgspec.Struct, frozen=True):
    entries: list[Entry]


def read(task: Asked, room: Room) -> Book:
    """Raises ActionFailed where anything is wrong with it: that was said when the config was read."""
    entries, problems = read_entries(Path(task.path))
    if problems:
        detail = str(problems[0])
        raise ActionFailed("setup", Said("The FAQ file cannot be read.", "无法读取问答文件。"), detail=detail)
    return Book(entries)
