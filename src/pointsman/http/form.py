"""multipart/form-data as it comes: short fields into memory, one file onto the disk."""

from __future__ import annotations

import contextlib
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import Said, said

logging.getLogger("python_multipart").setLevel(logging.ERROR)  # a client is told what is wrong with its form

_LONGEST = 4096  # bytes of a field
_PARTS = 32
_PLAIN = (b"", b"7bit", b"8bit", b"binary")
_LONGEST_NAME = 255


class Form:
    """The field `file` goes into a new file in `folder`, of at most `most` bytes; others are text, and must be among
    `names`. Its methods wait for the disk. They raise PointsmanError (400, 413), and OSError."""

    def __init__(self, content_type: str | None, folder: Path, names: Sequence[str], most: int) -> None:
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if kind != b"multipart/form-data" or not boundary:
            raise _wrong("content-type", _NO_FORM, "not_a_form")
        self.fields: dict[str, str] = {}
        self.filename = ""
        self.size = 0
        """Bytes of the file."""
        self.path: Path | None = None
        """The file, if there is one."""
        self._folder = folder
        self._names = names
        self._most = most
        self._file: BinaryIO | None = None
        self._name = ""
        self._text = bytearray()
        self._header = bytearray()
        self._value = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._parts = 0
        self._ended = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin,
                    "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                    "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                    "on_header_end": self._header_ends,
                    "on_headers_finished": self._head,
                    "on_part_data": self._data,
                    "on_part_end": self._end,
                    "on_end": self._ends,
                },
            )
        except FormParserError:  # a boundary that is too long
            raise _wrong("content-type", _NO_FORM, "not_a_form") from None

    def write(self, pieces: Sequence[bytes]) -> None:
        for piece in pieces:
            try:
                self._parser.write(piece)
            except FormParserError:
                raise _wrong(None, _BROKEN) from None

    def finish(self) -> Path:
        """The form is whole; its file, written."""
        if not self._ended:
            raise _wrong(None, _BROKEN)
        if self.path is None:
            raise _wrong("file", _NO_FILE, "missing_field")
        if self._file is not None:
            self._file.close()
            self._file = None
        return self.path

    def close(self) -> None:
        """Removes its file, unless somebody took it."""
        with contextlib.suppress(OSError):
            if self._file is not None:
                self._file.close()
        with contextlib.suppress(OSError):
            if self.path is not None:
                self.path.unlink(missing_ok=True)

    # What the parser finds

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _PARTS:
            raise _wrong(None, said(*_TOO_MANY, most=_PARTS))
        self._headers = {}
        self._text = bytearray()

    def _header_ends(self) -> None:
        self._headers[bytes(self._header).lower()] = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _head(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        self._name = name = options.get(b"name", b"").decode(errors="replace")
        valid = ["file", *self._names]
        if name not in valid:
            hint = did_you_mean(name[:100], valid)
            why = said(*_UNKNOWN, name=name[:100], hint=hint, valid=", ".join(valid))
            raise _wrong(name[:100], why, "unknown_field")
        if name in self.fields or (name == "file" and self.path is not None):
            raise _wrong(name, said(*_TWICE, name=name), "duplicate_field")
        if self._headers.get(b"content-transfer-encoding", b"").strip().lower() not in _PLAIN:
            raise _wrong(name, _ENCODED)
        if name == "file":
            self.filename = _plain(options.get(b"filename", b"").decode(errors="replace"))
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            made = tempfile.NamedTemporaryFile(dir=self._folder, prefix="upload-", delete=False)  # noqa: SIM115
            self._file, self.path = cast(BinaryIO, made), Path(made.name)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._name != "file":
            self._text += data[start:end]
            if len(self._text) > _LONGEST:
                raise _wrong(self._name, said(*_LONG, name=self._name, most=_LONGEST))
            return
        self.size += end - start
        if self.size > self._most:
            raise file_too_large(self._most, None)
        assert self._file is not None
        self._file.write(data[start:end])

    def _end(self) -> None:
        if self._name != "file":
            try:
                self.fields[self._name] = self._text.decode()
            except UnicodeDecodeError:
                raise _wrong(self._name, said(*_NOT_UTF8, name=self._name)) from None

    def _ends(self) -> None:
        self._ended = True


def file_too_large(limit: int, size: int | None) -> PointsmanError:
    """For a file of more than `limit` bytes; `size`: as many as the whole body says that it has."""
    if size:
        has = said("this upload has {size}", "这次上传有 {size} 字节", size=size)
    else:
        has = Said("this one is larger", "这个文件超过了上限")
    return PointsmanError(
        said(
            "a file may have {limit} bytes (files.max_upload); {has}",
            "一个文件最多 {limit} 字节（files.max_upload）；{has}",
            limit=limit,
            has=has,
        ),
        status=413,
        code="file_too_large",
        param="file",
    )


def _plain(filename: str) -> str:
    """The last part of a path, without control characters."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    return "".join(c for c in name if c.isprintable())[:_LONGEST_NAME] or "file"


def _wrong(param: str | None, why: Said, code: str = "invalid_form") -> PointsmanError:
    return PointsmanError(why, code=code, param=param)


_NO_FORM = Said(
    "send the file as multipart/form-data: curl -F purpose=batch -F file=@requests.jsonl …",
    "请用 multipart/form-data 上传文件：curl -F purpose=batch -F file=@requests.jsonl …",
)
_BROKEN = Said("the form is broken off or malformed", "表单不完整或格式有误")
_NO_FILE = Said("the form has no field file", "表单里没有 file 字段")
_TOO_MANY = ("a form may have {most} fields", "表单最多 {most} 个字段")
_UNKNOWN = ('the form has no field "{name}"{hint}; valid: {valid}', "表单没有字段“{name}”{hint}（可用的有：{valid}）")
_TWICE = ("the field {name} is given twice", "字段 {name} 出现了两次")
_LONG = ("the field {name} may have {most} bytes", "字段 {name} 最多 {most} 字节")
_NOT_UTF8 = ("the field {name} is not valid UTF-8", "字段 {name} 不是有效的 UTF-8")
_ENCODED = Said(
    "content-transfer-encoding is not supported in forms; send the bytes as they are",
    "表单不支持 content-transfer-encoding；请直接发送原始内容",
)
