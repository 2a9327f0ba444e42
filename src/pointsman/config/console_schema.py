"""The part of the schema that says who may open the console."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section, Span


class Console(Section, frozen=True):
    """The console at `/ui`: see docs/console.md."""

    enabled: Annotated[bool, Meta(description="whether there is one")] = True
    public: Annotated[
        bool, Meta(description="whether other machines may open it, with a key; false: this machine alone")
    ] = True
    session: Annotated[Span, Meta(description="how long who signed in with a key stays signed in")] = "12h"
