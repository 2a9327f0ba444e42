"""The objects of one bucket, and the one request that only one of several can win: `PUT` with `If-None-Match: *`."""

from __future__ import annotations

import datetime
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointsman.domain.said import said
from pointsman.ports.file_store import FileStoreError, Stored
from pointsman.store.files.s3_place import S3Place
from pointsman.store.files.s3_words import library

if TYPE_CHECKING:
    from obstore.store import S3Store

PART = 8 << 20
"""Bytes that one request takes."""
_PAUSES = (0.05, 0.2, 0.8, 3.2)  # seconds


class S3Objects:
    """Blocks: for threads. Of what an operation needs, obstore's errors are raised as they are (see `s3_words`), and
    FileNotFoundError where there is no such object, or no such bucket. Its asynchronous calls are not used: a process
    that ends right after one is aborted.

    `key` and `secret` are those of an account; without them obstore looks into the usual variables (AWS_ACCESS_KEY_ID …),
    and asks the machine that Amazon runs. Below `aside` this class may keep something for a moment. Raises FileStoreError
    where obstore is not installed."""

    def __init__(self, place: S3Place, key: str | None, secret: str | None, *, aside: str) -> None:
        self._obstore = library()
        self._store = _store(place, key, secret)
        self.name = f"s3://{place.bucket}"
        self._aside = aside
        self._proved = False

    def create(self, path: str, content: bytes) -> bool:
        """Whether this call made the object. An answer may be lost and the request be sent again, so every call leaves a
        mark of its own. The server is told apart from one that ignores the condition before anything relies on it."""
        if not self._proved:
            self._prove(path)
        return self._create(path, content)

    def upload(self, path: str, content: bytes | Path) -> None:
        """In parts, four at a time. Not conditional: not every server can do that at the end of an upload."""
        self._obstore.put(self._store, path, content, use_multipart=True, chunk_size=PART, max_concurrency=4)

    def head(self, path: str) -> Stored | None:
        try:
            return _stored(self._obstore.head(self._store, path))
        except FileNotFoundError:
            return None

    def get(self, path: str) -> bytes | None:
        try:
            return bytes(self._obstore.get(self._store, path).bytes())
        except FileNotFoundError as error:
            if "NoSuchBucket" in str(error):
                raise
            return None

    def part(self, path: str, start: int, end: int) -> bytes | None:
        """The bytes from `start` up to, not including, `end`."""
        try:
            return bytes(self._obstore.get_range(self._store, path, start=start, end=end))
        except FileNotFoundError:
            return None

    def ls(self, folder: str) -> Iterator[list[Stored]]:
        """All below it, some at a time."""
        for batch in self._obstore.list(self._store, folder or None, chunk_size=1000):
            yield [_stored(meta) for meta in batch]

    def remove(self, paths: Sequence[str]) -> None:
        """Nothing happens for those that are not there."""
        if paths:
            self._obstore.delete(self._store, list(paths))

    def _create(self, path: str, content: bytes) -> bool:
        from obstore.exceptions import AlreadyExistsError

        marked = {"publisher": secrets.token_hex(16)}
        for pause in _PAUSES:
            try:
                self._obstore.put(self._store, path, content, mode="create", use_multipart=False, attributes=marked)
                return True
            except AlreadyExistsError:
                try:
                    there = self._obstore.get(self._store, path, options={"head": True})
                except FileNotFoundError:  # two came at once and neither was let through, or it is deleted already
                    time.sleep(pause)
                else:
                    return bool(there.attributes.get("publisher") == marked["publisher"])
        en, zh = "{store} refuses {path}, and has no such object", "{store} 拒绝了 {path}，却没有同名对象"
        raise FileStoreError(said(en, zh, store=self.name, path=path))

    def _prove(self, path: str) -> None:
        """That the server lets one of two through."""
        path = f"{self._aside}/{path}/{secrets.token_hex(16)}"
        first, second = self._create(path, b""), self._create(path, b"")
        self.remove([path])
        if second or not first:
            raise FileStoreError(
                said(
                    "{store} does not honour If-None-Match, so two workers could overwrite each other's files; use a "
                    "server that does, or the data folder",
                    "{store} 不支持 If-None-Match，两个工作进程可能互相覆盖文件；请换用支持它的服务器，或使用数据目录",
                    store=self.name,
                )
            )
        self._proved = True


def _stored(meta: Any) -> Stored:
    return Stored(meta["path"], meta["size"], meta["last_modified"].timestamp())


def _store(place: S3Place, key: str | None, secret: str | None) -> S3Store:
    from obstore.store import S3Store

    config: Any = {
        "virtual_hosted_style_request": not place.path_style,
        "disable_bulk_delete": True,  # which not every server knows
    }
    if place.base is not None:
        config["endpoint"] = place.base
        if "AWS_ENDPOINT_URL_S3" in os.environ:  # it would count more
            config["aws_endpoint_url_s3"] = place.base
    if place.region is not None:
        config["region"] = place.region
    account = None
    if key is not None:  # a session token in the environment belongs to another key
        given = {"access_key_id": key, "secret_access_key": secret or "", "token": None, "expires_at": None}

        def account() -> Any:
            return given

    return S3Store(
        place.bucket,
        prefix=place.prefix or None,
        config=config,
        client_options={"allow_http": _plain(place), "timeout": "60s", "connect_timeout": "5s"},
        retry_config={"max_retries": 3, "retry_timeout": datetime.timedelta(seconds=30)},
        credential_provider=account,
    )


def _plain(place: S3Place) -> bool:
    """Whether the address is http, in the URL or in the environment."""
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
    known = [place.base, *map(os.environ.get, names)]
    return next((url for url in known if url), "").startswith("http://")
