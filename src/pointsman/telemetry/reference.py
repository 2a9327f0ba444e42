"""Makes the tables of docs/metrics.md from the catalogue: `python -m pointsman.telemetry.reference`; with `zh` after it
those of the Chinese page."""

from __future__ import annotations

import sys

from pointsman.domain.said import Tongue, told
from pointsman.telemetry.catalogue import GROUPS, PREFIX, Family

BEGIN, END = "<!-- families -->", "<!-- end of families -->"
_HEADS = {"en": "| metric | kind | labels | what it says |", "zh": "| 指标 | 类型 | 标签 | 含义 |"}
_SUFFIX = {"counter": "_total", "gauge": "", "histogram": ""}


def tables(tongue: Tongue) -> str:
    """Markdown: a table for each group."""
    parts = []
    for title, families in GROUPS:
        lines = [f"### {told(title, tongue)}", "", _HEADS[tongue], "| --- | --- | --- | --- |"]
        lines += [_line(family, tongue) for family in families]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _line(family: Family, tongue: Tongue) -> str:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    about = told(family.about, tongue)
    return f"| `{PREFIX}{family.name}{_SUFFIX[family.kind]}` | {family.kind} | {labels} | {about} |"


if __name__ == "__main__":
    sys.stdout.write(tables("zh" if sys.argv[1:] == ["zh"] else "en") + "\n")
