"""What every part of pointsman.yaml is made of."""

from __future__ import annotations

import msgspec


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every mapping in the file: unknown keys are errors."""
