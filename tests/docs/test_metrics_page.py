"""docs/metrics.md and its Chinese twin hold every metric that there is, as the catalogue has it, and say the same."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import yaml

from pointsman.config.telemetry_schema import Telemetry
from pointsman.domain.said import Tongue
from pointsman.telemetry.catalogue import FAMILIES, PREFIX
from pointsman.telemetry.reference import BEGIN, END, tables

ROOT = Path(__file__).resolve().parents[2]
PAGES: dict[Tongue, Path] = {"en": ROOT / "docs" / "metrics.md", "zh": ROOT / "docs" / "metrics.zh-CN.md"}
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not PAGES["en"].exists(), reason="the wheel is tested without the repository")


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_tables_are_those_of_the_catalogue(tongue: Tongue) -> None:
    text = PAGES[tongue].read_text(encoding="utf-8")
    shown = text.split(BEGIN)[1].split(END)[0].strip()
    assert shown == tables(tongue), "run python -m pointsman.telemetry.reference"
    for name in FAMILIES:
        assert f"`{PREFIX}{name}" in shown


def test_the_config_that_is_shown_is_one() -> None:
    [shown] = [block for block in CODE.findall(PAGES["en"].read_text(encoding="utf-8")) if "telemetry:" in block]
    data = yaml.safe_load("\n".join(shown.splitlines()[1:-1]))
    otlp = msgspec.convert(data["telemetry"], Telemetry).otlp
    assert (otlp.endpoint, otlp.semconv, otlp.sample) == ("http://127.0.0.1:4318", "1.37", 0.1)


def test_metrics_that_pages_name_are_there() -> None:
    known = {PREFIX + name for name in FAMILIES}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for name in re.findall(r"pointsman_[a-z_]+", page.read_text(encoding="utf-8")):
            bare = re.sub(r"_(total|bucket|count|sum)$", "", name)
            assert bare in known or name in known or name == PREFIX, (page.name, name)
