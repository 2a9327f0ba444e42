"""Characters as people write them: PDF fonts name many by their look-alikes."""

from __future__ import annotations

import re
import unicodedata

# radicals and compatibility forms that fonts give instead of the character, ligatures, and what is no text at all
_FORMS = re.compile("[⺀-⿕豈-﫿ﬀ-ﬆ]+")
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff\ud800-\udfff]+")


def plain(text: str) -> str:
    """Radicals become the characters that they stand for, ligatures their letters; control characters go."""
    if not text.isascii():
        text = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return _NO_TEXT.sub("", text)


def is_wide(character: str) -> bool:
    """Whether it is written without spaces around: Chinese, Japanese, and their punctuation."""
    return (
        "⺀" <= character <= "鿿" or "豈" <= character <= "﫿" or "＀" <= character <= "｠" or character > "\U0001ffff"
    )


def joined(before: str, after: str) -> str:
    """Two lines of one paragraph as one."""
    if not before or not after:
        return before + after
    if is_wide(before[-1]) or is_wide(after[0]):
        return before + after
    if before[-1] == "-" and len(before) > 1 and before[-2].isalpha() and after[0].islower():
        return before[:-1] + after
    return f"{before} {after}"
