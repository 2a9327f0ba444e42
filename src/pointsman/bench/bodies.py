"""The same reply through a subject as from the upstream itself: held against each other before and after the load."""

from __future__ import annotations

import http.client
import json

from pointsman.bench.canned import CHAT, asked, greeting, payloads, whole
from pointsman.bench.event_check import EventCheck, TextCheck
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said


def fetch(
    port: int, path: str = CHAT, body: bytes | None = None, *, key: str | None = None, seconds: float = 30.0
) -> bytes:
    """One request, a GET where there is no body. Raises PointsmanError for any status but 200, OSError."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        response = connection.getresponse()
        data = response.read()
    except http.client.HTTPException as error:
        message = said("no HTTP answer: {error}", "收到的不是 HTTP 回复：{error}", error=type(error).__name__)
        raise PointsmanError(message) from None
    finally:
        connection.close()
    if response.status != 200:
        shown = data[:300].decode(errors="replace")
        message = said("status {status}: {shown}", "状态码 {status}：{shown}", status=response.status, shown=shown)
        raise PointsmanError(message)
    return data


def check_whole(port: int, size: int = 0, *, text_only: bool = False) -> None:
    """Raises PointsmanError where the reply is not the upstream's, as JSON; or, with `text_only`, has another text."""
    got, wanted = json.loads(fetch(port, body=asked(stream=False))), json.loads(whole(size))
    if text_only:
        got, wanted = ({"content": reply["choices"][0]["message"]["content"]} for reply in (got, wanted))
    if got != wanted:
        raise PointsmanError(
            said(
                "the body differs from the upstream's: {difference}",
                "回复与上游的不同：{difference}",
                difference=_difference(got, wanted),
            )
        )


def check_stream(port: int, events: int, *, text_only: bool = False) -> None:
    """Raises PointsmanError where the stream's data lines are not the upstream's, one by one; or, with `text_only`, where
    their texts add up to another one."""
    check = (TextCheck if text_only else EventCheck)(payloads(events))
    check.feed(fetch(port, body=asked(stream=True)))
    check.finish()


def check_canned(port: int, path: str) -> None:
    """Raises PointsmanError where the answer is no completion with a text."""
    try:
        text = json.loads(fetch(port, path, greeting()))["choices"][0]["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError):
        text = None
    if not text:
        raise PointsmanError(said("the answer is no completion", "回复不是一个 completion"))


def _difference(got: object, wanted: object) -> str:
    """The first top-level members that differ."""
    if not isinstance(got, dict) or not isinstance(wanted, dict):
        return repr(got)[:200]
    names = [
        name for name in {**wanted, **got} if got.get(name) != wanted.get(name) or (name in got) != (name in wanted)
    ]
    return "; ".join(f"{name}: {got.get(name)!r:.120} / {wanted.get(name)!r:.120}" for name in names)
