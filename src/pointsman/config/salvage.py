"""A config with mistakes of form, as far as it is sound: so that its other mistakes are found along with them."""

from __future__ import annotations

from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from pointsman.config.convert import bare, convert, convert_sound
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem


def salvage(data: dict[Any, Any], problems: list[Problem]) -> tuple[Config, frozenset[str]]:
    """The config, and the names of its sections with a mistake of form, which goes to `problems`. Of such a section
    only the sound keys and members are there; a list with a mistake is not there at all, since its places count."""
    sound, wrong = convert_sound(data, Config, "", problems)
    hints = get_type_hints(Config, include_extras=True)
    for name in wrong:
        saved = _saved(data.get(name), bare(hints[name]))
        if saved is not None:
            sound[name] = saved
    return Config(**sound), frozenset(wrong)


def _saved(data: Any, kind: Any) -> Any:
    """What is sound of one section; None where nothing is."""
    if not isinstance(data, dict):
        return None
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        sound, wrong = convert_sound(data, kind, "", [])
        required = {field.name for field in msgspec.structs.fields(kind) if field.required}
        return None if required & wrong else kind(**sound)
    if get_origin(kind) is dict:
        members = {}
        for name, value in data.items():
            problems: list[Problem] = []
            member = convert(value, get_args(kind)[1], "", problems)
            if isinstance(name, str) and not problems:
                members[name] = member
        return members
    return None
