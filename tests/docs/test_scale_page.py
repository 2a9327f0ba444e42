"""docs/scale.md in both languages: the same figures, options that are there, lines that the code has."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from docs.pages import needs_docs, text_of
from pointsman.admission.scale.signals import CAUSES, Lines
from pointsman.cli.bench_whatif import declare_whatif
from pointsman.cli.report_scale import declare

PAGES = ("scale.md", "scale.zh-CN.md")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

pytestmark = needs_docs


def test_options_are_there() -> None:
    parser, bench = argparse.ArgumentParser(), argparse.ArgumentParser()
    declare(parser)
    declare_whatif(bench, Path())
    text = text_of(PAGES[0])
    for line in re.findall(r"^\$ pointsman report scale ?(.*)$", text, re.MULTILINE):
        parser.parse_args(shlex.split(line))
    known = {option for each in (parser, bench) for action in each._actions for option in action.option_strings}
    assert set(re.findall(r"`(--[a-z-]+)", text)) <= known


@pytest.mark.parametrize("page", PAGES)
def test_the_lines_are_those_of_the_code(page: str) -> None:
    text, lines = text_of(page), Lines()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))
    assert tuple(rows) == CAUSES
    for cause, figures in (
        ("queue_wait", (lines.wait, lines.wait_over)),
        ("p99_rising", (lines.usual / 60, lines.rise, lines.slow, lines.rise_over)),
        ("memory", (100 * lines.memory, 100 * lines.memory_over)),
        ("models", (lines.evictions, lines.window, lines.evictions_over)),
    ):
        said = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", rows[cause])}
        assert {float(figure) for figure in figures} <= said, (cause, said)
    for figure in (lines.window, lines.least, lines.dwell, lines.calm):
        assert re.search(rf"\b{figure}\b|{figure} ", text), figure
