"""`extract:` an answer of a set form, filled with what passages say."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from pointsman.config.report_schema import Title
from pointsman.config.section import Section


class Extract(Section, frozen=True):
    """Fields, filled only with what chunks say that the client sent or an FAQ gave, each with the ids of its chunks."""

    schema: Annotated[
        dict[str, dict[str, Any]],
        Meta(
            min_length=1,
            description="field → JSON Schema of it: a string, a number or a list of these; `description` is a text or "
            "{zh: …, en: …}, `x-labels` are what chunks call it, `x-kind` is what it is (duration, email, phone, …)",
        ),
    ]
    required: (
        Annotated[list[str], Meta(description="fields without which there is no answer; default: all of them")] | None
    ) = None
    template: (
        Annotated[
            Title,
            Meta(
                description="the answer: {field}, {field.chunks} and {chunks} are slots; a line whose field was not found "
                "is left out. Default: a line for each field",
                extra={"zh": "一段文本，或 {zh: …, en: …}"},
            ),
        ]
        | None
    ) = None
    source: Annotated[
        str,
        Meta(min_length=1, description="`chunks`: those that came with the request; or the name of an `faq` action"),
    ] = "chunks"
    model: (
        Annotated[
            str,
            Meta(min_length=1, description="an entry, tier, alias or model that fills; without one, only rules do"),
        ]
        | None
    ) = None
    characters: Annotated[
        int, Meta(ge=200, le=100_000, description="of chunks that the model is shown, the first ones first")
    ] = 8000
    max_tokens: Annotated[int, Meta(ge=16, description="of the model's reply")] = 600
