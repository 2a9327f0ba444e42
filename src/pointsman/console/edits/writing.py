"""Files as they are, and their replacement as a whole: whoever reads one gets the old one or the new one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said


class FileText(msgspec.Struct, frozen=True):
    """A file as it was read. `mark` tells it from what it may become; `writable`: this gateway may replace it."""

    path: Path
    text: str
    mark: str
    writable: bool


def read_text(path: Path) -> FileText:
    """Raises PointsmanError where it cannot be read."""
    try:
        data = path.read_bytes()
        text = data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise PointsmanError(
            said("{path} cannot be read: {why}", "无法读取 {path}：{why}", path=path.name, why=type(error).__name__),
            status=409,
            code="file_unreadable",
        ) from None
    return FileText(path, text, mark_of(text), may_write(path))


def mark_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def may_write(path: Path) -> bool:
    """Whether it may be replaced: its owner has not taken away the right, and the folder takes new files."""
    try:
        real = path.resolve()
        return bool(real.stat().st_mode & 0o222) and os.access(real, os.W_OK) and os.access(real.parent, os.W_OK)
    except OSError:
        return False


def write_text(path: Path, text: str, mark: str) -> None:
    """In place of what has that `mark`. Raises PointsmanError (409) where the file changed meanwhile, or may not be
    written. A link stays one, and the file keeps its rights."""
    real = path.resolve()
    if read_text(real).mark != mark:
        raise PointsmanError(
            Said(
                "the file changed while this was being saved; nothing was written, try again",
                "保存时文件已被改动；没有写入任何内容，请重试",
            ),
            status=409,
            code="file_changed",
        )
    try:
        number, name = tempfile.mkstemp(prefix=f".{real.name}.", dir=real.parent)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(real.stat().st_mode & 0o7777)
            Path(name).replace(real)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise PointsmanError(
            said(
                "{path} cannot be written: {why}; copy the difference and change it by hand",
                "无法写入 {path}：{why}；请复制差异，手工修改",
                path=real.name,
                why=type(error).__name__,
            ),
            status=409,
            code="file_unwritable",
        ) from None
