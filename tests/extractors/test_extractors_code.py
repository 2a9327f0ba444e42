"""Fenced blocks."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

CASES = [
    ("a\n```Python\nx\n```\nb", [("```Python\nx\n```", {"language": "python"})]),
    ("~~~\nx\n~~~", [("~~~\nx\n~~~", {"language": None})]),
    ("```js\nopen", [("```js\nopen", {"language": "js"})]),
    ("`inline` code", []),
    ("````md\n```\nx\n```\n````", [("````md\n```\nx\n```\n````", {"language": "md"})]),
    ("看这段：```python\nprint(1)\n```\n好吗", [("```python\nprint(1)\n```", {"language": "python"})]),
    ("```\nplain\n```", [("```\nplain\n```", {"language": None})]),
    (
        "```c++\nint a;\n```\n和\n```SQL\nselect 1\n```",
        [("```c++\nint a;\n```", {"language": "c++"}), ("```SQL\nselect 1\n```", {"language": "sql"})],
    ),
    ("use ``x`` and `y`", []),
    ("~~删除线~~", []),
]


@pytest.mark.parametrize(("text", "found"), CASES)
def test_code(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("code", text)] == found
