"""docs/packs.md and its translation: a section for each pack, the same shape in both, and what they show holds."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from packs import FOLDERS, pack

from pointsman.cli import main
from pointsman.config.rule_files import OPT_IN

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {"en": DOCS / "packs.md", "zh": DOCS / "packs.zh-CN.md"}
BLOCK = re.compile(r"^```\n\$ (pointsman explain .*)\n([^`]*(?:`+[^`\n]+`+[^`]*)*)^```$", re.MULTILINE)
LABELS = {"en": ("stage", "rule", "matched"), "zh": ("阶段", "规则", "命中")}

pytestmark = pytest.mark.skipif(not PAGES["en"].exists(), reason="the wheel is tested without the repository")


def examples(language: str) -> list[tuple[list[str], list[str]]]:
    """(words of the command, lines that it shows)"""
    found = BLOCK.findall(PAGES[language].read_text(encoding="utf-8"))
    return [(shlex.split(command.partition(" | ")[0]), shown.splitlines()) for command, shown in found]


@pytest.mark.parametrize("language", PAGES)
def test_the_examples_say_what_they_show(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them in one run; what depends on the day, the version or the models there are is left out."""
    shown = examples(language)
    assert len(shown) == len(FOLDERS) - len(OPT_IN)  # the one that is off is shown by a pipe
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    lines = "".join(f"{words[-1]}\n" for words, _ in shown)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert main(["explain", "-", "--language", language]) == 0
    stage, rule, matched = LABELS[language]
    for (words, wanted), line in zip(shown, capsys.readouterr().out.splitlines(), strict=True):
        decision = json.loads(line)
        if "--json" in words:
            said = [json.dumps(decision["risk"])]
            for mark in decision["marks"]:
                row = [mark["label"], mark["risk"], mark["matched"][-1]["text"]]
                said.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
            assert wanted == said
            continue
        said = [f"{stage} {decision['stage']}", f"{rule} {decision['rule']} → {decision['action']}"]
        said += [f"{matched} {m['group']}: {m['text']} ({m['start']}–{m['end']})" for m in decision["matched"]]
        said += [f"{key} {text}" for key, text in decision["parameters"].items() if key in ("text", "task")]
        kept = [" ".join(line.split()) for line in wanted]
        assert [line for line in kept if line.startswith((stage, rule, matched, "text ", "task "))] == [
            " ".join(line.replace("\n", "�").split()) for line in said
        ]


@pytest.mark.parametrize("language", PAGES)
def test_a_section_for_each_pack(language: str) -> None:
    text = PAGES[language].read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+-?\S*)$", text, re.MULTILINE)
    assert set(sections) >= {folder.name for folder in FOLDERS}
    for folder in FOLDERS:
        section = text.split(f"\n## {folder.name}\n")[1].split("\n## ")[0]
        for word in ("To fill in", "Does not") if language == "en" else ("要填的", "不"):
            assert word in section, (folder.name, word)
        labels = {rule.parameters["label"] for rule in pack(folder.name) if rule.action == "mark"}
        assert {label for label in labels if f"`{label}`" not in section} == set()


def test_both_pages_have_the_same_shape() -> None:
    texts = [path.read_text(encoding="utf-8") for path in PAGES.values()]
    for pattern in (r"^#+ ", r"^\|", r"^- \*\*", r"^```"):
        found = [len(re.findall(pattern, text, re.MULTILINE)) for text in texts]
        assert found[0] == found[1], pattern
    numbers = [re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \|", text, re.MULTILINE) for text in texts]
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) == len(FOLDERS)
