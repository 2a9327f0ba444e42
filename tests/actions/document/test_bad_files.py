"""Files that are damaged, that are something else, or that are meant to do harm."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import pypdf
import pytest

from actions.document import written
from pointsman.actions.child.work import Room
from pointsman.actions.document.child import read
from pointsman.actions.document.task import Read, Reading
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed


@pytest.fixture
def refused(tmp_path: Path) -> Any:
    def run(content: bytes, **more: Any) -> ActionFailed:
        with pytest.raises(ActionFailed) as failure:
            _read(tmp_path, content, **more)
        assert isinstance(failure.value.message, Said) and failure.value.message.zh != str(failure.value.message)
        return failure.value

    return run


def _read(folder: Path, content: bytes, **more: Any) -> Read:
    path = folder / "in"
    path.write_bytes(content)
    task = {"form": "markdown", "tables": True, "most_pages": 500, "most_characters": 200_000, **more}
    return read(Reading(path=str(path), **task), Room(folder, 60))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "picture"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), ".doc"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "password"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"{\\rtf1 hello}", "RTF"),
        (bytes(range(256)) * 20, "not known"),
        (written.archive(a_txt=b"text"), "zip"),
        (b"%PDF-1.7\nnothing", "damaged"),
        (b"PK\x03\x04" + b"\x00" * 100, "damaged"),
        (written.docx()[:2000], "damaged"),
    ],
)
def test_what_it_is_is_said(refused: Any, content: bytes, word: str) -> None:
    assert word in refused(content).message


def test_a_zip_bomb_as_docx(refused: Any) -> None:
    bomb = written.document_xml(b"<w:p/>" + b" " * (257 << 20))
    assert len(bomb) < 1 << 20
    failure = refused(bomb)
    assert failure.code == "too_large" and failure.refused


def test_many_members_that_are_small_bombs(refused: Any) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(100):
            file.writestr(f"word/{number}.xml", b"0" * (3 << 20))
    assert refused(out.getvalue()).code == "too_large"


def test_members_without_end(refused: Any) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for number in range(10_001):
            file.writestr(str(number), b"")
    assert refused(out.getvalue()).code == "too_large"


def test_members_that_share_their_bytes(refused: Any) -> None:
    """As in the bomb that needs no nesting: many entries of the directory name the same bytes."""
    content = written.document_xml(
        b"<w:p><w:r><w:t>x</w:t></w:r></w:p>" + random.Random(1).randbytes(100).hex().encode()
    )
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        start = file.start_dir
    directory = content[start : content.index(b"PK\x05\x06")]
    last = directory[directory.rindex(b"PK\x01\x02") :]
    many = directory + last * 200
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 202, 202, len(many), start, 0)
    assert refused(content[:start] + many + end).code in ("too_large", "bad_file")


def test_a_size_that_lies(tmp_path: Path) -> None:
    content = bytearray(written.document_xml(b"<w:p><w:r><w:t>" + b"x" * 5000 + b"</w:t></w:r></w:p>"))
    at = content.rindex(b"PK\x01\x02")
    struct.pack_into("<L", content, at + 24, 300)
    with pytest.raises(ActionFailed) as failure:
        _read(tmp_path, bytes(content))
    assert failure.value.code == "bad_file"


def test_entities_are_not_expanded(refused: Any) -> None:
    laughs = b'<!DOCTYPE x [<!ENTITY a "ha">' + b"".join(
        b'<!ENTITY %c "%b">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(8)
    )
    failure = refused(written.document_xml(b"<w:p><w:r><w:t>&i;</w:t></w:r></w:p>", laughs + b"]>"))
    assert "entities" in failure.message


def test_elements_nested_without_end(refused: Any) -> None:
    deep = b"<w:tbl><w:tr><w:tc>" * 100_000
    assert refused(written.document_xml(deep)).code == "bad_file"


def test_html_nested_without_end(tmp_path: Path) -> None:
    found = _read(tmp_path, b"<html><body>" + b"<div>" * 20_000 + b"deep")
    assert found.pages[0].text == "deep"


def test_a_sheet_as_large_as_can_be(refused: Any) -> None:
    failure = refused(written.wide_xlsx())
    assert failure.code == "too_large" and "17,179,869,184" in failure.message and "wide" in failure.message


def test_a_pdf_with_a_password(refused: Any, tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(io.BytesIO(written.pages(1)))
    writer.encrypt("geheim", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    assert "give the password" in refused(out.getvalue()).message
    assert "does not open" in refused(out.getvalue(), password="wrong").message
    assert _read(tmp_path, out.getvalue(), password="geheim").pages[0].text == "Word 1"


def test_a_page_that_is_not_there(refused: Any) -> None:
    assert "page 9" in refused(written.pages(3), pages=[(9, 9)]).message


@pytest.mark.parametrize("kind", ["pdf", "docx", "pptx", "xlsx", "mail"])
def test_damage_anywhere_is_said_or_read_over(tmp_path: Path, kind: str) -> None:
    """Whatever is changed or cut off: a failure in words, or as much as can be read."""
    whole, luck = getattr(written, kind)(), random.Random(kind)
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(luck.randint(1, 20)):
            content[luck.randrange(len(content))] = luck.randrange(256)
        if luck.random() < 0.3:
            del content[luck.randrange(len(content)) :]
        try:
            _read(tmp_path, bytes(content))
        except ActionFailed as failure:
            assert isinstance(failure.message, Said)
