"""Actions as MCP describes tools."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pointsman.domain.action import FILE, SOURCE, ActionSpec
from pointsman.domain.said import Said, Tongue, told
from pointsman.domain.task_types import TASK_TYPES
from pointsman.ports.action import Action

DECIDE = "decide"
_FIT = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_OWN = ("x-mcp", "x-about", SOURCE)
_UPLOAD = Said(
    "the id of a file (file-…) uploaded with POST /v1/files", "文件的编号（file-…），文件用 POST /v1/files 上传"
)
_ABOUT_DECIDE = Said(
    "Tells what Pointsman would do with a text or a conversation, and why: which rule takes it, which action it would "
    "carry out with which parameters, or which models would be asked. Nothing is carried out.",
    "说明 Pointsman 会怎样处理一段文本或一段对话，以及为什么：由哪条规则接住、执行哪个动作、参数是什么，"
    "或者交给哪些模型。不会真正执行。",
)


def named(actions: Mapping[str, Action]) -> dict[str, str]:
    """Names of tools → names of actions. Nearly all are the same; what clients would not take in a name is replaced."""
    names: dict[str, str] = {}
    for action in actions:
        name = action
        if not _FIT.fullmatch(name) or name == DECIDE:
            digest = hashlib.sha256(action.encode()).hexdigest()[:8]
            name = f"{_UNFIT.sub('_', action).strip('_')[:50] or 'action'}_{digest}"
        names[name] = action
    return names


def described(actions: Mapping[str, Action], tongue: Tongue) -> list[dict[str, Any]]:
    """All tools, in that language."""
    return [
        *(_tool(name, actions[action].spec, tongue) for name, action in named(actions).items()),
        {
            "name": DECIDE,
            "description": told(_ABOUT_DECIDE, tongue),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": told(_A_TEXT, tongue)},
                    "messages": {"type": "array", "items": {"type": "object"}, "description": told(_A_TALK, tongue)},
                    "model": {"type": "string", "description": told(_AN_ENTRY, tongue)},
                    "task": {"type": "string", "enum": list(TASK_TYPES), "description": told(_A_TASK, tongue)},
                },
            },
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        },
    ]


def _tool(name: str, spec: ActionSpec, tongue: Tongue) -> dict[str, Any]:
    about = spec.about.get(tongue) or next(iter(spec.about.values()), "")
    return {
        "name": name,
        **({} if name == spec.name else {"title": spec.name}),
        "description": about or spec.name,
        "inputSchema": _schema(spec, tongue),
        "annotations": {
            "readOnlyHint": not spec.effect,
            "idempotentHint": spec.repeatable == "yes",
            "openWorldHint": spec.kind in ("mcp", "http"),
        },
    }


def _schema(spec: ActionSpec, tongue: Tongue) -> dict[str, Any]:
    properties = {
        name: _property(schema, tongue) if isinstance(schema, dict) else schema
        for name, schema in spec.properties.items()
    }
    return {**_without(spec.parameters, _OWN), "type": "object", "properties": properties}


def _property(schema: dict[str, Any], tongue: Tongue) -> dict[str, Any]:
    given = _without(schema, _OWN)
    called = schema.get("x-about")
    if isinstance(called, dict) and called.get(tongue):
        given.setdefault("title", called[tongue])
    if schema.get("format") == FILE:
        given = {**_without(given, ("format",)), "description": told(_UPLOAD, tongue)}
    return given


def _without(schema: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}


_A_TEXT = Said("what a user would write; or give messages", "用户会写的话；也可以给 messages")
_A_TALK = Said(
    "a conversation, as POST /v1/chat/completions takes it", "一段对话，格式与 POST /v1/chat/completions 相同"
)
_AN_ENTRY = Said(
    "entry, tier, alias or model that is asked; default: the first entry", "入口、档位、别名或模型；默认是第一个入口"
)
_A_TASK = Said("the declared task type", "声明的任务类型")
