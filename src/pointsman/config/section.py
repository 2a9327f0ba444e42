"""What every part of pointsman.yaml is made of."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Size = Annotated[str, Meta(pattern=r"^[0-9]+ ?(B|KB|MB|GB)$", description="a size: 512KB, 32MB")]
Span = Annotated[str, Meta(pattern=r"^[0-9]+(s|m|h|d)$", description="a span of time: 30s, 15m, 12h, 30d")]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every mapping in the file: unknown keys are errors."""
