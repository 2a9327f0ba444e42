"""What went wrong with a store that speaks S3, for people: never what it was sent, for that may hold keys."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from pointsman.config.others_words import why
from pointsman.domain.said import Said, said
from pointsman.ports.file_store import FileStoreError

_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")
_STATUS = re.compile(r"status code: ([0-9]{3})")
_NO_LIBRARY = Said(
    "files in an S3 store need what is not installed: pip install 'pointsman[s3]'",
    "把文件存到 S3 需要额外的组件，尚未安装：pip install 'pointsman[s3]'",
)


def library() -> Any:
    """obstore. Raises FileStoreError where it is not installed."""
    try:
        import obstore
        import obstore.store
    except ImportError:
        raise FileStoreError(_NO_LIBRARY) from None
    return obstore


@contextlib.contextmanager
def explained(store: str, key: str) -> Iterator[None]:
    """What fails inside becomes a FileStoreError."""
    from obstore.exceptions import BaseError

    try:
        yield
    except FileStoreError:
        raise
    except (BaseError, OSError) as error:
        en, zh = "{store}: the file {key} cannot be kept or read: {why}", "{store}：文件 {key} 无法存取：{why}"
        raise FileStoreError(said(en, zh, store=store, key=key or "/", why=_why(error))) from None


def _why(error: Exception) -> Said:
    from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

    text = str(error)
    code, status = _CODE.search(text), _STATUS.search(text)
    answer = (code or status or [None, None])[1]
    denied = isinstance(error, (PermissionDeniedError, UnauthenticatedError))
    if denied or (status is not None and status[1] in ("401", "403")):
        return said("it refuses this account ({answer})", "它拒绝了这个账号（{answer}）", answer=answer or "403")
    if answer == "NoSuchBucket":
        return Said("there is no such bucket", "没有这个存储桶")
    if answer is not None:
        return said("it answered {answer}", "它回答了 {answer}", answer=answer)
    if isinstance(error, OSError) and error.errno is not None:
        return said("{why}", "{why}", why=why(error))
    return Said("it cannot be reached", "无法连接")
