"""The part of a text that says what is to be done, without what was pasted: by how it is written alone."""

from __future__ import annotations

import re

_LEAST, _MOST = 5, 140
_SHORT, _LAST = 40, 80
_QUOTED = re.compile(
    r"“[^”]{8,}”?|「[^」]{8,}」?|『[^』]{8,}』?|\"[^\"]{10,}\"?|'(?<!\w')[^'\n]{20,}'|‘[^’]{12,}’?|```.*?(?:```|\Z)",
    re.DOTALL,
)
_QUOTES = re.compile("[“「『\"'‘`]")
_ENDS = re.compile(r":\s|:(?=[^\x00-\x7f])|\n")


def instruction(text: str) -> str:
    """Of a text as `plain` gives it: what stands before the first colon or line break, and the last line where it is short;
    a mark stands for what is quoted."""
    if _QUOTES.search(text):
        text = _QUOTED.sub(" “ ", text)
    end = _ENDS.search(text)
    if end is None and len(text) <= _LAST:
        return text
    led = end is not None and _LEAST <= end.start() <= _MOST
    first = f"{text[: end.start()]} :" if led and end else text[:_MOST]
    rest = text[end.end() :] if end is not None and end.start() <= _MOST else text[_MOST:]
    if len(rest) <= _SHORT:
        return f"{first} {rest}"
    last = rest.rstrip().rpartition("\n")[2]
    return f"{first} \n {last}" if len(last) <= _LAST else first
