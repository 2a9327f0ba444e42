"""`faq:` answers that somebody wrote."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section


class Faq(Section, frozen=True):
    """The entry closest to a question, or what came near."""

    file: Annotated[str, Meta(min_length=1, description="YAML, JSON, CSV or XLSX, relative to the config file")]
    threshold: Annotated[
        float, Meta(ge=0, le=1, description="least score of an answer: about how often such a one is right")
    ] = 0.75
    near: Annotated[int, Meta(ge=0, le=10, description="near misses that are shown")] = 3
