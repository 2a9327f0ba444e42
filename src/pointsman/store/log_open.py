"""Opening the request log to read it, wherever it is."""

from __future__ import annotations

from pathlib import Path

from pointsman.domain.said import said
from pointsman.store.log_file import read_log
from pointsman.store.log_schema import NAME
from pointsman.store.log_sql import Connection


def opened_to_read(where: Path | str) -> Connection:
    """`where` is the data folder. Raises FileNotFoundError where there is no log yet, apsw.Error."""
    folder = Path(where)
    path = folder / NAME
    if not path.exists():
        raise FileNotFoundError(
            said(
                "there is no log in {folder} yet; it begins with the first request",
                "{folder} 里还没有日志；有了第一个请求才会开始记录",
                folder=folder,
            )
        )
    return read_log(path)
