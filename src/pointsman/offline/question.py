"""What people asked, from wherever it was kept, as mining and clustering look at it."""

from __future__ import annotations

import msgspec


class Question(msgspec.Struct, frozen=True, gc=False):
    """`untaken`: no rule took or steered it, so it is what a new rule could take; `settled`: a rule did, or the arbiter.
    `at` is seconds since the epoch, `seconds` how long a model's engine was busy with it. `label` is a person's word on
    what it wants."""

    text: str
    id: str = ""
    at: float | None = None
    seconds: float | None = None
    untaken: bool = True
    settled: bool = False
    label: str | None = None


class Questions(msgspec.Struct, frozen=True):
    """`unread` of the source could not be looked at: prompts were not kept there, or nothing was asked."""

    found: tuple[Question, ...]
    unread: int = 0
    source: str = ""


class Unreadable(Exception):
    """The source cannot be read; the text says why, in both languages."""
