"""docs/delivery.md and docs/schedules.md, in both languages: their configs load, their links lead somewhere, and they list
all keys and slots that there are."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from docs.pages import needs_docs, text_of
from pointsman.app.build import build
from pointsman.cli.schedule_words import checked
from pointsman.config.delivery_schema import Hook, Mail
from pointsman.config.load import load
from pointsman.config.schedule_schema import Schedule
from pointsman.pipeline.delivery.wording import SLOTS

PAGES = ["delivery.md", "delivery.zh-CN.md", "schedules.md", "schedules.zh-CN.md"]

pytestmark = needs_docs


@pytest.mark.parametrize("page", PAGES)
def test_configs_load(tmp_path: Path, page: str) -> None:
    [block] = re.findall(r"```yaml\n(.*?)```", text_of(page), re.DOTALL)
    path = tmp_path / "pointsman.yaml"
    path.write_text(block, encoding="utf-8")
    env = {"WEBHOOK_SECRET": "whsec_" + "A" * 32, "SMTP_PASSWORD": "secret"}
    built = build(load(path, {"server.data_dir": str(tmp_path / "data")}, env))
    for line in checked(built, "zh" if "zh" in page else "en"):
        shown = line.partition("Asia/Shanghai")[2].partition("; 2")[0]
        assert shown in text_of(page)


@pytest.mark.parametrize("language", [".md", ".zh-CN.md"])
def test_all_keys_and_slots_are_told(language: str) -> None:
    delivery, schedules = text_of(f"delivery{language}"), text_of(f"schedules{language}")
    for struct, text in ((Mail, delivery), (Hook, delivery), (Schedule, schedules)):
        for field in msgspec.structs.fields(struct):
            assert f"`{field.encode_name}`" in text or f"{field.encode_name}:" in text, field.encode_name
    for slot in SLOTS:
        assert f"`{{{slot}}}`" in delivery, slot
