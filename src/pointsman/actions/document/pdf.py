"""Text and tables of a PDF, by PDFium: page by page, as much as is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium

from pointsman.actions.document import wrong
from pointsman.actions.document.block import Block, PageStart
from pointsman.actions.document.pdf_blocks import Sizes, blocks_of
from pointsman.actions.document.pdf_page import page_of

_PASSWORD, _SECURITY = 4, 5  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY


class Pdf:
    """An open file. Raises ActionFailed where it cannot be opened. To be used once, in a process of its own."""

    unit = "page"

    def __init__(self, path: Path, password: str | None, tables: bool) -> None:
        try:
            self._document = pdfium.PdfDocument(path, password=password)
        except pdfium.PdfiumError as error:
            code = getattr(error, "err_code", None)
            if code == _PASSWORD:
                raise (wrong.encrypted() if password is None else wrong.wrong_password()) from None
            if code == _SECURITY:
                raise wrong.locked() from None
            raise wrong.broken(f"PDFium: {code}") from None
        self.count = len(self._document)
        self._tables = tables
        self._sizes = Sizes()

    def page(self, number: int) -> Iterator[Block]:
        """From 1. A page that cannot be read is an empty one."""
        try:
            page = self._document[number - 1]
        except pdfium.PdfiumError:
            yield PageStart(number)
            return
        try:
            content = page_of(page, self._tables)
        finally:
            page.close()
        yield PageStart(number, picture=content.picture)
        yield from blocks_of(content, self._sizes)
