"""docs/library.md in both languages: the same code, and it runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pointsman.library.outcome import Outcome

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "docs" / name for name in ("library.md", "library.zh-CN.md")]
pytestmark = pytest.mark.skipif(not FILES[0].exists(), reason="the wheel is tested without the repository")


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_what_is_shown_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "examples" / "rules.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    shown = blocks(FILES[0])
    assert len(shown) == 8 and blocks(FILES[1]) == shown
    names: dict[str, Any] = {"__name__": "shown"}
    for block in shown:
        exec(compile(block, "library.md", "exec"), names)


def test_every_field_is_described_in_both() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        for field in Outcome.__struct_fields__:
            assert f"`{field}`" in text, (path.name, field)
        assert text.count("\n|") == 10 and text.count("\n## ") == 8


def test_links_lead_somewhere() -> None:
    for path in FILES:
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).exists(), link
