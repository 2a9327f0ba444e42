"""Request → Features."""

from __future__ import annotations

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
    sample = question[:_SAMPLE].encode()
    marks = SIGNS.look(sample)
    tokens = estimate_tokens(question)
    users = images = 0
    for turn in request.turns:
        images += turn.images
        if turn.role == "user":
            users += 1
    task = request.task
    source = "declared"
    if task is None:
        task = evident_task(question, images, marks) if request.endpoint in ("chat", "completions") else None
        source = "inferred" if task else "none"
    asked, brief = asked_and_brief(request, SIGNS.holds(BRIEF_SIGN, sample, marks))
    return Features(
        input_tokens=prompt_tokens(request, question, tokens) if exact_tokens is None else exact_tokens,
        question_tokens=tokens,
        characters=len(question),
        language=_language(request, question, marks),
        turns=users,
        asked=asked,
        code=SIGNS.holds(CODE_SIGN, sample, marks),
        tools=request.tools,
        images=images,
        structured=request.structured,
        brief=brief,
        task_type=task,
        task_source=source,  # type: ignore[arg-type]
        exact=exact_tokens is not None,
    )


def _language(request: Request, question: str, marks: Marks) -> Language:
    """Of the question; where it shows none (empty, digits), of the client's Accept-Language."""
    if not request.accept_language or any(map(str.isalpha, question[:200])):
        return language_of(question, marks)
    return "zh" if request.accept_language.lower().lstrip().startswith("zh") else "en"
