"""What can be told of a request on the CPU in microseconds; rules and routing read it, the record keeps it."""

from __future__ import annotations

from typing import Literal

import msgspec

Language = Literal["zh", "en", "other"]


class Features(msgspec.Struct, frozen=True, gc=False):
    """`input_tokens` counts the whole prompt, `question_tokens` the user's last message. Both are estimates unless
    `exact`, which says that an engine's own tokenizer counted `input_tokens`. `turns` counts user messages.
    `asked` is true when the conversation waits for this message (the assistant
    asked or offered something, an earlier message is unanswered, or there are standing instructions for each message),
    so that "ok" is an answer. `brief`: a short
    answer was asked for. `task_source`: declared (header or metadata), classified (by a trained model, with its
    `task_confidence`), inferred (from the text), none. `difficulty`: 0 to 1, how likely it is that a small model is not
    enough; None where nothing tells.
    """

    input_tokens: int
    question_tokens: int
    characters: int
    language: Language
    turns: int
    asked: bool
    code: bool
    tools: bool
    images: int
    structured: bool
    brief: bool
    task_type: str | None
    task_source: Literal["declared", "classified", "inferred", "none"]
    exact: bool = False
    difficulty: float | None = None
    task_confidence: float | None = None
