"""`generate:` a model's reply as a step."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from pointsman.config.section import Section


class Generate(Section, frozen=True):
    """A routed model call; `{name}` stands for a parameter."""

    prompt: Annotated[str, Meta(min_length=1, description="what the model is asked, with {slots}")]
    system: Annotated[str, Meta(description="the system message")] | None = None
    model: Annotated[str, Meta(min_length=1, description="an entry, tier, alias or model")] = "auto"
    max_tokens: Annotated[int, Meta(ge=1, description="of the reply")] | None = None
    schema: Annotated[dict[str, Any], Meta(description="JSON Schema of the reply")] | None = None
