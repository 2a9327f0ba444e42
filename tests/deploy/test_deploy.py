"""What lies in deploy/: every query asks for a metric and for labels that exist, every alert has its page, and Prometheus'
own tool agrees."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.telemetry.catalogue import FAMILIES, PREFIX, Family

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yml"
_NAME = re.compile(r"pointsman_[a-z0-9_]+(?:\{[^}]*\})?")
_LABEL = re.compile(r'([a-z_]+)\s*(?:=~|!~|!=|=)\s*"')
_RECORDED = re.compile(r"pointsman:[a-z0-9_:]+")
_GROUPED = re.compile(r"\b(?:by|on|group_left) ?\(([^)]*)\)")
ENDINGS = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
ADDED = {"instance", "job", "le"}
"""Labels that Prometheus, or the histogram itself, adds."""

pytestmark = pytest.mark.skipif(not DEPLOY.exists(), reason="the wheel is tested without the repository")


def family_of(name: str) -> Family | None:
    for family in FAMILIES.values():
        if name in {PREFIX + family.name + ending for ending in ENDINGS[family.kind]}:
            return family
    return None


def unknown_in(expr: str) -> list[str]:
    """What of a query is no metric, or no label of it."""
    wrong, known = [], set(ADDED)
    for found in _NAME.findall(expr):
        name, _, selector = found.partition("{")
        family = family_of(name)
        if family is None:
            wrong.append(name)
            continue
        known |= set(family.labels)
        wrong += [f"{name}{{{label}}}" for label in _LABEL.findall(selector) if label not in {*family.labels, *ADDED}]
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    wrong += [name for name in _RECORDED.findall(expr) if name not in recorded]
    if not _RECORDED.search(expr):
        wrong += [
            label
            for group in _GROUPED.findall(expr)
            for label in re.split(r",\s*", group)
            if label and label not in known
        ]
    return wrong


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]]


def alerts() -> list[dict[str, Any]]:
    return [rule for rule in rules() if "alert" in rule]


def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_dashboards", DEPLOY / "grafana" / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dashboards() -> dict[str, Any]:
    return {tongue: json.loads(path.read_text(encoding="utf-8")) for tongue, path in maker().FILES.items()}


def queries(dashboard: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


def test_what_is_looked_for_is_found() -> None:
    assert unknown_in("rate(pointsman_no_such_total[5m])") == ["pointsman_no_such_total"]
    assert unknown_in('pointsman_target_up{entry="x"}') == ["pointsman_target_up{entry}"]
    assert unknown_in("pointsman_requests") == ["pointsman_requests"], "a counter's samples end in _total"
    assert unknown_in("sum by (stage, nonsense) (pointsman_requests_total)") == ["nonsense"]
    assert unknown_in("pointsman:no_such:ratio > 1") == ["pointsman:no_such:ratio"]


def test_dashboards_ask_for_metrics_that_there_are() -> None:
    for dashboard in dashboards().values():
        found = list(queries(dashboard))
        assert len(found) > 40
        for title, expr in found:
            assert not unknown_in(expr), (title, expr)
            assert "instance" in expr, (title, expr)


def test_dashboards_are_as_they_are_made_and_alike_in_both_languages() -> None:
    made = maker()
    for tongue, path in made.FILES.items():
        assert path.read_text(encoding="utf-8") == made.text(tongue), f"run python deploy/grafana/make.py ({path.name})"
    en, zh = dashboards().values()
    assert [expr for _, expr in queries(en)] == [expr for _, expr in queries(zh)]
    assert len({panel["title"] for panel in en["panels"]}) == len(en["panels"])
    for one, other in zip(en["panels"], zh["panels"], strict=True):
        assert one["gridPos"] == other["gridPos"] and one["type"] == other["type"]
        assert one["title"].isascii()
        assert re.search(r"[一-鿿]", other["title"]), other["title"]


def test_no_two_panels_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboards()["en"]["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not taken & cells and place["x"] + place["w"] <= 24, panel["title"]
        taken |= cells


def test_rules_ask_for_metrics_that_there_are() -> None:
    for rule in rules():
        assert not unknown_in(rule["expr"]), rule


def test_alerts_are_few_and_each_has_a_page_in_both_languages_and_a_test() -> None:
    names = {alert["alert"] for alert in alerts()}
    assert names == {
        "PointsmanDown", "PointsmanErrors", "PointsmanSlow", "PointsmanQueueWait", "PointsmanScale", "PointsmanL0HitsLow",
        "PointsmanDrift",
    }  # fmt: skip
    tested = (RULES.parent / "rules.test.yml").read_text(encoding="utf-8")
    for alert in alerts():
        page = ROOT / alert["annotations"]["runbook_url"]
        for path in (page, page.with_name(page.stem + ".zh-CN.md")):
            text = path.read_text(encoding="utf-8")
            assert alert["alert"] in text, path
        assert re.search(r"[一-鿿]", alert["annotations"]["summary_zh"])
        assert tested.count(f"alertname: {alert['alert']}") >= 2, "it fires in one test, and does not in another"
    pages = {
        path.name.removesuffix(".zh-CN.md").removesuffix(".md") for path in (ROOT / "docs" / "runbooks").glob("*.md")
    }
    assert pages == {Path(alert["annotations"]["runbook_url"]).stem for alert in alerts()}


def test_runbooks_name_metrics_that_there_are_and_the_same_ones_in_both_languages() -> None:
    for page in sorted((ROOT / "docs" / "runbooks").glob("*.md")):
        if page.name.endswith(".zh-CN.md"):
            continue
        en, zh = (path.read_text(encoding="utf-8") for path in (page, page.with_name(page.stem + ".zh-CN.md")))
        code = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
        assert code.findall(en) == code.findall(zh), page.name
        assert re.findall(r"^#+(?= )", en, re.MULTILINE) == re.findall(r"^#+(?= )", zh, re.MULTILINE)
        assert len(re.findall(r"^- ", en, re.MULTILINE)) == len(re.findall(r"^- ", zh, re.MULTILINE)), page.name
        for block in code.findall(en):
            for line in block.splitlines()[1:-1]:
                if line.startswith(("pointsman_", "sum", "histogram", "pointsman:", "topk", "increase", "max")):
                    assert not unknown_in(line), (page.name, line)


needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True, cwd=RULES.parent)


@needs_promtool
@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", "rules.yml"), ("check", "config", "prometheus.yml"), ("test", "rules", "rules.test.yml")],
)
def test_promtool_agrees(arguments: tuple[str, ...]) -> None:
    done = promtool(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_promtool_finds_nothing_wrong_with_the_metrics() -> None:
    from telemetry.shown import text
    from telemetry.test_metrics_bounds import busy

    done = subprocess.run(["promtool", "check", "metrics"], input=text(busy()), capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr.decode()


def test_runbooks_name_commands_and_pages_that_there_are() -> None:
    from pointsman.cli import VERBS

    for page in (ROOT / "docs" / "runbooks").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for verb in re.findall(r"pointsman ([a-z]+)", text):
            assert verb in VERBS, (page.name, verb)
        for link in re.findall(r"\]\(([^)#]+)", text):
            assert (page.parent / link).exists(), (page.name, link)
