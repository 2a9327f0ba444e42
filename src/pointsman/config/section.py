"""What every part of pointsman.yaml is made of."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Size = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]+ ?(B|KB|MB|GB)$",
        description="a size: 512KB, 32MB",
        extra={"zh": "合法的容量（如 512KB、32MB）"},
    ),
]
Span = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]+(s|m|h|d)$",
        description="a span of time: 30s, 15m, 12h, 30d",
        extra={"zh": "合法的时长（如 30s、15m、12h、30d）"},
    ),
]


# `extra` of a Meta holds the Chinese of a description that messages quote: those of forms, and of choices of types.


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every mapping in the file: unknown keys are errors."""
