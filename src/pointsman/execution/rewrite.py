"""The body that goes to an engine: the client's own bytes, with only the fields changed that must be."""

from __future__ import annotations

from typing import Any

import msgspec


def rewrite(fields: dict[str, msgspec.Raw], changes: dict[str, Any]) -> bytes:
    """`fields` are the top-level members of the request as they came, each value's bytes untouched and in order.
    A change of None removes the member. The result holds every other member byte for byte."""
    merged: dict[str, Any] = dict(fields)
    for key, value in changes.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return msgspec.json.encode(merged)
