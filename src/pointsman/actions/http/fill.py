"""Values into a call. Each is encoded for the place where it stands; one that could change anything but that place is
refused."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode

import msgspec

from pointsman.actions.http.call import SLOT, Call, Field, lone
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

LONGEST = 2000
"""Characters of a URL."""
MOST_BODY = 1 << 20
"""Bytes."""
_HEADER = re.compile(r"[\x20-\x7e\x80-\xff]*")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
NOTHING = object()


class Filled(msgspec.Struct, frozen=True):
    """What goes out. `headers` without those of the connection; `secrets` are what must not be shown of an answer."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    secrets: tuple[str, ...]


def fill(call: Call, values: Mapping[str, Any]) -> Filled:
    """Raises ActionFailed (`bad_value`, refused)."""
    values = {**call.defaults, **{name: value for name, value in values.items() if value is not None}}
    url = call.origin + _path(call.path, values)
    pairs = [pair for field in call.query for pair in _pairs(field, values)]
    if pairs:
        url += "?" + "&".join(f"{quote(name, safe='[]')}={quote(value, safe='')}" for name, value in pairs)
    if len(url) > LONGEST:
        raise _bad(said("the URL would be longer than {most} characters", "URL 将超过 {most} 个字符", most=LONGEST))
    headers = [header for field in call.headers for header in _header(field, values)]
    body = b""
    if call.form is not None:
        fields = [pair for field in call.form for pair in _pairs(field, values)]
        body = urlencode(fields).encode()
        headers.append(("Content-Type", "application/x-www-form-urlencoded"))
    elif call.body is not None:
        content = _json(call.body, values)
        body = b"" if content is NOTHING else msgspec.json.encode(content)
        headers.append(("Content-Type", "application/json"))
    if len(body) > MOST_BODY:
        raise _bad(said("the body would be larger than {most:,} bytes", "请求体将超过 {most:,} 字节", most=MOST_BODY))
    return Filled(url, tuple(headers), body, tuple(_secrets(call)))


def _path(template: str, values: Mapping[str, Any]) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        raw = match[1].strip()
        name, whole = raw.lstrip("+"), raw.startswith("+")
        value = values.get(name)
        items = value if isinstance(value, list) else [value]
        return ",".join(_segment(name, _text(name, item), whole) for item in items)

    path = SLOT.sub(one, template)
    if any(unquote(segment) in (".", "..") for segment in path.split("/")) or ("//" in path and "//" not in template):
        raise _bad(Said("a value would make the path lead elsewhere", "参数值会使路径指向别处"))
    return path


def _segment(name: str, text: str, whole: bool) -> str:
    """Percent-encoded; with `whole`, slashes stay. Refused is what a server might take apart after decoding it, once or
    twice, or after making its letters plain."""
    if not text:
        raise _bad(said("{name} is empty, and the path needs it", "{name} 是空的，而路径需要它", name=name))
    looks = {text, unicodedata.normalize("NFKC", text)}
    for _ in range(3):
        looks |= {unicodedata.normalize("NFKC", unquote(look)) for look in looks}
    for look in looks:
        parts = look.split("/")
        if (
            _CONTROLS.search(look)
            or "\\" in look
            or (not whole and len(parts) > 1)
            or any(p in (".", "..") for p in parts)
        ):
            en = "{name} holds a character or a sequence that cannot stand in a path (/, \\, .., control)"
            raise _bad(said(en, "{name} 含有路径中不允许的内容（/、\\、..、控制字符）", name=name))
    if whole and "" in text.split("/"):
        raise _bad(said("{name} has an empty part between slashes", "{name} 的斜杠之间有空的部分", name=name))
    return quote(text, safe="/" if whole else "")


def _pairs(field: Field, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = lone(field.template)
    if name is None:
        yield field.name, _inside(field.template, values)
        return
    value = values.get(name)
    if value is None:
        return
    if field.style == "json":
        yield field.name, msgspec.json.encode(value).decode()
    elif isinstance(value, list):
        texts = [_text(name, item) for item in value]
        if field.style == "comma":
            yield field.name, ",".join(texts)
        else:
            yield from ((field.name, text) for text in texts)
    elif isinstance(value, dict) and field.style == "deep":
        yield from ((f"{field.name}[{_key(name, key)}]", _text(name, item)) for key, item in value.items())
    else:
        yield field.name, _text(name, value)


def _key(name: str, key: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", key):
        raise _bad(said("{name}: {key!r} is no name of a field", "{name}：{key!r} 不是字段名", name=name, key=key[:40]))
    return key


def _header(field: Field, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = lone(field.template)
    if name is not None:
        value = values.get(name)
        if value is None:
            return
        text = ",".join(_text(name, item) for item in value) if isinstance(value, list) else _text(name, value)
    else:
        text = _inside(field.template, values)
    if not _HEADER.fullmatch(text) or len(text) > 4000:
        en = "{name} cannot stand in a header: no line breaks, controls, letters beyond Latin-1, nor over 4,000 characters"
        zh = "{name} 不能放进请求头：不得含换行、控制字符、Latin-1 之外的字符，不得超过 4,000 个字符"
        raise _bad(said(en, zh, name=name or field.name))
    if field.name.lower() == "authorization" and text[:6].lower() == "basic " and ":" in text:
        text = "Basic " + base64.b64encode(text[6:].strip().encode()).decode()
    yield field.name, text.strip()


def _inside(template: str, values: Mapping[str, Any]) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        name = match[1].strip().lstrip("+")
        return _text(name, values.get(name))

    return SLOT.sub(one, template)


def _json(template: Any, values: Mapping[str, Any]) -> Any:
    """NOTHING for a lone slot without a value: its key is left out."""
    if isinstance(template, str):
        name = lone(template)
        if name is None:
            return _inside(template, values)
        return values.get(name, NOTHING)
    if isinstance(template, dict):
        filled = {key: _json(value, values) for key, value in template.items()}
        return {key: value for key, value in filled.items() if value is not NOTHING}
    if isinstance(template, list):
        return [value for item in template if (value := _json(item, values)) is not NOTHING]
    return template


def _text(name: str, value: Any) -> str:
    """A value as a text of one line or several. Refused: lists and objects where there is no place for them."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return msgspec.json.encode(value).decode()
    raise _bad(said("{name} must be a text or a number here", "{name} 在这里必须是文本或数字", name=name))


def _secrets(call: Call) -> Iterator[str]:
    for field in (*call.query, *call.headers):
        if field.secret and len(field.template) >= 6:
            yield field.template
            word = field.template.split()[-1]
            if len(word) >= 6:
                yield word


def _bad(message: Said) -> ActionFailed:
    return ActionFailed("bad_value", message, refused=True)
