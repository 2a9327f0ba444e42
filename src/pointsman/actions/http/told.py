"""An answer as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pointsman.actions.http.answered import Read, clean
from pointsman.actions.http.call import SLOT
from pointsman.domain.said import Said, Tongue, said, told

_LINES = 20
_ITEMS = 10
_LONG = 300


def by_template(template: str, read: Read, parameters: Mapping[str, Any]) -> str:
    """`{status}`, `{body.name}`, `{body.items.0.sku}`, and the parameters. What is not there is a dash."""
    values = {**parameters, "status": read.status, "body": read.body, "location": read.location}

    def one(match: Any) -> str:
        if match[1] is None:
            return str(match[0][0])
        here: Any = values
        for key in match[1].strip().split("."):
            if isinstance(here, Mapping) and key in here:
                here = here[key]
            elif isinstance(here, list) and key.isdigit() and int(key) < len(here):
                here = here[int(key)]
            else:
                return "—"
        return _shown(here)

    return SLOT.sub(one, template)


def in_short(read: Read, tongue: Tongue) -> str:
    """Without a template: fields a line each, the first of a list."""
    body = read.body
    if read.note is not None:
        return told(said("Done, but {note}.", "已完成，但{note}。", note=read.note), tongue)
    if body is None or body == "":
        if read.size:
            en, zh = "Done: {kind}, {size:,} bytes.", "已完成：{kind}，{size:,} 字节。"
            return told(said(en, zh, kind=read.kind or "?", size=read.size), tongue)
        return told(Said("Done.", "已完成。"), tongue)
    if isinstance(body, list):
        if not body:
            return told(Said("Nothing was found.", "没有结果。"), tongue)
        lines = [f"- {_line(item)}" for item in body[:_ITEMS]]
        if len(body) > _ITEMS:
            lines.append(told(said("- and {n} more", "- 另有 {n} 条", n=len(body) - _ITEMS), tongue))
        return "\n".join(lines)
    if isinstance(body, dict):
        lines = [
            f"- {clean(str(key))}{'：' if tongue == 'zh' else ': '}{_shown(value)}"
            for key, value in list(body.items())[:_LINES]
        ]
        if len(body) > _LINES:
            lines.append(told(said("- and {n} more", "- 另有 {n} 项", n=len(body) - _LINES), tongue))
        return "\n".join(lines)
    return _shown(body, 4000)


def _line(item: Any) -> str:
    if isinstance(item, dict):
        return ", ".join(f"{clean(str(key))}: {_shown(value, 80)}" for key, value in list(item.items())[:6])
    return _shown(item)


def _shown(value: Any, most: int = _LONG) -> str:
    if value is None:
        return "—"
    text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
    text = clean(text)
    return text if len(text) <= most else text[: most - 1] + "…"
