"""The labelled texts that the shipped models are made of: zh.jsonl and en.jsonl, docs/routing/tasks-card.md says whose."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

import msgspec


class Lesson(msgspec.Struct, frozen=True):
    """A text, its task type, how difficult its writer took it for; `source` is there for texts of public sets."""

    text: str
    task: str
    difficulty: Literal["easy", "medium", "hard"] | None = None
    source: Literal["self_instruct", "arena_hard"] | None = None


def lessons(language: Literal["zh", "en"]) -> tuple[Lesson, ...]:
    lines = files(__name__).joinpath(f"{language}.jsonl").read_bytes().splitlines()
    decoder = msgspec.json.Decoder(Lesson)
    return tuple(map(decoder.decode, lines))
