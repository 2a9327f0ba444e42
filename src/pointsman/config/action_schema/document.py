"""`document:` text and tables of files."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section


class Document(Section, frozen=True):
    """PDF, DOCX, XLSX, PPTX, HTML → text and tables, on the CPU."""

    tables: Annotated[bool, Meta(description="tables, too")] = True
    max_pages: Annotated[int, Meta(ge=1, le=10_000, description="pages or sheets that are read")] = 500
    max_characters: Annotated[int, Meta(ge=100, description="of text that is given back")] = 200_000
