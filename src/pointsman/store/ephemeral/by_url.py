"""The URL of the store of jobs → where ephemeral values are: beside them."""

from __future__ import annotations

from pathlib import Path

from pointsman.ports.ephemeral import Ephemeral
from pointsman.store.ephemeral.sqlite import SqliteEphemeral
from pointsman.store.jobs.by_url import check_url

_SQLITE = "sqlite:///"


def open_ephemeral(url: str, folder: Path) -> Ephemeral:
    """A file's path is taken from `folder`. Raises ValueError, and ImportError where an extra is missing."""
    check_url(url)
    if url.startswith(_SQLITE):
        return SqliteEphemeral((folder / url.removeprefix(_SQLITE)).with_suffix(".ephemeral.sqlite"))
    from pointsman.store.ephemeral.redis import RedisEphemeral  # the extra need not be there

    return RedisEphemeral(url)
