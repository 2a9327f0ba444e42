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

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def print_json(value: Any, *, pretty: bool = False) -> None:
    """One object a line; `pretty` over several. Where the terminal does not know all characters, JSON's own escapes stand
    for them: nothing is lost on the way to another program."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a surrogate pair, in a file's name
        data = whole_characters(json.dumps(msgspec.to_builtins(value), ensure_ascii=False)).encode()
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


def print_problems(problems: Iterable[Problem]) -> None:
    listed = list(problems)
    for problem in listed:
        print(f"error: {problem}", file=sys.stderr)
    print(f"{len(listed)} problem{'s' if len(listed) != 1 else ''}", file=sys.stderr)
