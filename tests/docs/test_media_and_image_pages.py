"""What docs/actions/media.md and image.md show, in both languages: configs load, rules hold, tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pointsman.actions.media.formats import TAKEN
from pointsman.config.load import load
from pointsman.rules import compile_rules, failed_cases, parse_rules

DOCS = Path(__file__).resolve().parents[2] / "docs" / "actions"
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["media", "image"])
def test_what_it_shows_loads(name: str, tmp_path: Path) -> None:
    blocks = BLOCK.findall(text_of(f"{name}.md"))
    assert blocks
    for block in sorted(blocks, key=lambda block: not block.startswith("# rules")):
        written = yaml.safe_load(block)
        if isinstance(written, list):
            rules = parse_rules(written, pack="docs")
            assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []
            (tmp_path / "rules.yaml").write_text(block, encoding="utf-8")
        else:
            path = tmp_path / "pointsman.yaml"
            path.write_text(block, encoding="utf-8")
            load(path, None, {"OPENAI_KEY": "k"})


@pytest.mark.parametrize("name", ["media.md", "media.zh-CN.md"])
def test_formats_are_those_that_are_made(name: str) -> None:
    for do, formats in TAKEN.items():
        [line] = re.findall(rf"^\| `{do}` \|.*\|$", text_of(name), re.MULTILINE)
        if do != "trim":
            assert re.split(r", |、", line.split("|")[3].strip()) == list(formats)


def test_failures_are_named() -> None:
    source = (Path(__file__).resolve().parents[2] / "src/pointsman/actions/image").glob("*.py")
    codes = {
        code
        for path in source
        for code in re.findall(r'ActionFailed\(\s*"([a-z_]+)"', path.read_text(encoding="utf-8"))
    }
    for name in ("image.md", "image.zh-CN.md"):
        told = set(re.findall(r"`([a-z_]+)`", text_of(name)))
        assert codes <= told, codes - told
