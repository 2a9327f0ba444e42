"""Opening the request log to read it, wherever it is."""

from __future__ import annotations

from pathlib import Path

from pointsman.domain.said import said
from pointsman.store.log_file import read_log
from pointsman.store.log_home import needing_pg8000, url_of
from pointsman.store.log_schema import NAME
from pointsman.store.log_sql import Connection


def opened_to_read(folder: Path) -> Connection:
    """Of that data folder. Raises FileNotFoundError where there is no log yet, apsw.Error."""
    url = url_of(folder)
    if url is not None:
        with needing_pg8000():
            from pointsman.store.postgres_log.home import read_postgres
        connection = read_postgres(url)
        if connection is not None:
            return connection
    elif (folder / NAME).exists():
        return read_log(folder / NAME)
    raise FileNotFoundError(
        said(
            "there is no log in {folder} yet; it begins with the first request",
            "{folder} 里还没有日志；有了第一个请求才会开始记录",
            folder=folder,
        )
    )
