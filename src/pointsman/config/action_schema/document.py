"""`document:` text and tables of files."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section, Size


class Document(Section, frozen=True):
    """PDF, DOCX, XLSX, PPTX, HTML and others → text and tables, on the CPU."""

    tables: Annotated[bool, Meta(description="tables apart as rows, too, unless a request says otherwise")] = True
    form: Annotated[Literal["markdown", "text"], Meta(description="of the text, unless a request says otherwise")] = (
        "markdown"
    )
    max_size: Annotated[Size, Meta(description="of a file")] = "64MB"
    max_pages: Annotated[int, Meta(ge=1, le=10_000, description="pages, sheets or slides that are read")] = 500
    max_characters: Annotated[int, Meta(ge=100, le=5_000_000, description="of text that is given back")] = 200_000
