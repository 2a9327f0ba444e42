"""What of a long text a model gets to read, and how it stands in a prompt. Pure."""

from __future__ import annotations

import re

MOST_CHARACTERS = 1600
"""Of a query: some 400 tokens of English, up to 1,600 of Chinese."""
GAP = " … "
_BREAK = re.compile(r"\s")
_CONTROL = re.compile(r"<(?=[|/a-zA-Z_｜])|\[(?=/?(?:INST|SYS|TOOL|AVAILABLE))")


def cut(text: str, most: int = MOST_CHARACTERS) -> tuple[str, bool]:
    """The text, or three quarters of `most` characters from its beginning and the rest from its end, where people put what
    they want of a long text; and whether it was cut. It is cut at white space, where there is some near."""
    text = text.strip()
    if len(text) <= most:
        return text, False
    head = most * 3 // 4
    tail = most - head - len(GAP)
    beginning, end = text[:head], text[-tail:]
    for at in range(head - 1, head - 40, -1):
        if _BREAK.match(beginning[at]):
            beginning = beginning[:at]
            break
    for at in range(min(40, tail)):
        if _BREAK.match(end[at]):
            end = end[at:]
            break
    return beginning.rstrip() + GAP + end.lstrip(), True


def harmless(text: str) -> str:
    """The text without what tokenizers read as marks of a chat's structure (`<|im_end|>`, `</s>`, `[INST]`): a blank parts
    their first character from the rest. A user's words stay a user's words."""
    return _CONTROL.sub(lambda found: found[0] + " ", text)
