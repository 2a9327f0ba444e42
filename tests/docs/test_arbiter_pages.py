"""What docs/arbiter.md and docs/admission.md show, in both languages: the configs load and mean what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pointsman.app.build import build
from pointsman.config.load import load

DOCS = Path(__file__).resolve().parents[2] / "docs"

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["arbiter", "admission"])
def test_both_languages_say_the_same(page: str) -> None:
    english, chinese = text_of(f"{page}.md"), text_of(f"{page}.zh-CN.md")
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^\d\. ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    assert blocks(english, "yaml") == blocks(chinese, "yaml")
    for text in (english, chinese):
        for link in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", text):
            assert (DOCS / link).resolve().exists(), link


def test_the_config_loads(tmp_path: Path) -> None:
    config, roles = blocks(text_of("arbiter.md"), "yaml")
    data = yaml.safe_load(config)
    data["arbiter"]["intents"] |= yaml.safe_load(roles)
    data["actions"]["sql"] = {"sql": {}}
    data["models"] = {"light": {"backends": [{"engine": "ollama", "model": "m"}]}}
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    rules = build(load(path, None, {})).policy.document.arbiter
    assert rules is not None and {"account_unlock", "apply_leave", "sql_review"} <= {i.name for i in rules.intents}
    assert (rules.gate, rules.least, rules.most_asked, rules.drop) == (0.7, 0.35, 2, 0.1)


def test_the_config_of_admission_loads(tmp_path: Path) -> None:
    text, *more = blocks(text_of("admission.md"), "yaml")
    path = tmp_path / "pointsman.yaml"
    for other in more:
        path.write_text(other, encoding="utf-8")
        load(path, None, {})
    path.write_text(text, encoding="utf-8")
    config = build(load(path, None, {})).config
    assert config.models["medium"].backends[0].limits.sequences == 12
    assert config.admission == type(config.admission)(), "the page shows the defaults"
