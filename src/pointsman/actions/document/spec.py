"""What reading a document takes."""

from __future__ import annotations

from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.document import Document
from pointsman.domain.action import FILE, ActionSpec

_CHARACTER = 4
"""Bytes of UTF-8, at most; the text is given back as a whole, by pages, and in rows of tables."""


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    settings = config.document or Document()
    parameters = takes(
        {
            "file": {
                "type": "string",
                "format": FILE,
                "description": "the file to read",
                "x-about": {"en": "the file", "zh": "文件"},
            },
            "pages": {
                "type": ["string", "integer"],
                "default": "",
                "maxLength": 500,
                "minimum": 1,
                "description": "pages, sheets or slides, as in 1-3,7; default: all",
                "x-about": {"en": "the pages", "zh": "页码"},
            },
            "tables": {"type": "boolean", "default": settings.tables, "description": "tables apart as rows, too"},
            "as": {"type": "string", "enum": ["markdown", "text"], "default": settings.form},
            "password": {
                "type": "string",
                "default": "",
                "maxLength": 200,
                "description": "of a PDF that needs one",
                "x-about": {"en": "the password", "zh": "密码"},
            },
        }
    )
    spec = ActionSpec(
        name=name,
        kind="document",
        about={"en": "Read the text and tables of a file.", "zh": "读取文件中的文字和表格。"},
        parameters=parameters,
        output=(1 << 20) + settings.max_characters * _CHARACTER * 3,
        cpu_seconds=0.2,
        redact=("password",),
    )
    return limited(spec, config)
