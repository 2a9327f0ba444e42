"""What the action takes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pointsman.actions.image.words import LONGEST, SHAPES
from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import QUESTION, ActionSpec
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.hosts import AllowedHosts, read_hosts, read_place
from pointsman.domain.said import said

MOST = 4
"""Pictures at a time."""
SECONDS = 180.0
GPU_MEMORY = {"sdwebui": 4096, "openai": 0}
"""MB that drawing takes on this machine: Stable Diffusion 1.5 at 512x512; a server elsewhere takes none here."""


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    image = config.image
    assert image is not None
    path = f"actions.{name}.image"
    problems: list[Problem] = []
    try:
        own_host(image.base_url)
    except ValueError as error:
        problems.append(Problem(f"{path}.base_url", said("{why}", "{why}", why=error.args[0])))
    try:
        read_hosts(image.allow)
    except ValueError as error:
        problems.append(Problem(f"{path}.allow", error.args[0]))
    if image.engine == "sdwebui" and image.api_key is not None and ":" not in image.api_key:
        en, zh = "the WebUI wants user:password", "WebUI 需要 user:password 的形式"
        problems.append(Problem(f"{path}.api_key", said(en, zh)))
    if image.translate is not None and not image.translate.strip():
        problems.append(Problem(f"{path}.translate", said("names no model", "没有写明模型")))
    if problems:
        raise Problems(problems)
    spec = ActionSpec(
        name=name,
        kind="image",
        about={"en": "Draws pictures from a description.", "zh": "按描述画图。"},
        parameters=takes(_properties(), []),
        seconds=SECONDS,
        cpu_seconds=0.05,
        gpu_memory=GPU_MEMORY[image.engine],
    )
    return limited(spec, config)


def own_host(base_url: str) -> AllowedHosts:
    """Where calls go that the owner set. Raises ValueError, in both languages."""
    parts = urlsplit(base_url)
    host, port = read_place(parts.netloc)
    shown = f"[{host}]" if ":" in str(host) else str(host)
    return read_hosts([f"{shown}:{port or (443 if parts.scheme == 'https' else 80)}"])


def _properties() -> dict[str, Any]:
    return {
        QUESTION: {
            "type": "string",
            "default": "",
            "description": "the user's words; what asks for a picture in them is left out",
            "x-about": {"en": "what is to be drawn", "zh": "要画什么"},
        },
        "prompt": {
            "type": "string",
            "maxLength": LONGEST,
            "description": "what is drawn, word for word, in place of question",
        },
        "negative_prompt": {"type": "string", "maxLength": LONGEST},
        "shape": {
            "enum": [*SHAPES],
            "x-about": {"en": "the shape", "zh": "画幅"},
        },
        "size": {
            "type": "string",
            "pattern": "^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$",
            "description": "width x height",
            "x-about": {"en": "the size", "zh": "尺寸"},
        },
        "count": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST,
            "x-about": {"en": "how many", "zh": "张数"},
        },
        "seed": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    }
