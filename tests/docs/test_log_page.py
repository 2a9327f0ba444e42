"""What docs/log.md says of filters, columns and settings is what there is."""

from __future__ import annotations

import re

import pytest

from docs.pages import DOCS
from pointsman.config.schema import Log
from pointsman.domain.said import told
from pointsman.store.figures import DIMS, MOST
from pointsman.store.log_export import COLUMNS, TEXTS
from pointsman.store.log_filters import FILTERS

PAGES = {"en": (DOCS / "log.md").read_text("utf-8"), "zh": (DOCS / "log.zh-CN.md").read_text("utf-8")}


@pytest.mark.parametrize("tongue", ["en", "zh"])
class TestPage:
    def test_every_filter(self, tongue: str) -> None:
        for name in FILTERS:
            assert f"`--{name.replace('_', '-')}`" in PAGES[tongue]

    def test_every_column_in_its_order(self, tongue: str) -> None:
        rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", PAGES[tongue], re.MULTILINE)
        assert [name for name, _ in rows] == [column.name for column in (*COLUMNS, *TEXTS)]
        for (_, words), column in zip(rows, (*COLUMNS, *TEXTS), strict=True):
            assert words.startswith(told(column.words, tongue))  # type: ignore[arg-type]

    def test_settings_and_bounds(self, tongue: str) -> None:
        for name in ("prompts", "keep", "rollups", "store"):
            assert f"`log.{name}`" in PAGES[tongue]
            assert hasattr(Log(), name)
        assert (Log().keep, Log().rollups, MOST) == ("30d", "400d", 200)
        for number in ("30", "400", "200"):
            assert number in PAGES[tongue]


def test_dimensions_are_named() -> None:
    for dim in DIMS:
        assert dim in PAGES["en"].split("## Sums")[1].split("## Export")[0]


def test_both_have_the_same_commands() -> None:
    commands = [re.findall(r"^pointsman .*$", page, re.MULTILINE) for page in PAGES.values()]
    assert [line.split()[1:3] for line in commands[0]] == [line.split()[1:3] for line in commands[1]]
