"""Request → Features."""

from __future__ import annotations

import msgspec
import re2

from pointsman.domain.characters import whole_characters
from pointsman.domain.features import Features, Language
from pointsman.domain.request import Request
from pointsman.features.conversation import is_awaited
from pointsman.features.language import language_of
from pointsman.features.task import infer_task
from pointsman.features.tokens import estimate_tokens, prompt_tokens

# What stands in code and hardly in prose: a keyword alone ("let us go", "import duties") is not enough.
_CODE = re2.compile(
    r"(?m)```|^\s*(?:(?:async )?def \w+ ?\(|class \w+ ?[:({]|class \w+ (?:extends|implements) |import [\w.*]+(?:, ?[\w.]+)*(?: as \w+)?;?\s*$|"
    r"import static |import .{0,200}[\"']|from [\w.]+ import |(?:export )?(?:async )?function ?\*? ?\w*\(|(?:let|const|var) (?:mut )?(?:\w+(?: ?: ?[^=\n]{1,40}| \w+)?|[{\[][^=\n]{0,60}) ?=|package [\w.]+(?:;|\n)|"
    r"(?:public|private|protected) (?:static|final|class|void|async|int|string|boolean|\w+ \w+ ?[=(;])|#include ?[<\"]|(?:pub )?fn \w+ ?[(<]|func (?:\([^)\n]*\) )?\w+ ?\()|"
    r"(?s:\bSELECT\b.{1,400}\bFROM\b)|(?i:\bselect (?:\*|count\(|distinct \w|[\w.]+, ?[\w.]).*\bfrom \w|\bselect \w.*\bfrom \w+ where \w+ ?(?:[=<>]|in ?\(|like ))|"
    r"=>|\);\s*$|</\w+>|^\s*(?:if|for|while) ?\(.*\) ?\{"
)
_BRIEF = re2.compile(
    r"(?i)简短|简洁(?:地|回答)|一句话|言简意赅|只(?:需|要)?(?:回答|回复|输出|返回)(?:是|否|对|错|数字|结果|一个)|不超过.{1,4}(?:字|句)|"
    r"\b(?:briefly|in (?:one|a) (?:word|sentence)|one[- ]word|short (?:answer|reply)|be (?:brief|concise)|concisely|yes or no only|just (?:the )?answer|"
    r"answer (?:only )?(?:yes|no)|(?:under|within|at most) \d+ words)\b"
)
_SAMPLE = 4000


def extract(request: Request, exact_tokens: int | None = None) -> Features:
    """Pure. `exact_tokens` is the engine's own count of the prompt, where one was asked for."""
    try:
        return _extract(request, exact_tokens)
    except UnicodeEncodeError:  # half a surrogate pair, which no regular expression of RE2 takes
        turns = tuple(msgspec.structs.replace(turn, text=whole_characters(turn.text)) for turn in request.turns)
        return _extract(msgspec.structs.replace(request, turns=turns), exact_tokens)


def _extract(request: Request, exact_tokens: int | None) -> Features:
    question = request.question or ""
    images = sum(turn.images for turn in request.turns)
    sample = question[:_SAMPLE]
    task, source = request.task, "declared"
    if task is None:
        task = infer_task(question, images) if request.endpoint in ("chat", "completions") else None
        source = "inferred" if task else "none"
    return Features(
        input_tokens=prompt_tokens(request) if exact_tokens is None else exact_tokens,
        question_tokens=estimate_tokens(question),
        characters=len(question),
        language=_language(request, question),
        turns=sum(turn.role == "user" for turn in request.turns),
        asked=is_awaited(request),
        code=_CODE.search(sample) is not None,
        tools=request.tools,
        images=images,
        structured=request.structured,
        brief=_BRIEF.search(sample) is not None
        or any(turn.role in ("system", "developer") and _BRIEF.search(turn.text[:_SAMPLE]) for turn in request.turns),
        task_type=task,
        task_source=source,  # type: ignore[arg-type]
        exact=exact_tokens is not None,
    )


def _language(request: Request, question: str) -> Language:
    """Of the question; where it shows none (empty, digits), of the client's Accept-Language."""
    if any(character.isalpha() for character in question[:200]) or not request.accept_language:
        return language_of(question)
    return "zh" if request.accept_language.lower().lstrip().startswith("zh") else "en"
