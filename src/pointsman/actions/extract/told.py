"""The answer in words: a template with its fields, or what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from pointsman.actions.extract.field import Field
from pointsman.actions.extract.found import Found, Passage
from pointsman.actions.slots import names_in
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.rules.slots import fill

CHUNKS = "chunks"
"""The slot of all chunks' ids, and the last part of the slot of one field's."""
_JOIN: dict[Tongue, str] = {"en": "; ", "zh": "；"}
_NAMES: dict[Tongue, str] = {"en": ", ", "zh": "、"}
_FROM = Said("Source: {chunks}", "依据：{chunks}")
_NOTHING = Said("The passages do not say: {names}.", "资料中没有写明：{names}。")
_NO_CHUNKS = Said("No passages came with this question.", "这个问题没有附带任何资料。")
_NEEDED = Said(
    "To answer it, a passage is needed that says it.",
    "需要有写明这些内容的资料，才能回答。",
)
_NEEDED_ALL = Said(
    "To answer it, passages are needed that say: {names}.", "需要有写明以下内容的资料，才能回答：{names}。"
)
_CUT = Said("Only the beginning of the passages was read: they are too long.", "资料过长，只读了开头的部分。")


def slots_of_fields(fields: Sequence[Field]) -> list[str]:
    """What a template may hold."""
    return [CHUNKS, *(name for field in fields for name in (field.name, f"{field.name}.{CHUNKS}"))]


def answer(
    template: Mapping[Tongue, str] | None,
    fields: Sequence[Field],
    found: Mapping[str, Found],
    passages: Sequence[Passage],
    tongue: Tongue,
) -> str:
    """The template's lines, less those that have a slot of a field that was not found. A slot of a list that is all of its
    line is a list of lines. What goes into a slot is not looked at again."""
    if template is None:
        lines = _lines(fields, found, tongue)
    else:
        lines = (template.get(tongue) or next(iter(template.values()))).strip("\n").split("\n")
    values = _values(fields, found, passages, tongue)
    many = {field.name for field in fields if field.many}
    told_lines = []
    for line in lines:
        slots = names_in(line)
        if any(slot not in values for slot in slots):
            continue
        bare = line.strip()
        if len(slots) == 1 and slots[0] in many and bare == f"{{{slots[0]}}}":
            indent = line[: len(line) - len(line.lstrip())]
            told_lines += [f"{indent}{n}. {item.shown}" for n, item in enumerate(found[slots[0]].items, 1)]
        else:
            told_lines.append(fill(line, values))
    return "\n".join(told_lines).strip()


def lacking(missing: Sequence[Field], passages: Sequence[Passage], cut: bool, tongue: Tongue) -> str:
    """What no passage says, and what it would need."""
    names = _NAMES[tongue].join(dict.fromkeys(field.called(tongue) for field in missing))
    if not passages:
        parts = [told(_NO_CHUNKS, tongue), _filled(_NEEDED_ALL, tongue, names=names)]
    else:
        parts = [_filled(_NOTHING, tongue, names=names), *([told(_CUT, tongue)] if cut else []), told(_NEEDED, tongue)]
    return ("" if tongue == "zh" else " ").join(parts)


def _filled(text: Said, tongue: Tongue, **slots: str) -> str:
    return told(said(str(text), text.zh, **slots), tongue)


def _lines(fields: Sequence[Field], found: Mapping[str, Found], tongue: Tongue) -> list[str]:
    colon = "：" if tongue == "zh" else ": "
    lines: list[str] = []
    for field in fields:
        called = field.called(tongue).replace("{", "{{").replace("}", "}}")
        if field.many and len(found[field.name].items if field.name in found else ()) > 1:
            lines += [f"{called}{colon.rstrip()}", f"{{{field.name}}}"]
        elif field.name in found:
            lines.append(f"{called}{colon}{{{field.name}}}")
    return [*lines, told(_FROM, tongue)]


def _values(
    fields: Sequence[Field], found: Mapping[str, Found], passages: Sequence[Passage], tongue: Tongue
) -> dict[str, str]:
    values = {}
    cited: set[int] = set()
    for field in fields:
        if field.name in found:
            items = found[field.name].items
            own = {item.passage for item in items}
            cited |= own
            values[field.name] = _JOIN[tongue].join(item.shown for item in items)
            values[f"{field.name}.{CHUNKS}"] = _ids(own, passages)
    return {**values, CHUNKS: _ids(cited, passages)}


def _ids(numbers: Set[int], passages: Sequence[Passage]) -> str:
    return " ".join(f"[{passages[number].chunk.id}]" for number in sorted(numbers))
