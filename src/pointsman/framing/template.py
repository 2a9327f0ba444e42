"""A template of a whole message → its pieces of text and what stands between them."""

from __future__ import annotations

import re
from itertools import pairwise

from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, said
from pointsman.framing.literal import Literal
from pointsman.framing.shape import UNTRUSTED, Shape

PLACEHOLDERS = ("context", "history", "question", "any")
LEAST_PIECE = 2
"""Characters of a piece between two placeholders that are not white space."""
LEAST_TEXT = 12
"""The same of a whole template, a Chinese character counted twice: with fewer, people would write it by chance."""

_PARTS = re.compile(r"\{\{|\}\}|\{([^{}\s]*)\}|[{}]")
_FORM = said(
    "the whole message, with {{question}}, {{context}} for what was retrieved, {{history}} for the conversation so far and "
    '{{any}} for text that varies, for example "Context: {{context}} Question: {{question}}"; braces that are meant as such '
    "are doubled",
    "整条消息的写法：{{question}} 代表问题，{{context}} 代表检索到的内容，{{history}} 代表之前的对话，{{any}} 代表会变化的"
    "文字，例如“已知信息：{{context}} 用户问题：{{question}}”；表示花括号本身时写两个",
)


def shape_of(template: str, path: str) -> Shape:
    """The compiled template. Raises Problem."""
    texts, holes = _split(template.strip(), path)
    if holes.count("question") != 1:
        raise _wrong(path, _count_of_questions(holes.count("question")))
    asked = holes.index("question")
    before, after = (any(hole in UNTRUSTED for hole in side) for side in (holes[:asked], holes[asked:]))
    if not before and not after:
        message = said(
            "{{context}} is missing: a question mark alone is what people write themselves",
            "缺少 {{context}}：仅有问题标记的文字用户自己也会写",
        )
        raise _wrong(path, message)
    if before and after:
        message = said(
            "{{context}} or {{history}} stands before and after {{question}}, so neither has an end that can be trusted",
            "{{context}} 或 {{history}} 同时出现在 {{question}} 前后，问题的边界无法确定",
        )
        raise _wrong(path, message)
    _check_length(texts, holes, path)
    pieces: list[Literal | None] = []
    for text in texts:
        try:
            pieces.append(Literal(text) if text.strip() else None)
        except ValueError:
            raise _wrong(path, _too_short(text)) from None
    return Shape(tuple(pieces), tuple(holes))


def _split(template: str, path: str) -> tuple[list[str], list[str]]:
    """Pieces and the placeholders between them: always one piece more."""
    texts, holes, at = [""], [], 0
    for part in _PARTS.finditer(template):
        texts[-1] += template[at : part.start()]
        at = part.end()
        if part[0] in ("{{", "}}"):
            texts[-1] += part[0][0]
        elif part[1] in PLACEHOLDERS:
            holes.append(part[1])
            texts.append("")
        else:
            message = said(
                "{part!r} is no placeholder{hint}",
                "{part!r} 不是占位符{hint}",
                part=part[0],
                hint=did_you_mean(part[1] or "", list(PLACEHOLDERS)),
            )
            raise _wrong(path, message)
    texts[-1] += template[at:]
    return texts, holes


def _check_length(texts: list[str], holes: list[str], path: str) -> None:
    between = dict(zip(pairwise(holes), texts[1:-1], strict=False))
    for (left, right), text in between.items():
        if not text.strip():
            message = said(
                "nothing stands between {{{left}}} and {{{right}}}, so one could not be told from the other",
                "{{{left}}} 与 {{{right}}} 之间没有文字，无法区分两者",
                left=left,
                right=right,
            )
            raise _wrong(path, message)
    for text in texts[1:-1]:
        if len("".join(text.split())) < LEAST_PIECE:
            raise _wrong(path, _too_short(text))
    if sum(map(_weight, texts)) < LEAST_TEXT:
        message = said(
            "its text is too short to tell a product's message from a person's (at least {least} characters or {half} "
            "Chinese ones)",
            "其中的固定文字太短，不足以区分产品模板与用户自己的话（至少 {half} 个汉字或 {least} 个字母）",
            least=LEAST_TEXT,
            half=LEAST_TEXT // 2,
        )
        raise _wrong(path, message)


def _weight(text: str) -> int:
    return sum(1 if character.isascii() else 2 for character in text if not character.isspace())


def _count_of_questions(count: int) -> Said:
    if count:
        return said("{{question}} stands there {count} times", "{{question}} 出现了 {count} 次", count=count)
    return said("{{question}} is missing", "缺少 {{question}}")


def _too_short(text: str) -> Said:
    return said(
        "the piece {text!r} is too short to be found (at least {least} characters, not only punctuation)",
        "片段 {text!r} 太短，无法定位（至少 {least} 个字符，且不能只有标点）",
        text=text.strip(),
        least=LEAST_PIECE,
    )


def _wrong(path: str, message: Said) -> Problem:
    return Problem(path, message, valid=_FORM)
