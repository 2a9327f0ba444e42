"""Text that holds half a surrogate pair is no text: no encoder takes it."""

from __future__ import annotations

import re

_HALVES = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """`text` with U+FFFD for each half of a surrogate pair: as long as before, and every encoder takes it. Such halves
    come from bytes on a command line that are no UTF-8; the HTTP door refuses them."""
    return _HALVES.sub("\ufffd", text)
