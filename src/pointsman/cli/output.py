"""What verbs print: JSON for programs, plain lines for people, problems on standard error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, Tongue, encodable, told

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_ERROR = Said("error: ", "错误：")
_COLON = Said(": ", "：")


def print_json(value: Any, *, pretty: bool = False) -> None:
    """One object a line; `pretty` over several. Where the terminal does not know all characters, JSON's own escapes stand
    for them: nothing is lost on the way to another program. What people are told is in English here."""
    try:
        data = msgspec.json.encode(value, enc_hook=lambda part: encodable(part, "en"))
    except UnicodeEncodeError:  # half a surrogate pair, in a file's name
        data = whole_characters(
            json.dumps(msgspec.to_builtins(value, enc_hook=lambda part: encodable(part, "en")), ensure_ascii=False)
        ).encode()
    text = msgspec.json.format(data, indent=2).decode() if pretty else data.decode()
    if not _can_print(text):
        text = json.dumps(msgspec.json.decode(data), indent=2 if pretty else None)
    print(text)


def print_line(text: str) -> None:
    """For people. Control characters of others' texts do nothing to the terminal: U+FFFD stands for them."""
    print(_CONTROL.sub("\ufffd", text))


def _can_print(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def print_problems(problems: Iterable[Problem], tongue: Tongue) -> None:
    listed = list(problems)
    error = told(_ERROR, tongue)
    for problem in listed:
        print(f"{error}{problem.text(tongue)}", file=sys.stderr)
    total = Said(f"{len(listed)} problem{'s' if len(listed) != 1 else ''}", f"共 {len(listed)} 处问题")
    print(told(total, tongue), file=sys.stderr)


def print_error(verb: str, message: str, tongue: Tongue) -> None:
    """Why the verb could not do its work."""
    print(f"pointsman {verb}{told(_COLON, tongue)}{told(message, tongue)}", file=sys.stderr)
