"""Every page of docs/ and its Chinese twin have the same parts and the same code, and their links lead somewhere."""

from __future__ import annotations

import re

import pytest

from docs.pages import CODE, DOCS, anchors, blocks, both, in_both_languages, names, needs_docs, prose, text_of

pytestmark = needs_docs
PAGES = in_both_languages()
PARTS = {"headings": r"^(#+) ", "rows": r"^\|", "points": r"^ *- ", "numbered": r"^ *\d+\. ", "quotes": r"^> "}

# What is shown is in the page's language: sentences that people say, what a command prints, comments.
OTHER_CODE = {
    *("actions.md", "actions/extract.md", "actions/mcp.md", "actions/media.md", "actions/sql.md", "arbiter/llm.md"),
    *("doctor.md", "fit.md", "jobs.md", "mcp-server.md", "models-files.md", "packs.md", "performance.md"),
    *("report-forms.md", "routing.md", "routing/eval-set.md", "routing/feedback.md", "scale.md", "schedules.md"),
}
SAME = ("yaml", "json", "python", "sql", "toml", "ini")
"""Of these languages the code is the same all the same, but for its comments and sentences in OTHER_SENTENCES."""
OTHER_SENTENCES = {"actions.md", "jobs.md", "mcp-server.md", "packs.md"}
OTHER_NAMES = {
    *("actions.md", "actions/extract.md", "actions/http.md", "actions/mcp.md", "admission-proof.md", "arbiter.md"),
    *("doctor.md", "extractors.md", "fit.md", "library.md", "log.md", "packs.md", "questions.md", "report-forms.md"),
    *("routing.md", "rule-life.md", "rules.md", "schedules.md"),
}
"""What stands in backticks is a name for a program and the same, but for examples of sentences on these pages."""
OTHER_FIGURES = {
    "actions/extract.md",
    "actions/sql.md",
    "arbiter/llm.md",
    "nodes.md",
    "performance.md",
    "routing/feedback.md",
}


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_same_parts(page: str) -> None:
    english, chinese = map(prose, both(page))
    for name, pattern in PARTS.items():
        assert re.findall(pattern, english, re.MULTILINE) == re.findall(pattern, chinese, re.MULTILINE), name


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_same_code(page: str) -> None:
    english, chinese = both(page)
    if page not in OTHER_CODE:
        assert CODE.findall(english) == CODE.findall(chinese)
    fences = [re.findall(r"^ *```(\w*)$", text, re.MULTILINE) for text in (english, chinese)]
    assert fences[0] == fences[1]
    for language in SAME if page not in OTHER_SENTENCES else ():
        assert blocks(english, language) == blocks(chinese, language), language


@pytest.mark.parametrize("page", sorted({*PAGES} - OTHER_NAMES))
def test_both_have_the_same_names(page: str) -> None:
    english, chinese = map(names, both(page))
    assert english == chinese, english ^ chinese


@pytest.mark.parametrize("page", sorted({*PAGES} - OTHER_FIGURES))
def test_both_have_the_same_figures(page: str) -> None:
    english, chinese = (sorted(re.findall(r"\d+\.\d+|\d,\d{3}", text)) for text in both(page))
    assert english == chinese


def test_exceptions_are_pages() -> None:
    assert set(PAGES) >= OTHER_CODE | OTHER_NAMES | OTHER_FIGURES | OTHER_SENTENCES


@pytest.mark.parametrize("chinese", [False, True], ids=["en", "zh"])
@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str, chinese: bool) -> None:
    text = text_of(page, chinese=chinese)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(text)):
        name, _, anchor = link.partition("#")
        if "://" in name or name.startswith("mailto:"):
            continue
        to = (DOCS / page).parent / name
        assert to.exists(), link
        if anchor and (not name or name.endswith(".md")):
            assert anchor in anchors(to.read_text(encoding="utf-8") if name else text), link
