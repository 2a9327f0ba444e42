"""What verbs print: JSON for programs, plain lines for people, problems on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import msgspec

from pointsman.domain.errors import Problem


def print_json(value: Any, *, pretty: bool = False) -> None:
    """One object a line; `pretty` over several."""
    data = msgspec.json.encode(value)
    print(msgspec.json.format(data, indent=2).decode() if pretty else data.decode())


def print_problems(problems: Iterable[Problem]) -> None:
    listed = list(problems)
    for problem in listed:
        print(f"error: {problem}", file=sys.stderr)
    print(f"{len(listed)} problem{'s' if len(listed) != 1 else ''}", file=sys.stderr)
