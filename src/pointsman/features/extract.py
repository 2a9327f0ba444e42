"""Request → Features."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.features import Features, Language
from pointsman.domain.request import Request
from pointsman.features.conversation import asked_and_brief
from pointsman.features.language import language_of
from pointsman.features.sieve import Marks
from pointsman.features.signs import BRIEF_SIGN, CODE_SIGN, SIGNS
from pointsman.features.task import evident_task
from pointsman.features.tokens import estimate_tokens, prompt_tokens

_SAMPLE = 4000
_SHORT = 32
"""Characters up to which what a question tells is kept."""


def extract(request: Request, exact_tokens: int | None = None, question: str | None = None) -> Features:
    """Pure. `exact_tokens` is the engine's own count of the prompt, where one was asked for; `question` what the user asks
    where it is only a part of the last message."""
    if question is None:
        question = request.question or ""
    try:
        return _extract(request, exact_tokens, question)
    except UnicodeEncodeError:  # half a surrogate pair, which no encoder takes
        turns = tuple(msgspec.structs.replace(turn, text=whole_characters(turn.text)) for turn in request.turns)
        return _extract(msgspec.structs.replace(request, turns=turns), exact_tokens, whole_characters(question))


def _extract(request: Request, exact_tokens: int | None, question: str) -> Features:
    read = (_known if len(question) <= _SHORT else _read)(question)
    users = images = 0
    for turn in request.turns:
        images += turn.images
        if turn.role == "user":
            users += 1
    task = request.task
    source = "declared"
    if task is None:
        if request.endpoint in ("chat", "completions"):
            task = evident_task(question, images, read.marks)
        source = "inferred" if task else "none"
    asked, brief = asked_and_brief(request, read.brief)
    return Features(
        input_tokens=prompt_tokens(request, question, read.tokens) if exact_tokens is None else exact_tokens,
        question_tokens=read.tokens,
        characters=len(question),
        language=_language(request, question, read.language),
        turns=users,
        asked=asked,
        code=read.code,
        tools=request.tools,
        images=images,
        structured=request.structured,
        brief=brief,
        task_type=task,
        task_source=source,  # type: ignore[arg-type]
        exact=exact_tokens is not None,
    )


class _Read(msgspec.Struct, frozen=True, gc=False):
    """What the words of a question tell; `marks` are what SIGNS found in them."""

    marks: Marks
    tokens: int
    language: Language
    code: bool
    brief: bool


def _read(question: str) -> _Read:
    sample = question[:_SAMPLE].encode()
    marks = SIGNS.look(sample)
    return _Read(
        marks,
        estimate_tokens(question),
        language_of(question, marks),
        SIGNS.holds(CODE_SIGN, sample, marks),
        SIGNS.holds(BRIEF_SIGN, sample, marks),
    )


_known = lru_cache(maxsize=256)(_read)
"""The same of a short question: what people say in few words they say again and again."""


def _language(request: Request, question: str, told: Language) -> Language:
    """Of the question; where it shows none (empty, digits), of the client's Accept-Language."""
    if not request.accept_language or any(map(str.isalpha, question[:200])):
        return told
    return "zh" if request.accept_language.lower().lstrip().startswith("zh") else "en"
