"""What a file is, by what is in it: names are not looked at."""

from __future__ import annotations

import re
from pathlib import Path

from pointsman.actions.document import wrong
from pointsman.actions.document.archive import Archive
from pointsman.actions.document.encoding import wide_without_mark
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed

_HEAD = 4096
_WORD = Said("an old Word document (.doc)", "旧版 Word 文档（.doc）")
_POINT = Said("an old PowerPoint file (.ppt)", "旧版 PowerPoint 文件（.ppt）")
_PARTS = (
    (b"wordprocessingml", "word/", "docx"),
    (b"presentationml", "ppt/", "pptx"),
    (b"spreadsheetml", "xl/", "xlsx"),
)
_NO_TEXT = (
    (b"\x89PNG", Said("a picture", "图片")),
    (b"\xff\xd8\xff", Said("a picture", "图片")),
    (b"GIF8", Said("a picture", "图片")),
    (b"II*\x00", Said("a picture", "图片")),
    (b"MM\x00*", Said("a picture", "图片")),
    (b"BM", Said("a picture", "图片")),
    (b"RIFF", Said("a picture, a sound or a film", "图片、音频或视频")),
    (b"ID3", Said("a sound", "音频")),
    (b"OggS", Said("a sound or a film", "音频或视频")),
    (b"fLaC", Said("a sound", "音频")),
    (b"\x1a\x45\xdf\xa3", Said("a film", "视频")),
    (b"\x1f\x8b", Said("a gzip archive", "gzip 压缩包")),
    (b"Rar!", Said("a RAR archive", "RAR 压缩包")),
    (b"7z\xbc\xaf", Said("a 7z archive", "7z 压缩包")),
    (b"\x7fELF", Said("a program", "程序")),
    (b"MZ\x90", Said("a program", "程序")),
    (b"{\\rtf", Said("an RTF document", "RTF 文档")),
    (b"SQLite format 3", Said("a database", "数据库")),
)
_HTML = re.compile(
    rb"\s*(?:<!--.{0,2000}?-->\s*|<\?xml[^>]{0,200}\?>\s*)*<(?:!doctype\s+html|html|head|body|meta|title)\b",
    re.I | re.S,
)
_MAIL = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]{1,60}:[^\r\n]*\r?\n(?:[ \t]+[^\r\n]*\r?\n)*){2,}")
_MAIL_HEADER = re.compile(rb"^(?:from|received|return-path|message-id|mime-version|delivered-to):", re.I | re.M)


def kind_of(path: Path) -> tuple[str, Archive | None]:
    """`pdf`, `docx`, `pptx`, `xlsx` (and .xlsb), `xls`, `ods`, `odt`, `odp`, `html`, `mail` or `text`; and the archive,
    open, where it is one. Raises ActionFailed for what is none of them."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip(b"\x00 \t\r\n"):
        raise wrong.not_readable(Said("empty", "空的"))
    if b"%PDF-" in head[:1024]:
        return "pdf", None
    if head.startswith(b"PK\x03\x04"):
        archive = Archive(path)
        try:
            return _office(archive), archive
        except ActionFailed:
            archive.close()
            raise
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _old_office(path), None
    for mark, what in _NO_TEXT:
        if head.startswith(mark):
            raise wrong.not_readable(what)
    if head[4:8] == b"ftyp":
        raise wrong.not_readable(Said("a film or a picture", "视频或图片"))
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")) or b"<html" in head[:1024].lower():
        return "html", None
    if (headers := _MAIL.match(head)) and _MAIL_HEADER.search(headers[0]):
        return "mail", None
    if _is_binary(head):
        raise wrong.not_readable(Said("of a kind that is not known", "未知的格式"))
    return "text", None


def _office(archive: Archive) -> str:
    if "mimetype" in archive.names:
        kind = archive.read("mimetype", 1000).decode("ascii", "ignore")
        for word, name in (("spreadsheet", "ods"), ("presentation", "odp"), ("opendocument.text", "odt")):
            if word in kind:
                return name
    types = archive.read("[Content_Types].xml", 4 << 20)
    for mark, folder, name in _PARTS:
        if mark in types and any(part.startswith(folder) for part in archive.names):
            return name
    if b"ms-excel" in types:
        return "xlsx"
    raise wrong.not_readable(Said("a zip archive", "zip 压缩包"))


def _old_office(path: Path) -> str:
    content = path.read_bytes()
    for name, kind in (
        ("EncryptedPackage", None),
        ("Workbook", "xls"),
        ("WordDocument", _WORD),
        ("PowerPoint Document", _POINT),
    ):
        if name.encode("utf-16-le") in content:
            if kind is None:
                raise wrong.locked()
            if isinstance(kind, Said):
                raise wrong.old_format(kind, ".docx" if kind is _WORD else ".pptx")
            return kind
    if "Book".encode("utf-16-le") in content:
        return "xls"
    raise wrong.not_readable(Said("of an old format that is not known", "未知的旧格式"))


def _is_binary(head: bytes) -> bool:
    """Text has no control characters, and zeros only in UTF-16."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if b"\x00" in head:
        return wide_without_mark(head) is None
    controls = sum(head.count(bytes([code])) for code in (*range(1, 9), *range(14, 27), *range(28, 32)))
    return controls * 50 > len(head)
