"""The pages of docs/: their texts, their blocks of code, and which are there in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
CODE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
needs_docs = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")
"""Of every test of a page."""


def in_both_languages() -> list[str]:
    """Paths of all pages that have a Chinese twin, as `actions/sql.md`."""
    twins = (path.with_name(path.name.replace(".zh-CN.md", ".md")) for path in DOCS.rglob("*.zh-CN.md"))
    return sorted(path.relative_to(DOCS).as_posix() for path in twins)


def text_of(page: str, *, chinese: bool = False) -> str:
    """Of `actions/sql.md`, or its Chinese twin's."""
    return (DOCS / (page.replace(".md", ".zh-CN.md") if chinese else page)).read_text(encoding="utf-8")


def both(page: str) -> tuple[str, str]:
    """English and Chinese."""
    return text_of(page), text_of(page, chinese=True)


def blocks(text: str, language: str) -> list[str]:
    """What stands in its fences of that language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def prose(text: str) -> str:
    """Without the code."""
    return CODE.sub("", text)


def names(text: str) -> set[str]:
    """Everything in backticks outside of the code."""
    return set(re.findall(r"`([^`\n]+)`", prose(text)))


def anchors(text: str) -> set[str]:
    """Of its headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
