"""A running gateway, asked by a verb: one chat request with its timings, JSON, a file, a page. Blocking, no proxies."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import time
from collections.abc import Iterable
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

import msgspec

from pointsman.config.others_words import all_of
from pointsman.domain.said import Tongue, said

KEY = "POINTSMAN_KEY"
BASE = "http://127.0.0.1:8900"
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


class NoAddress(Unreachable):
    """What was given is no address of a gateway."""


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
        raise Unreachable(base, _why(error)) from None
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


class Refused(Exception):
    """The gateway answered, and not with what was asked for. The message (`args[0]`) is its own, or says that it is no
    Pointsman."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def get(url: str, *, seconds: float = PATIENCE) -> tuple[int, bytes]:
    """Status and body. Raises Unreachable."""
    return _exchanged("GET", url, None, {}, seconds)


def post(url: str, key: str | None, tongue: Tongue, *, seconds: float = PATIENCE) -> tuple[int, bytes]:
    """Status and body, in `tongue`, of a request that sends nothing but a key. Raises Unreachable."""
    headers = {"accept-language": tongue, **({"authorization": f"Bearer {key}"} if key else {})}
    return _exchanged("POST", url, b"", headers, seconds)


class Client:
    """A gateway that is asked in the name of a key: that one, or the one in the environment. It answers in `tongue`."""

    def __init__(self, base: str, key: str | None, tongue: Tongue) -> None:
        self.base = base.rstrip("/")
        key = key or os.environ.get(KEY)
        self._headers = {"accept-language": tongue, **({"authorization": f"Bearer {key}"} if key else {})}

    def json(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        headers: dict[str, str] | None = None,
        *,
        seconds: float = PATIENCE,
    ) -> dict[str, Any]:
        """The object that it answers. Raises Unreachable, Refused."""
        status, data = _exchanged(method, self.base + path, body, {**self._headers, **(headers or {})}, seconds)
        answer = _object(data)
        if status not in (200, 202) or answer is None:
            raise Refused(status, refusal(status, answer))
        return answer

    def send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], *, seconds: float = PATIENCE
    ) -> tuple[int, bytes]:
        """Status and body, whatever they are. Raises Unreachable."""
        return _exchanged(method, self.base + path, body, {**self._headers, **headers}, seconds)

    def copy(self, path: str, to: BinaryIO) -> None:
        """Writes what lies there. Raises Unreachable, Refused, OSError."""
        url = self.base + path
        connection = _connection(url)
        try:
            connection.request("GET", _path(url, ""), headers=self._headers)
            response = connection.getresponse()
            if response.status != 200:
                raise Refused(response.status, refusal(response.status, _object(response.read(_LARGEST))))
            expected, had = response.length, 0
            while piece := response.read(1 << 20):
                had += len(piece)
                _write(to, piece)
            if expected is not None and had < expected:
                raise Unreachable(url, said("the reply broke off", "回复中断"))
        except _NotWritten as error:
            raise error.why from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(url, _why(error)) from None
        finally:
            connection.close()


def _why(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        en, zh = (
            "nothing listens there; `pointsman serve` starts a gateway",
            "没有程序在监听；用 `pointsman serve` 启动网关",
        )
        return said(en, zh)
    return all_of(error)


def refusal(status: int, answer: Any) -> str:
    """What the gateway says is wrong."""
    try:
        return str(answer["error"]["message"])
    except (KeyError, TypeError):
        return said("this is no Pointsman: status {status}", "对方不是 Pointsman：状态码 {status}", status=status)


class _NotWritten(Exception):
    def __init__(self, why: OSError) -> None:
        super().__init__(why)
        self.why = why


def _write(to: BinaryIO, piece: bytes) -> None:
    try:
        to.write(piece)
    except OSError as error:
        raise _NotWritten(error) from None


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _exchanged(
    method: str, url: str, body: bytes | Iterable[bytes] | None, headers: dict[str, str], seconds: float
) -> tuple[int, bytes]:
    connection = _connection(url, seconds)
    try:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it refuses the rest, and may have said why
            connection.request(method, _path(url, ""), body, headers)
        response = connection.getresponse()
        return response.status, response.read(_LARGEST)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(url, _why(error)) from None
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
        raise NoAddress(repr(url), all_of(error)) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        why = said(
            "no address of a gateway (valid: http://127.0.0.1:8900)",
            "不是网关的地址（合法取值：http://127.0.0.1:8900）",
        )
        raise NoAddress(repr(url), why)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname, port, timeout=seconds)


def _path(url: str, path: str) -> str:
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.path.rstrip('/')}{path}{query}" or "/"
