"""A function's parameters as a type: what it takes is checked and told by it. Imported where the function is, in a child."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_type_hints

import msgspec

from pointsman.ports.plugin import Context

GROUP = "pointsman.actions"


class Signature(msgspec.Struct, frozen=True):
    """`parameters` is a struct type with a field for each parameter that callers fill; `context` names the one that takes
    the Context; `settings` are those that the config fills, with their values."""

    function: Callable[..., Any]
    parameters: type[msgspec.Struct]
    context: str | None
    settings: dict[str, Any]


def entry_named(name: str) -> EntryPoint | None:
    """Raises nothing: a name that two packages offer is the first one's."""
    found = entry_points(group=GROUP, name=name)
    return next(iter(found), None)


def entry_names() -> list[str]:
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def signature_of(function: Callable[..., Any], settings: dict[str, Any]) -> Signature:
    """Raises TypeError for a parameter without a type, one that cannot be filled by name, or a setting that is none of its
    parameters or not of its type."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[Any] = []
    context = None
    left = dict(settings)
    given: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"parameter {name!r} cannot be filled by name")
        if name not in hints:
            raise TypeError(f"parameter {name!r} has no type annotation")
        if hints[name] is Context:
            context = name
        elif name in left:
            given[name] = msgspec.convert(left.pop(name), hints[name])
        elif parameter.default is parameter.empty:
            fields.append((name, hints[name]))
        else:
            fields.append((name, hints[name], copy_of(parameter.default)))
    if left:
        raise TypeError(f"it has no parameter {', '.join(map(repr, left))}, which the settings name")
    parameters = msgspec.defstruct("Parameters", fields, kw_only=True, forbid_unknown_fields=True)
    return Signature(function, parameters, context, given)


def copy_of(default: Any) -> Any:
    """A default of a struct's field: one that can be changed is made anew each time."""
    return (
        msgspec.field(default_factory=partial(deepcopy, default)) if isinstance(default, list | dict | set) else default
    )


def schema_of(signature: Signature) -> dict[str, Any]:
    """JSON Schema of what callers fill."""
    schema = msgspec.json.schema(signature.parameters)
    definitions: dict[str, Any] = schema["$defs"]
    own: dict[str, Any] = definitions.pop("Parameters")
    own.pop("title", None)
    if definitions:
        own["$defs"] = definitions
    return own
