"""The part of the schema that says what of a request an engine must not see."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section

MaskKind = Literal[
    "phone", "id_card", "bank_card", "email", "secret",
    "url", "file", "code", "sql", "maths", "number", "amount", "percentage", "period",
]  # fmt: skip
"""The kinds of the extractors, those of people first."""


class Pii(Section, frozen=True):
    """Values that are replaced by placeholders before a request goes to an engine."""

    mask: Annotated[
        list[MaskKind] | Literal["all"],
        Meta(
            description="a list of kinds, or all: phone, id_card, bank_card, email, secret",
            extra={"zh": "由种类组成的列表，或 all（即 phone、id_card、bank_card、email、secret）"},
        ),
    ] = []
    unmask: Annotated[bool, Meta(description="whether replies get the values back")] = True
    backends: Annotated[
        Literal["external", "all"], Meta(description="external: backends of this network see the values")
    ] = "external"


class Guards(Section, frozen=True):
    """What is kept from engines."""

    pii: Pii = Pii()
