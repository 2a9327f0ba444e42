"""One name under `actions:` and what it does: exactly one of the kinds."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from pointsman.config.action_schema.document import Document
from pointsman.config.action_schema.extract import Extract
from pointsman.config.action_schema.faq import Faq
from pointsman.config.action_schema.generate import Generate
from pointsman.config.action_schema.http import Http
from pointsman.config.action_schema.image import Image
from pointsman.config.action_schema.maths import Maths
from pointsman.config.action_schema.mcp import McpTool
from pointsman.config.action_schema.media import Media
from pointsman.config.action_schema.python import Python
from pointsman.config.action_schema.sql import Sql
from pointsman.config.action_schema.steps import Step
from pointsman.config.report_schema import Memory, Title
from pointsman.config.section import Section, Size, Span

REPLIES = ("answer", "refuse", "route")
"""Kinds that the decision itself carries out, written as in a rule."""
ACTS = ("maths", "sql", "http", "mcp", "media", "image", "document", "faq", "extract", "generate", "python", "steps")
"""Kinds that do something."""


class ActionConfig(Section, frozen=True):
    """`answer`, `refuse` and `route` are written as in a rule; the others do something, with limits."""

    answer: Annotated[Any, Meta(description="a text, or {zh: …, en: …}")] = None
    refuse: Annotated[Any, Meta(description="{why, instead}")] = None
    route: Annotated[Any, Meta(description="{task, tier, target, body}")] = None
    maths: Annotated[Maths, Meta(description="a calculation by SymPy")] | None = None
    sql: Annotated[Sql, Meta(description="what can be said of an SQL statement")] | None = None
    http: Annotated[Http, Meta(description="a call to a service")] | None = None
    mcp: Annotated[McpTool, Meta(description="a tool of an MCP server")] | None = None
    media: Annotated[Media, Meta(description="sound and film, by ffmpeg")] | None = None
    image: Annotated[Image, Meta(description="a picture from words")] | None = None
    document: Annotated[Document, Meta(description="text and tables of a file")] | None = None
    faq: Annotated[Faq, Meta(description="the entry closest to a question")] | None = None
    extract: Annotated[Extract, Meta(description="an answer of a set form, filled with what passages say")] | None = (
        None
    )
    generate: Annotated[Generate, Meta(description="the reply of a routed model")] | None = None
    python: Annotated[Python, Meta(description="a function of an installed package")] | None = None
    steps: Annotated[list[Step], Meta(min_length=1, description="actions, one after the other")] | None = None
    about: Title | None = None
    parameters: (
        Annotated[dict[str, Any], Meta(description="name → JSON Schema of it; those without a default are required")]
        | None
    ) = None
    timeout: Annotated[Span, Meta(description="for one run; default: 30s")] | None = None
    memory: Annotated[Memory, Meta(description="of the process that does it; default: 512MB")] | None = None
    output: Annotated[Size, Meta(description="of text and values that it gives; default: 1MB")] | None = None
    gpu_memory: Annotated[int, Meta(ge=0, description="MB of GPU memory that it takes")] | None = None
    cpu_seconds: (
        Annotated[float, Meta(ge=0, description="CPU time that one run is expected to take; default: as measured")]
        | None
    ) = None
    cores: Annotated[int, Meta(ge=0, description="that it keeps busy at once; 0: all that actions may have")] | None = (
        None
    )
    redact: Annotated[list[str], Meta(description="parameters whose values no log and no trace shows")] = []

    @property
    def kinds(self) -> list[str]:
        """Those that are given; a sound action has one."""
        return [kind for kind in (*REPLIES, *ACTS) if getattr(self, kind) is not None]
