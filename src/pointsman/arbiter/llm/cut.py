"""What of a long text a model gets to read, and how it stands in a prompt. Pure."""

from __future__ import annotations

import re

MOST = 400.0
"""Of a query, in about tokens: some 1,300 characters of English, 400 of Chinese."""
GAP = " … "
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_OF_OTHER = 0.3
_BREAK = re.compile(r"\s")
_CONTROL = re.compile(r"<(?=[|/a-zA-Z_｜])|\[(?=/?(?:INST|SYS|TOOL|AVAILABLE))")


def cut(text: str, most: float = MOST) -> tuple[str, bool]:
    """The text, or of one that is about more than `most` tokens three quarters of that from its beginning and the rest from
    its end, where people put what they want of a long text; and whether it was cut. It is cut at white space, where there is
    some near."""
    text = text.strip()
    if len(text) <= most or _taken(text, most) == len(text):
        return text, False
    beginning = text[: _taken(text, most * 0.75)]
    end = text[len(text) - _taken(text[: -8 * int(most) - 8 : -1], most * 0.25 - 1) :]
    for at in range(len(beginning) - 1, max(0, len(beginning) - 40), -1):
        if _BREAK.match(beginning[at]):
            beginning = beginning[:at]
            break
    for at in range(min(40, len(end))):
        if _BREAK.match(end[at]):
            end = end[at:]
            break
    return beginning.rstrip() + GAP + end.lstrip(), True


def _taken(text: str, budget: float) -> int:
    """How many characters of it are about so many tokens."""
    for place, character in enumerate(text):
        budget -= 1.0 if _IDEOGRAPH.match(character) else _OF_OTHER
        if budget < 0:
            return place
    return len(text)


def harmless(text: str) -> str:
    """The text without what tokenizers read as marks of a chat's structure (`<|im_end|>`, `</s>`, `[INST]`): a blank parts
    their first character from the rest. A user's words stay a user's words."""
    return _CONTROL.sub(lambda found: found[0] + " ", text)
