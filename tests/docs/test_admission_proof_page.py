"""docs/admission-proof.md in both languages: its commands are understood, its figures are the same."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest

from docs.pages import needs_docs, text_of
from pointsman.bench.admission.arrivals import CALLERS, CALLS
from pointsman.bench.admission.engine import CELLS, SLOTS
from pointsman.bench.admission.gateway import Limits, config
from pointsman.bench.admission.measure import Plan
from pointsman.cli import bench

PAGES = ("admission-proof.md", "admission-proof.zh-CN.md")

pytestmark = needs_docs


def test_both_have_the_same_figures() -> None:
    english, chinese = map(text_of, PAGES)
    figures = [re.findall(r"^\|[^|]*\|(.*)\|$", text, re.MULTILINE) for text in (english, chinese)]
    numbers = [[re.findall(r"-?\d[\d.,]*", row) for row in rows if re.search(r"\d \|", row)] for rows in figures]
    assert numbers[0] == numbers[1] and len(numbers[0]) > 10


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_understood(page: str) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    bench.declare(parser)
    [commands] = re.findall(r"^```\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE)
    for command in commands.splitlines():
        words = shlex.split(command, comments=True)
        assert words[:2] == ["pointsman", "bench"]
        parser.parse_args(words[2:])


@pytest.mark.parametrize("page", PAGES)
def test_figures_are_those_of_the_code(page: str) -> None:
    text, plan = text_of(page), Plan()
    admission = config(1, plan.limits, plan.patience)["admission"]
    assert isinstance(admission, dict)
    breaker = ", ".join(f"{name}: {value}" for name, value in admission["breaker"].items())
    limits: Limits = plan.limits
    for wanted in (
        f"`limits: {{sequences: {SLOTS}, cells: {CELLS}}}`".replace("4,096", "4096"),
        f"`admission: {{queue: {limits.queue}, wait: {limits.wait:g}}}`",
        f"`{{{breaker}}}`",
    ):
        assert re.sub(r"\s+", "", wanted) in re.sub(r"\s+", "", text), wanted
    for number in (plan.patience, plan.within, plan.stall, plan.measured, CALLS, *(100 * each for each in plan.chains)):
        assert f"{number:g}" in text, number
    assert (CALLERS, plan.load) == (10, 0.8)
