"""The part of the schema that says which text the rules look at, where a product wraps its user's question."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section


class QuestionFrame(Section, frozen=True):
    """How a product writes what it retrieved and its user's question into one message: a template, or a regex."""

    name: Annotated[str, Meta(min_length=1, description="shown in explanations; one that ships is replaced by it")]
    template: (
        Annotated[
            str, Meta(min_length=1, description="the whole message, with {question}, {context}, {history}, {any}")
        ]
        | None
    ) = None
    regex: (
        Annotated[str, Meta(min_length=1, description="instead of a template: RE2 with a group named question")] | None
    ) = None


class Questions(Section, frozen=True):
    """Which part of a message is the user's own question."""

    frames: Annotated[
        list[QuestionFrame], Meta(description="templates of your own; they count before those that ship")
    ] = []
    shipped: Annotated[
        bool, Meta(description="also know the frames that ship: Open WebUI, FastGPT, LangChain and others")
    ] = True
