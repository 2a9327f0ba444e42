"""What docs/actions/extract.md shows, in both languages: the config loads, the rule holds, the message gives the replies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from actions.workshop import CHINESE, OCCASION, Asked, workshop
from pointsman.actions.extract.field import VALUED
from pointsman.config.action_schema.extract import Extract
from pointsman.framing import SHIPPED, chunks_of, compile_frames
from pointsman.rules import compile_rules, failed_cases, parse_rules

DOCS = Path(__file__).resolve().parents[2] / "docs" / "actions"
PAGES = {"en": "extract.md", "zh": "extract.zh-CN.md"}
STEPS = {"en": ["show your badge", "call IT support"], "zh": ["提供工号验证", "联系IT支持"]}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(tongue: str) -> str:
    return (DOCS / PAGES[tongue]).read_text(encoding="utf-8")


def blocks(tongue: str, language: str) -> list[str]:
    return [block for kind, block in BLOCK.findall(text_of(tongue)) if kind == language]


def test_every_setting_is_told() -> None:
    prose = [BLOCK.sub("", text_of(tongue)) for tongue in PAGES]
    settings = set(Extract.__struct_fields__)
    for text in prose:
        assert set(re.findall(r"^\| `([a-z_]+)`", text, re.MULTILINE)) == settings
        assert all(f"`{kind}`" in text for kind in VALUED)


def test_its_rule_holds() -> None:
    rules = parse_rules(yaml.safe_load(blocks("en", "yaml")[1]), pack="docs")
    assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []


@pytest.mark.parametrize("tongue", ["en", "zh"])
async def test_its_message_gives_its_replies(tongue: str, tmp_path: Path) -> None:
    config: dict[str, Any] = yaml.safe_load(blocks("en", "yaml")[0])
    message, reply, lacks, values = blocks(tongue, "")
    line = "SLA: within 2 hours." if tongue == "en" else "SLA：2小时内。"
    frames = compile_frames(SHIPPED)
    occasion = OCCASION if tongue == "en" else CHINESE
    steps = [{"passage": 1, "value": step} for step in STEPS[tongue]]
    model = Asked(msgspec.json.encode({"steps": steps, "sla": None, "phone": None}).decode())
    async with workshop(tmp_path, config["actions"], model) as actions:
        effects = []
        for text in (message, message.replace(line, "")):
            span = frames.question_span(text)
            assert span is not None
            chunks = [msgspec.to_builtins(chunk) for chunk in chunks_of(frames.contexts(text, span))]
            question = text[span.start : span.end]
            effects.append(await actions["account_unlock"].run({"question": question, "chunks": chunks}, occasion))
    told, without = effects
    assert told.text == reply.strip() and told.values == msgspec.json.decode(values)
    assert without.text == lacks.strip()
    assert len(model.asked) == 1
