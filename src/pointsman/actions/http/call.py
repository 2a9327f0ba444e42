"""A call with slots, wherever it was written."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Style = Literal["plain", "comma", "deep", "json"]
IDEMPOTENT = ("GET", "PUT", "DELETE")
"""Methods that do the same when they are done twice (RFC 9110, 9.2.2)."""
SLOT = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
OURS = frozenset(
    """accept-encoding connection content-length expect host keep-alive te proxy-connection trailer transfer-encoding
    upgrade user-agent content-type""".split()  # noqa: SIM905
)
"""Headers that a config cannot set."""
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
"""What a header can be called (RFC 9110, 5.1)."""


class Field(msgspec.Struct, frozen=True):
    """A parameter of the query, a header, or a field of a form. A template that is one slot alone and has no value is left
    out. `style` is what becomes of a list or an object: "plain" repeats the name, "comma" joins, "deep" writes
    `name[key]`, "json" writes JSON. `secret`: never shown, not even in what the service answers."""

    name: str
    template: str
    style: Style = "plain"
    secret: bool = False


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """`origin` is scheme, host and port, without slots; `path` begins with a slash, its words percent-encoded already.
    `body` is a template of JSON, `form` one of fields; `slots` are the names of all."""

    method: Method
    origin: str
    path: str
    query: tuple[Field, ...] = ()
    headers: tuple[Field, ...] = ()
    body: Any = None
    form: tuple[Field, ...] | None = None
    slots: tuple[str, ...] = ()
    defaults: dict[str, Any] = {}


def slots_in(template: Any) -> list[str]:
    """Names of the slots, in order, each once. Texts, lists, mappings; a leading + is not part of the name."""
    found: dict[str, None] = {}
    todo = [template]
    while todo:
        here = todo.pop(0)
        if isinstance(here, str):
            found |= {match[1].strip().lstrip("+"): None for match in SLOT.finditer(here) if match[1] is not None}
        elif isinstance(here, dict):
            todo += here.values()
        elif isinstance(here, list | tuple):
            todo += here
    return list(found)


def lone(template: str) -> str | None:
    """The name of the slot that a template is, where it is nothing else."""
    match = SLOT.fullmatch(template)
    return match[1].strip().lstrip("+") if match and match[1] is not None else None
