"""`steps:` actions one after the other."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from pointsman.config.section import Section

StepName = Annotated[
    str,
    Meta(
        pattern=r"^[a-z][a-z0-9_]*$",
        description="small letters, digits and _",
        extra={"zh": "小写字母、数字和 _"},
    ),
]


class Step(Section, frozen=True):
    """One action of the chain; what it gave is `{NAME.text}` or `{NAME.VALUE}` to those after it."""

    action: Annotated[str, Meta(min_length=1, description="a name under actions")]
    parameters: Annotated[dict[str, Any], Meta(description="with {slots}; a lone slot keeps its type")] = {}
    name: Annotated[StepName, Meta(description="what later steps call it; default: the action's name")] | None = None
