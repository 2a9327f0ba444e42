"""The report as the bytes of a file."""

from __future__ import annotations

from typing import Literal

from pointsman.domain.said import Said, Tongue
from pointsman.offline.weekly.html import as_html
from pointsman.offline.weekly.markdown import as_markdown
from pointsman.offline.weekly.page import Page
from pointsman.ports.action import ActionFailed

Form = Literal["md", "html", "pdf"]
ENDINGS: dict[str, Form] = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".pdf": "pdf"}


class NotInstalled(Exception):
    """Something that the form needs is not there; the text says what, in both languages."""


def as_bytes(page: Page, form: Form, tongue: Tongue, now: float) -> bytes:
    """Raises NotInstalled."""
    if form == "md":
        return as_markdown(page, tongue).encode()
    if form == "html":
        return as_html(page, tongue).encode()
    try:
        from pointsman.offline.weekly.pdf import as_pdf
    except ImportError:
        raise NotInstalled(
            Said(
                "a PDF is set by typst: pip install 'pointsman[report]'",
                "生成 PDF 需要 typst：pip install 'pointsman[report]'",
            )
        ) from None
    try:
        return as_pdf(page, tongue, now)
    except ActionFailed as error:  # the font
        raise NotInstalled(error.message) from None
