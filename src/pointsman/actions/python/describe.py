"""`python -m pointsman.actions.python.describe NAME SETTINGS`: prints what the entry point's function takes, as one line of
JSON, in a process of its own: a package that breaks or hangs when it is imported does so there."""

from __future__ import annotations

import inspect
import os
import sys
from typing import Any

import msgspec

from pointsman.actions.python.signature import entry_named, entry_names, schema_of, signature_of


class Described(msgspec.Struct, frozen=True):
    """`error`: what is wrong with it; `missing`: there is no such entry point; `valid`: those that there are."""

    parameters: dict[str, Any] = {}
    about: str = ""
    error: str | None = None
    missing: bool = False
    valid: tuple[str, ...] = ()


def described(name: str, settings: dict[str, Any]) -> Described:
    """Never raises."""
    entry = entry_named(name)
    if entry is None:
        return Described(missing=True, valid=tuple(entry_names()))
    try:
        function = entry.load()
        signature = signature_of(function, settings)
        about = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        return Described(schema_of(signature), about)
    except Exception as error:  # somebody else's package
        return Described(error=f"{type(error).__name__}: {error}"[:500])


def main() -> None:
    name, settings = sys.argv[1:3]
    report_to = os.dup(1)
    os.dup2(2, 1)
    answer = msgspec.json.encode(described(name, msgspec.json.decode(settings)))
    os.write(report_to, answer + b"\n")
    os._exit(0)


if __name__ == "__main__":
    main()
