"""Regular expressions of rules: RE2 only, because its time is linear in the text whatever the author wrote.

They search the folded text (half width, nothing invisible) and ignore case. A full-width character in a pattern is
written as the plain one it would meet there, escaped, so that `（` never turns into a group.
"""

from __future__ import annotations

from typing import Any

import re2

from pointsman.rules.fold import fold

_LOOK = ("(?=", "(?!", "(?<=", "(?<!")


class BadRegex(ValueError):
    """A pattern that RE2 refuses, or that matches the empty text. The message is for the author."""


def compile_regex(source: str) -> Any:
    """The compiled pattern for folded text. Raises BadRegex."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        compiled = re2.compile(folded_source(source), options)
    except (re2.error, UnicodeError) as error:
        raise BadRegex(_explain(source, error)) from None
    if compiled.search("") is not None:
        raise BadRegex("matches the empty text, so it would match every request")
    return compiled


def folded_source(source: str) -> str:
    """The pattern with every non-ASCII character as folding leaves it; case and escapes stay ("\\S" is not "\\s")."""
    parts = []
    escaped = False
    for character in source:
        if character.isascii():
            parts.append(character)
            escaped = character == "\\" and not escaped
            continue
        plain = fold(character).text
        if plain.isascii() and plain and not plain.isalnum() and not plain.isspace() and not escaped:
            plain = "\\" + plain
        parts.append(plain)
        escaped = False
    return "".join(parts)


def _explain(source: str, error: Exception) -> str:
    reason = error.args[0] if error.args else error
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    if any(look in source for look in _LOOK):
        return f"RE2 has no look-around, because it cannot be matched in linear time ({text}); use `none` instead"
    if any(f"\\{digit}" in source for digit in range(1, 10)):
        return f"RE2 has no back-references, because they cannot be matched in linear time ({text})"
    return f"RE2 refuses it: {text}"
