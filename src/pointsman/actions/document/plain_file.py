"""Plain text, Markdown, CSV and e-mail."""

from __future__ import annotations

import csv
import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage

from pointsman.actions.document.block import Block, Note, PageStart, Paragraph, Table
from pointsman.actions.document.encoding import decoded
from pointsman.actions.document.html_file import html_blocks

_ROWS = 500  # of one block
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MOST_PARTS = 200


def text_blocks(text: str) -> Iterator[Block]:
    """As it stands: Markdown is text already."""
    yield PageStart(1)
    for piece in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        yield Paragraph(piece)


def csv_blocks(text: str, delimiter: str) -> Iterator[Block]:
    yield PageStart(1)
    rows: list[list[str]] = []
    csv.field_size_limit(1 << 20)
    try:
        for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) >= _ROWS:
                yield Table(rows)
                rows = [rows[0]]
    except csv.Error:
        yield Note("A line of the table could not be read; the rest is left out.", "表格有一行无法读取，其后略去。")
    if len(rows) > 1 or (rows and rows[0]):
        yield Table(rows)


def delimiter_of(text: str) -> str | None:
    """What parts the columns of a table: the same number of them in each of the first lines. None: it is no table."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:21]
    if len(text) > 20_000:
        lines = lines[:-1]
    if len(lines) < 2:
        return None
    for delimiter in ("\t", ",", ";", "|"):
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:
            continue
        usual = max(set(counts), key=counts.count)
        if usual > 1 and counts.count(usual) >= 0.9 * len(counts) and (delimiter in "\t;" or _is_table(lines, usual)):
            return delimiter
    return None


def _is_table(lines: list[str], columns: int) -> bool:
    """Sentences with as many commas each are no table."""
    return columns > 2 or all(len(line) < 200 and not line.rstrip().endswith((".", "。", ",")) for line in lines)


def mail_blocks(content: bytes) -> Iterator[Block]:
    """Who, when and about what; the text, or else the web page; and the names of what is attached."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    yield PageStart(1)
    yield Paragraph("\n".join(f"{name}: {value}" for name in _HEADERS if (value := _header(message, name))))
    plain, page, attached = _parts(message)
    if plain is not None:
        yield from _body(text_blocks(_text(plain)))
    elif page is not None:
        yield from _body(html_blocks(_text(page)))
    if attached:
        names = ", ".join(attached[:50])
        yield Note(f"Attached, and not read: {names}", f"附件（没有读取）：{names}")


def _body(blocks: Iterator[Block]) -> Iterator[Block]:
    return (block for block in blocks if not isinstance(block, PageStart))


def _parts(message: EmailMessage) -> tuple[EmailMessage | None, EmailMessage | None, list[str]]:
    plain = page = None
    attached: list[str] = []
    for number, part in enumerate(message.walk()):
        if number > _MOST_PARTS:
            break
        kind, name = part.get_content_type(), part.get_filename()
        if name or part.get_content_disposition() == "attachment":
            attached.append(str(name or kind)[:200])
        elif kind == "text/plain" and plain is None:
            plain = part
        elif kind == "text/html" and page is None:
            page = part
    return plain, page, attached


def _text(part: EmailMessage) -> str:
    content = part.get_payload(decode=True)
    return decoded(content, part.get_content_charset()) if isinstance(content, bytes) else ""


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message[name] or "").split())
    except (ValueError, LookupError, AttributeError, IndexError):  # headers that the standard library trips over
        return ""
