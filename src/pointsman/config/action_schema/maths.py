"""`maths:` calculations by SymPy."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section


class Maths(Section, frozen=True):
    """A calculation, solved on the CPU in a process of its own."""

    steps: Annotated[bool, Meta(description="show how the result came about")] = True
    picture: Annotated[bool, Meta(description="a rendered formula beside the text")] = True
