"""Where the config has files lie, and the key that links to them are signed with."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.app.key_file import key_in
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.links import Links
from pointsman.domain.said import said
from pointsman.ports.file_store import FileStore, FileStoreError
from pointsman.store.files.local import LocalFiles
from pointsman.store.files.s3 import S3Files
from pointsman.store.files.s3_place import VALID, place_of


def open_files(config: Config) -> FileStore:
    """The store of `files.store`; without one, the folder `files` in the data folder. Raises ValueError and
    FileStoreError, of which `wrong_files` tells first."""
    files = config.files
    if files.store is None:
        return LocalFiles(data_dir(config) / "files")
    return S3Files(place_of(files.store), files.s3_key, files.s3_secret)


def links_of(config: Config) -> Links:
    """Raises OSError and ValueError where the key in the data folder cannot be used."""
    key = config.files.link_key
    return Links(key_in(data_dir(config) / "links.key") if key is None else key.encode())


def wrong_files(config: Config) -> Iterator[Problem]:
    """What is wrong with the store that the config names."""
    files = config.files
    if (files.s3_key is None) != (files.s3_secret is None):
        absent, other = ("s3_secret", "s3_key") if files.s3_secret is None else ("s3_key", "s3_secret")
        message = said("is missing, beside files.{other}", "缺少这一项：已写了 files.{other}", other=other)
        yield Problem(f"files.{absent}", message)
    try:
        open_files(config)
    except ValueError as error:
        yield Problem("files.store", error.args[0], valid=VALID)
    except FileStoreError as error:
        yield Problem("files.store", error.args[0])
