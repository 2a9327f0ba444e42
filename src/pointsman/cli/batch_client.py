"""OpenAI's files and batches, as a client of the gateway."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from pointsman.cli.gateway_client import Client, Unreachable

_PIECE = 256 << 10
_UPLOAD = 600.0  # seconds for a silence of the gateway while a file is sent, or being looked at
_TRIES = 3


class Failure(msgspec.Struct, frozen=True):
    """Requests that failed in one way: how many, the callers' names of the first of them, and what was said of the very
    first."""

    code: str
    message: str
    count: int
    names: tuple[str, ...]


class BatchClient:
    """Methods raise Unreachable and Refused."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def upload(self, path: Path, sent: Callable[[int], None], *, purpose: str = "batch") -> str:
        """The id of the file. `sent` is told of the bytes that went out. Raises OSError."""
        boundary = secrets.token_hex(16)
        name = path.name.replace("\\", "_").replace('"', "_")
        head = (
            f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n{purpose}\r\n'
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n'
            "content-type: application/octet-stream\r\n\r\n"
        ).encode("utf-8", "replace")
        tail = f"\r\n--{boundary}--\r\n".encode()
        size = len(head) + path.stat().st_size + len(tail)
        headers = {"content-type": f"multipart/form-data; boundary={boundary}", "content-length": str(size)}
        parts = _parts(head, path, tail, sent)
        return str(self._client.json("POST", "/v1/files", parts, headers, seconds=_UPLOAD)["id"])

    def create(self, file_id: str, endpoint: str, window: str) -> dict[str, Any]:
        """One batch, however often the gateway did not answer."""
        body = {"input_file_id": file_id, "endpoint": endpoint, "completion_window": window}
        headers = {"content-type": "application/json", "idempotency-key": secrets.token_hex(16)}
        for tries_left in reversed(range(_TRIES)):
            try:
                return self._client.json("POST", "/v1/batches", msgspec.json.encode(body), headers)
            except Unreachable:
                if not tries_left:
                    raise
        raise AssertionError

    def get(self, batch_id: str) -> dict[str, Any]:
        return self._client.json("GET", f"/v1/batches/{quote(batch_id, safe='')}")

    def fetch(self, file_id: str, to: Path) -> None:
        """Whole, or not at all. Raises OSError."""
        part = to.with_name(f"{to.name}.part")
        try:
            with part.open("wb") as file:
                self._client.copy(f"/v1/files/{quote(file_id, safe='')}/content", file)
            part.replace(to)
        finally:
            part.unlink(missing_ok=True)


def failures_in(lines: Iterable[bytes], names: int = 5) -> list[Failure]:
    """What a file of errors says, the most frequent first, with so many names of each."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    named: dict[str, list[str]] = {}
    for line in lines:
        name, code, message = _failure(line)
        counts[code] += 1
        first.setdefault(code, message)
        if len(named.setdefault(code, [])) < names:
            named[code].append(name)
    return [Failure(code, first[code], count, tuple(named[code])) for code, count in counts.most_common()]


def _failure(line: bytes) -> tuple[str, str, str]:
    """The caller's name of the request, a code, a message."""
    try:
        entry = msgspec.json.decode(line)
        response = entry.get("response") or {}
        body = response.get("body")
        error = entry.get("error") or (body.get("error") if isinstance(body, dict) else None) or {}
        code = str(error.get("code") or response.get("status_code") or "-")
        return str(entry.get("custom_id")), code, str(error.get("message") or body or "")[:300]
    except (msgspec.DecodeError, AttributeError):
        return "-", "-", line[:100].decode(errors="replace")


def _parts(head: bytes, path: Path, tail: bytes, sent: Callable[[int], None]) -> Iterator[bytes]:
    yield head
    count = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
            count += len(piece)
            sent(count)
    yield tail
