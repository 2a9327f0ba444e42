"""A field of an answer: what it is called, and what it may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.extract import KINDS
from pointsman.domain.json_schema import validator_of
from pointsman.domain.said import Said, Tongue, said

Type = Literal["string", "integer", "number"]
DURATION = "duration"
VALUED = (DURATION, *(kind for kind in KINDS if kind not in ("code", "sql", "maths", "secret", "period")))
"""What `x-kind` may be."""
MOST_ITEMS = 30


class Field(msgspec.Struct, frozen=True):
    """`schema` is that of one value, `many` of them make a list. `kind` is what each is, where that is told apart."""

    name: str
    about: dict[Tongue, str]
    labels: tuple[str, ...]
    type: Type
    many: bool
    kind: str | None
    schema: dict[str, Any]
    most: int
    required: bool

    def called(self, tongue: Tongue) -> str:
        return self.about.get(tongue) or next(iter(self.about.values()))

    def allows(self, value: Any) -> bool:
        """Whether the schema takes that one value."""
        return validator_of(self.schema).is_valid(value)


def field_of(name: str, schema: Mapping[str, Any], required: bool, path: str) -> Field:
    """Raises Problem."""
    many = schema.get("type") == "array"
    item = schema.get("items", {"type": "string"}) if many else schema
    if not isinstance(item, dict):
        raise Problem(f"{path}.items", said("must be a JSON Schema", "必须是 JSON Schema"))
    kind_of = item.get("type", "string")
    if kind_of not in ("string", "integer", "number"):
        en, zh = "{kind} cannot be found word for word in a text", "{kind} 无法从文字中逐字找到"
        valid = "string, integer, number, array"
        raise Problem(f"{path}.type", said(en, zh, kind=str(kind_of)), valid=valid)
    kind = schema.get("x-kind", item.get("x-kind"))
    if kind is not None and kind not in VALUED:
        en, zh = "no kind {kind!r}{hint}", "没有种类 {kind!r}{hint}"
        hint = did_you_mean(str(kind), list(VALUED))
        raise Problem(f"{path}.x-kind", said(en, zh, kind=str(kind), hint=hint), valid=", ".join(VALUED))
    labels = schema.get("x-labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) and label.strip() for label in labels):
        raise Problem(f"{path}.x-labels", said("must be a list of texts", "必须是文本列表"))
    about = _about(name, schema.get("description"), path)
    plain = {key: value for key, value in item.items() if not key.startswith("x-") and key != "description"}
    plain.setdefault("type", "string")
    try:
        validator_of(plain)
    except ValueError as error:
        why = Said(*[str(error).splitlines()[0][:300]] * 2)
        raise Problem(path, said("is no JSON Schema: {why}", "不是有效的 JSON Schema：{why}", why=why)) from None
    most = schema.get("maxItems", MOST_ITEMS)
    return Field(
        name=name,
        about=about,
        labels=tuple(dict.fromkeys([*labels, *about.values(), name.replace("_", " ")])),
        type=kind_of,
        many=many,
        kind=kind,
        schema=plain,
        most=min(most, MOST_ITEMS) if isinstance(most, int) and most > 0 else MOST_ITEMS,
        required=required,
    )


def _about(name: str, description: Any, path: str) -> dict[Tongue, str]:
    if description is None:
        return {"en": name.replace("_", " ")}
    if isinstance(description, str) and description.strip():
        return {"en": description, "zh": description}
    if isinstance(description, dict) and description and set(description) <= {"zh", "en"}:
        texts: dict[Tongue, str] = {
            tongue: text for tongue, text in description.items() if isinstance(text, str) and text
        }
        if len(texts) == len(description):
            return texts
    raise Problem(
        f"{path}.description", said("must be a text, or {{zh: …, en: …}}", "必须是一段文本，或 {{zh: …, en: …}}")
    )
