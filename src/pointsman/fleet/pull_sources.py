"""Where a model's file comes from: a web server, or another folder. Both can go on at a byte, and say what they hold."""

from __future__ import annotations

import http.client
import os
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, unquote, urlsplit

import msgspec

from pointsman.config.others_words import all_of, why
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said

HUB = "https://huggingface.co"
PATIENCE = 30.0
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})(\.gguf|\.safetensors)")
_HUB_NAME = re.compile(r"hf:([\w.-]+/[\w.-]+)(?:@([\w./-]+?))?/((?:[^/?#]+/)*[^/?#]+)")
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")
_WHOLE = re.compile(r"bytes \*/(\d{1,18})")
_DIGEST = re.compile(r'"?([0-9a-f]{64})"?')
_LATER = frozenset((408, 425, 429, 500, 502, 503, 504))


class PullFailed(Exception):
    """`said` is one sentence. `again`: it may go better in a moment."""

    def __init__(self, message: Said, *, again: bool = False) -> None:
        super().__init__(str(message))
        self.said = message
        self.again = again


class Opened(msgspec.Struct, frozen=True):
    """Bytes from `start` on (0 where it did not go on, whatever was asked). `total` of the whole file, where that is told;
    `mark` names this very content, so that a later part is of the same (None: nothing does); `sha256` where it is told."""

    start: int
    total: int | None
    mark: str | None
    read: Callable[[int], bytes]
    close: Callable[[], None]
    sha256: str | None = None


class Source(Protocol):
    """`shown` is where it is, without secrets; `name` the file's."""

    shown: str
    name: str

    def open(self, start: int, mark: str | None) -> Opened:
        """From byte `start` on where what lies there still has that mark, else from 0 on. Raises PullFailed."""
        ...


def sources_of(place: str, hub: str | None = None, token: str | None = None) -> list[Source]:
    """Of `https://…`, `hf:org/repo/file.gguf` (`@` a revision behind the repo) or a path; the first of several shards stands
    for all. `token` goes to the `hub` alone. Raises Problem."""
    base = (hub or HUB).rstrip("/")
    url = place
    if place.startswith("hf:"):
        named = _HUB_NAME.fullmatch(place)
        if named is None:
            raise Problem(
                "SOURCE",
                said('"{place}" names no file', "“{place}”没有指明文件", place=place),
                valid="hf:org/repo/file.gguf, hf:org/repo@revision/file.gguf",
            )
        url = f"{base}/{named[1]}/resolve/{quote(named[2] or 'main', safe='')}/{quote(named[3])}"
    if "://" not in url:
        return [FileSource(path) for path in map(Path, _all_shards(url))]
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise Problem(
            "SOURCE", said('"{place}" is no address', "“{place}”不是地址", place=place), valid="https://…, hf:…, PATH"
        )
    secret = (urlsplit(base).netloc, token) if token else None
    path, question, query = url.partition("?")
    return [WebSource(each + question + query, secret) for each in _all_shards(path)]


def _all_shards(place: str) -> list[str]:
    named = _SHARD.fullmatch(place)
    if named is None or int(named[2]) != 1 or not 1 < int(named[3]) <= 2048:
        return [place]
    return [f"{named[1]}-{number:05}-of-{named[3]}{named[4]}" for number in range(1, int(named[3]) + 1)]


class FileSource:
    """A file in another folder."""

    def __init__(self, path: Path) -> None:
        self._path = path.expanduser()
        self.shown = str(path)
        self.name = path.name

    def open(self, start: int, mark: str | None) -> Opened:
        try:
            file = self._path.open("rb")
        except OSError as error:
            raise PullFailed(said("{path}: {why}", "{path}：{why}", path=self.shown, why=why(error))) from None
        about = os.fstat(file.fileno())
        now = f"{about.st_dev}:{about.st_ino}:{about.st_size}:{about.st_mtime_ns}"
        begin = start if mark == now and start <= about.st_size else 0
        file.seek(begin)
        return Opened(begin, about.st_size, now, file.read, file.close)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """The token stays with the host that it is for; from https the way never leads to http. What the first answer tells of
    the file (Hugging Face does) is kept."""

    max_redirections = 10

    def __init__(self) -> None:
        self.sha256: str | None = None

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        told = _DIGEST.fullmatch(headers.get("x-linked-etag", ""))
        self.sha256 = told[1] if told else self.sha256
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if before.scheme == "https" and after.scheme != "https":
            raise PullFailed(
                said("{host} leads from https to http", "{host} 把 https 转到了 http", host=before.hostname)
            )
        made = super().redirect_request(req, fp, code, msg, headers, newurl)
        if made is not None and before.netloc != after.netloc:
            made.remove_header("Authorization")
        return made


class WebSource:
    """A file behind HTTP, through the proxies of the environment."""

    def __init__(self, url: str, secret: tuple[str, str] | None = None) -> None:
        """`secret`: a host with its port, and the token that it alone is sent."""
        parts = urlsplit(url)
        self._url = url
        self._token = secret[1] if secret and secret[0] == parts.netloc else None
        self.shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self.name = unquote(parts.path.rpartition("/")[2])

    def open(self, start: int, mark: str | None) -> Opened:
        headers = {"User-Agent": "pointsman", "Accept-Encoding": "identity"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if start and mark:
            headers |= {"Range": f"bytes={start}-", "If-Range": mark}
        redirects = _Redirects()
        try:
            request = urllib.request.Request(self._url, headers=headers)  # noqa: S310, http(s) alone: sources_of
            response = urllib.request.build_opener(redirects).open(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            with error:
                return self._refused(error, start, mark)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._broken(error) from None
        return self._opened(response, redirects.sha256)

    def _opened(self, response: Any, sha256: str | None) -> Opened:
        head = response.headers
        if head.get("content-encoding", "identity") != "identity" or head.get_content_type() == "text/html":
            response.close()
            raise PullFailed(
                said(
                    "{place} is {kind}, and no model file",
                    "{place} 是 {kind}，不是模型文件",
                    place=self.shown,
                    kind=head.get_content_type(),
                )
            )
        start, total = 0, None
        if response.status == 206:
            ranged = _RANGE.fullmatch(head.get("content-range", ""))
            if ranged is None:
                response.close()
                raise PullFailed(
                    said("{place}: a part, and not which", "{place}：只给了一部分，没说是哪部分", place=self.shown)
                )
            start, total = int(ranged[1]), None if ranged[3] == "*" else int(ranged[3])
        elif (length := head.get("content-length", "")).isascii() and length.isdecimal():
            total = int(length)
        return Opened(start, total, _mark(head), self._reader(response), response.close, sha256)

    def _reader(self, response: Any) -> Callable[[int], bytes]:
        def read(count: int) -> bytes:
            try:
                data: bytes = response.read1(count)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise self._broken(error) from None
            return data

        return read

    def _refused(self, error: urllib.error.HTTPError, start: int, mark: str | None) -> Opened:
        if error.code == 416 and (whole := _WHOLE.fullmatch(error.headers.get("content-range", ""))):
            if int(whole[1]) == start:
                return Opened(start, start, mark, lambda count: b"", lambda: None)
            return self.open(0, None)
        hint = (
            said("; is a token needed? (HF_TOKEN)", "；是否需要令牌？（HF_TOKEN）") if error.code in (401, 403) else ""
        )
        raise PullFailed(
            said(
                "{place} answers {code} {reason}{hint}",
                "{place} 回答 {code} {reason}{hint}",
                place=self.shown,
                code=error.code,
                reason=error.reason,
                hint=hint,
            ),
            again=error.code in _LATER,
        )

    def _broken(self, error: Exception) -> PullFailed:
        if isinstance(error, urllib.error.URLError) and isinstance(error.reason, Exception):
            error = error.reason
        final = isinstance(error, ssl.SSLCertVerificationError | ValueError)
        return PullFailed(
            said("{place}: {why}", "{place}：{why}", place=self.shown, why=all_of(error)), again=not final
        )


def _mark(head: Any) -> str | None:
    """A strong validator: the ETag, else the date of the last change."""
    tag: str | None = head.get("etag")
    if tag and not tag.startswith("W/"):
        return tag
    changed: str | None = head.get("last-modified")
    return changed
