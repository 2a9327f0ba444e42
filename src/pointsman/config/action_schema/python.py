"""`python:` a function of an installed package."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from pointsman.config.section import Section


class Python(Section, frozen=True):
    """A function that a package offers under the entry point group `pointsman.actions`."""

    use: Annotated[str, Meta(min_length=1, description="the entry point's name")]
    settings: Annotated[dict[str, Any], Meta(description="arguments that the config gives, never the user")] = {}
