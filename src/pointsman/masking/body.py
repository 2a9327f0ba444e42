"""A request body → the members of it that an engine gets instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pointsman.masking.mask import mask
from pointsman.masking.places import changed_members


class MaskedBody(msgspec.Struct, frozen=True):
    """`changes` are the members that differ, as JSON; `values` and `counts` are those of Masked."""

    changes: dict[str, msgspec.Raw]
    values: dict[str, str]
    counts: dict[str, int]


def mask_body(fields: Mapping[str, msgspec.Raw], kinds: Sequence[str]) -> MaskedBody:
    """`fields` are the top-level members of the body, which was found to be sound."""
    texts: dict[str, None] = {}

    def note(text: str) -> str:
        texts[text] = None
        return text

    changed_members(fields, note)
    masked = mask(list(texts), kinds)
    if not masked.values:
        return MaskedBody({}, {}, {})
    instead = dict(zip(texts, masked.texts, strict=True))
    return MaskedBody(changed_members(fields, instead.__getitem__), masked.values, masked.counts)
