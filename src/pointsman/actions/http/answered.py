"""What a service answered, read within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.domain.said import Said
from pointsman.ports.outbound import Answer

HIDDEN = b"\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2"  # •••
DEEPEST = 60
_MOST_MESSAGE = 400
_CHARSET = re.compile(r"charset=\"?([A-Za-z0-9_-]{1,30})")
_MESSAGES = ("detail", "message", "error_description", "error", "title", "msg", "errors", "reason")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


class Read(msgspec.Struct, frozen=True):
    """`body` is JSON, a text, or None; `kind` the media type; `note` what is missing of it, in both languages."""

    status: int
    body: Any
    kind: str
    size: int
    location: str | None = None
    note: Said | None = None


def read(answer: Answer, secrets: Sequence[str]) -> Read:
    """Never raises. What the owner keeps secret is struck wherever the answer repeats it."""
    kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
    data = answer.body
    for secret in secrets:
        data = data.replace(secret.encode("utf-8", "replace"), HIDDEN)
    note: Said | None = None
    body: Any = None
    coding = (answer.header("content-encoding") or "identity").strip().lower()
    if answer.ended == "too_large":
        note = Said("its answer is larger than is read", "应答超过了读取上限")
    elif answer.ended != "whole":
        note = Said("its answer broke off", "应答没有收完")
    elif coding not in ("identity", ""):
        note = Said("its answer is compressed, which was not asked for", "应答经过压缩，而请求中并未允许")
    elif data and ("json" in kind or not kind):
        try:
            body = msgspec.json.decode(data)
            if _too_deep(body):
                raise RecursionError
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError):
            body, note = (
                (_text(data, answer), None)
                if not kind
                else (None, Said("its answer is no JSON", "应答不是有效的 JSON"))
            )
    elif data and (kind.startswith("text/") or kind.endswith(("xml", "yaml", "javascript"))):
        body = _text(data, answer)
    location = answer.header("location")
    return Read(answer.status, body, kind, len(answer.body), clean(location)[:300] if location else None, note)


def _text(data: bytes, answer: Answer) -> str:
    found = _CHARSET.search(answer.header("content-type") or "")
    try:
        return clean(data.decode(found[1] if found else "utf-8", "replace"))
    except LookupError:
        return clean(data.decode("utf-8", "replace"))


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def message_in(body: Any) -> str:
    """The service's own words for what went wrong, on one line; empty where it has none."""
    here = body
    for _ in range(4):
        if isinstance(here, str):
            plain = re.sub(r"<[^>]{0,300}>", " ", here) if here.lstrip().startswith("<") else here
            text = " ".join(clean(plain).split())
            return text if len(text) <= _MOST_MESSAGE else text[: _MOST_MESSAGE - 1] + "…"
        if isinstance(here, list):
            here = here[0] if here else ""
        elif isinstance(here, dict):
            here = next((here[key] for key in _MESSAGES if here.get(key)), "")
        else:
            return ""
    return ""


def clean(text: str) -> str:
    """Without controls and characters that show nothing; line breaks and tabs stay."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))
