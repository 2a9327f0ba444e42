"""The part of the schema that says which replies are kept for the same request."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section, Size


class Cache(Section, frozen=True):
    """Replies kept for who asks the very same again, in the memory of each worker."""

    seconds: Annotated[int, Meta(ge=1, le=86_400, description="how long a reply is kept")] = 30
    entries: Annotated[int, Meta(ge=1, le=1_000_000, description="replies at most")] = 1000
    max_bytes: Annotated[Size, Meta(description="memory at most")] = "64MB"
