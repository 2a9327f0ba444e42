"""A running gateway, asked by a verb: one chat request with its timings, a file, a page. Blocking, no proxies."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from pointsman.config.others_words import all_of
from pointsman.domain.said import said

PATIENCE = 120.0
_LARGEST = 64 << 20


class ChatReply(msgspec.Struct, frozen=True):
    """One reply, whole or streamed. Seconds: `ttft` to the first piece of a stream, `took` to the end."""

    status: int
    text: str
    stage: str
    rule: str
    target: str
    reason: str
    request_id: str
    took: float
    ttft: float | None = None
    pieces: int = 0


class Unreachable(Exception):
    """No gateway answers, or its answer breaks off. The message (`args[0]`) says why, in both languages."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(said("{url}: {why}", "{url}：{why}", url=url, why=why))


def chat(base: str, messages: list[dict[str, str]], *, max_tokens: int, stream: bool) -> ChatReply:
    """Raises Unreachable."""
    body = {"model": "auto", "messages": messages, "max_tokens": max_tokens, "stream": stream}
    begun = time.perf_counter()
    connection = _connection(base)
    try:
        data = json.dumps(body, ensure_ascii=False).encode()
        connection.request("POST", _path(base, "/v1/chat/completions"), data, {"content-type": "application/json"})
        response = connection.getresponse()
        head = {name.lower(): value for name, value in response.getheaders()}
        if stream and response.status == 200:
            text, ttft, pieces = _read_stream(response, begun)
        else:
            text, ttft, pieces = _read_whole(response.read(_LARGEST)), None, 0
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(base, all_of(error)) from None
    finally:
        connection.close()
    return ChatReply(
        status=response.status,
        text=text,
        stage=head.get("x-pointsman-stage", ""),
        rule=head.get("x-pointsman-rule", ""),
        target=head.get("x-pointsman-target", ""),
        reason=unquote(head.get("x-pointsman-reason", "")),
        request_id=head.get("x-pointsman-request-id", ""),
        took=time.perf_counter() - begun,
        ttft=ttft,
        pieces=pieces,
    )


def get(url: str, *, seconds: float = PATIENCE) -> tuple[int, bytes]:
    """Status and body. Raises Unreachable."""
    return _exchanged("GET", url, None, {}, seconds)


def post(url: str, key: str | None = None, *, seconds: float = PATIENCE) -> tuple[int, bytes]:
    """Status and body of a request that sends nothing but a key. Raises Unreachable."""
    return _exchanged("POST", url, b"", {"authorization": f"Bearer {key}"} if key else {}, seconds)


def _exchanged(method: str, url: str, body: bytes | None, headers: dict[str, str], seconds: float) -> tuple[int, bytes]:
    connection = _connection(url, seconds)
    try:
        connection.request(method, _path(url, ""), body, headers)
        response = connection.getresponse()
        return response.status, response.read(_LARGEST)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(url, all_of(error)) from None
    finally:
        connection.close()


def readiness(base: str, *, seconds: float = 2.0) -> dict[str, Any] | None:
    """What `/ready` says, where a Pointsman gateway answers; None where none does."""
    try:
        status, body = get(f"{base}/ready", seconds=seconds)
        state = json.loads(body)
    except (Unreachable, ValueError, RecursionError):
        return None
    known = status in (200, 503) and isinstance(state, dict) and isinstance(state.get("targets"), list)
    return state if known and "policy" in state else None


def _read_whole(data: bytes) -> str:
    try:
        reply = json.loads(data)
        if "error" in reply:
            return str(reply["error"]["message"])
        return str(reply["choices"][0]["message"]["content"] or "")
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return data[:500].decode("utf-8", "replace")


def _read_stream(response: http.client.HTTPResponse, begun: float) -> tuple[str, float | None, int]:
    parts: list[str] = []
    first = None
    for line in response:
        if not line.startswith(b"data:") or line.strip() == b"data: [DONE]":
            continue
        choices = json.loads(line[5:]).get("choices") or [{}]
        piece = (choices[0].get("delta") or {}).get("content")
        if piece:
            first = first or time.perf_counter() - begun
            parts.append(piece)
    return "".join(parts), first, len(parts)


def _connection(url: str, seconds: float = PATIENCE) -> http.client.HTTPConnection:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Unreachable(repr(url), all_of(error)) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        why = said(
            "no address of a gateway (valid: http://127.0.0.1:8900)",
            "不是网关的地址（合法取值：http://127.0.0.1:8900）",
        )
        raise Unreachable(repr(url), why)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname, port, timeout=seconds)


def _path(url: str, path: str) -> str:
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.path.rstrip('/')}{path}{query}" or "/"
