"""What the check has to say of a rule."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman.domain.said import Said

Kind = Literal[
    "unreachable",
    "duplicate",
    "shadowed",
    "dangling",
    "nearly_shadowed",
    "overlap",
    "dead_keyword",
    "no_cases",
    "expensive",
]
Severity = Literal["error", "warning", "note"]

SEVERITY: dict[Kind, Severity] = {
    "unreachable": "warning",
    "duplicate": "warning",
    "shadowed": "warning",
    "dangling": "warning",
    "nearly_shadowed": "note",
    "overlap": "note",
    "dead_keyword": "note",
    "no_cases": "note",
    "expensive": "note",
}
"""Of each kind, in the order in which they are told. A warning is a mistake that was proved, a note is for the author to
judge."""


class Witness(msgspec.Struct, frozen=True):
    """A request that shows it: a text, and the circumstances that differ from those of a plain one (`turn`, `role`,
    `tools`, …), named as in a case."""

    text: str
    given: dict[str, Any] = {}


class Finding(msgspec.Struct, frozen=True):
    """One thing that was proved of `rule`. `other` is the rule that it concerns too; `detail` says which of the kind it
    is, for programs: of a shadowed rule all that hide it, of a dead keyword the keyword."""

    kind: Kind
    rule: str
    message: Said
    other: str | None = None
    witness: Witness | None = None
    detail: tuple[str, ...] = ()

    @property
    def severity(self) -> Severity:
        return SEVERITY[self.kind]
