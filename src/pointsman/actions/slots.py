"""Slots in what the config says an action sends: `{name}` is a parameter, `{step.value}` a part of something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pointsman.rules.slots import fill, slots_of


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with its slots filled, in texts, lists and mappings. A text that is one slot and nothing else becomes the
    value itself, of whatever type; inside a longer text a value that is no text is JSON. A slot that stands for nothing
    stays as it is written."""
    if isinstance(template, str):
        return _text(template, values)
    if isinstance(template, list):
        return [filled(item, values) for item in template]
    if isinstance(template, dict):
        return {key: filled(item, values) for key, item in template.items()}
    return template


def names_in(template: Any) -> list[str]:
    """The slots of it all, dotted as they are written."""
    if isinstance(template, str):
        return slots_of(template)
    parts = template if isinstance(template, list) else list(template.values()) if isinstance(template, dict) else []
    return [name for part in parts for name in names_in(part)]


_NOTHING = object()


def _text(template: str, values: Mapping[str, Any]) -> Any:
    found = slots_of(template)
    if not found:
        return fill(template, {})
    parts = {name: value for name in found if (value := _part(name, values)) is not _NOTHING}
    if len(found) == 1 and template == "{" + found[0] + "}" and found[0] in parts:
        return parts[found[0]]
    return fill(template, {name: _shown(value) for name, value in parts.items()})


def _part(name: str, values: Mapping[str, Any]) -> Any:
    """`a.b.0` is the first of the list `b` of `a`."""
    here: Any = values
    for key in name.split("."):
        if isinstance(here, Mapping) and key in here:
            here = here[key]
        elif isinstance(here, list) and key.isdigit() and int(key) < len(here):
            here = here[int(key)]
        else:
            return _NOTHING
    return here


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value, enc_hook=str).decode()
