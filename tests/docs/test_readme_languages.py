"""README.md and README.zh-CN.md say the same: same headings, same code, same tables and links; and what they show holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pointsman.cli import VERBS, main
from pointsman.config.load import load

ROOT = Path(__file__).resolve().parents[2]
FILES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh-CN.md"}
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not FILES["en"].exists(), reason="the wheel is tested without the repository")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {language: path.read_text(encoding="utf-8") for language, path in FILES.items()}


def prose(text: str) -> str:
    return CODE.sub("", text)


def test_the_same_code_blocks(texts: dict[str, str]) -> None:
    assert CODE.findall(texts["zh"]) == CODE.findall(texts["en"])
    assert len(CODE.findall(texts["en"])) > 15


def test_as_many_headings_of_each_level(texts: dict[str, str]) -> None:
    levels = [re.findall(r"^#+(?= )", prose(text), re.MULTILINE) for text in texts.values()]
    assert levels[0] == levels[1]


def test_the_same_tables_and_lists(texts: dict[str, str]) -> None:
    for pattern in (r"^\|", r"^- ", r"^\*\*"):
        found = [len(re.findall(pattern, prose(text), re.MULTILINE)) for text in texts.values()]
        assert found[0] == found[1], pattern


def test_the_same_links_and_code_words(texts: dict[str, str]) -> None:
    links = {
        tongue: [link for link in re.findall(r"\]\(([^)]+)\)", prose(text)) if not link.startswith(("#", "README"))]
        for tongue, text in texts.items()
    }
    pages = {tongue: sorted(link.replace(".zh-CN.md", ".md") for link in found) for tongue, found in links.items()}
    assert pages["zh"] == pages["en"]
    english = [page for page in links["zh"] if page.endswith(".md") and (ROOT / f"{page[:-3]}.zh-CN.md").exists()]
    assert english == [], "the Chinese page is there"
    words = [set(re.findall(r"`([^`\n]+)`", prose(text))) for text in texts.values()]
    translated = {"模型@后端", "model@backend"}
    assert words[0] - translated == words[1] - translated


def test_links_lead_somewhere_and_to_the_other_language(texts: dict[str, str]) -> None:
    assert "(README.zh-CN.md)" in texts["en"].split("\n## ")[0]
    assert "(README.md)" in texts["zh"].split("\n## ")[0]
    for text in texts.values():
        headings = {h.lower().replace(" ", "-") for h in re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)}
        for link in re.findall(r"\]\(([^)]+)\)", prose(text)):
            assert link[1:] in headings if link.startswith("#") else (ROOT / link).exists(), link


def test_every_verb_is_in_the_table(texts: dict[str, str]) -> None:
    for text in texts.values():
        for verb in VERBS:
            assert re.search(rf"^\| `pointsman {verb}\b", text, re.MULTILINE), verb


def test_every_config_shown_is_one(texts: dict[str, str], tmp_path: Path) -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", texts["en"], re.DOTALL | re.MULTILINE)
    assert len(blocks) > 4
    for block in blocks:
        if isinstance(yaml.safe_load(block), list):
            (tmp_path / "rules.yaml").write_text(block, encoding="utf-8")
    for block in blocks:
        if isinstance(yaml.safe_load(block), dict):
            path = tmp_path / "pointsman.yaml"
            path.write_text(block, encoding="utf-8")
            load(path, None, {"VLLM_KEY": "k", "SHOP_PASSWORD": "p"})


def test_all_verbs_print_json_but_those_that_are_named(
    texts: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    [named] = re.findall(r"^All but (.*) take `--json`\.", texts["en"], re.MULTILINE)
    without = re.findall(r"`([^`]+)`", named)
    listed = re.findall(r"^\| (`pointsman [^|]*) \|", texts["en"], re.MULTILINE)
    seen = []
    for cell in listed:
        words = [span.removeprefix("pointsman ").split() for span in re.findall(r"`([^`]+)`", cell)]
        verbs = [" ".join(word for word in each if word.islower() and word.isalpha()) for each in words]
        for verb in verbs:
            with pytest.raises(SystemExit, match=r"^0$"):
                main([*verb.split(), "--help"])
            assert ("--json" in capsys.readouterr().out) == (verb not in without), verb
        seen += verbs
    assert set(without) <= set(seen) and len(seen) > 20
