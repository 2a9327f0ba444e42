"""docs/report-forms.md, in both languages: its configs load, its sentences are understood, its keys are there."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import msgspec
import pytest

from docs.pages import needs_docs, text_of
from pointsman.actions.report.demo_reports import demo_reports
from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.config.report_schema import Chart, Sheet, Template
from pointsman.domain.report import ReportPlan, TemplateSpec
from pointsman.planning.draft import draft_of
from pointsman.planning.plan import plan_of

PAGES = ["report-forms.md", "report-forms.zh-CN.md"]
TODAY = datetime.date(2026, 11, 29)
BOARD = TemplateSpec("board", words=("董事会",))
CATALOG = tuple(msgspec.structs.replace(spec, templates=(BOARD,)) for spec in demo_reports())

pytestmark = needs_docs


@pytest.mark.parametrize("page", PAGES)
def test_configs_load(tmp_path: Path, page: str) -> None:
    (tmp_path / "looks").mkdir()
    (tmp_path / "looks" / "logo.svg").write_text("<svg/>")
    (tmp_path / "looks" / "board.typ").write_text("")
    blocks = re.findall(r"```yaml\n(.*?)```", text_of(page), re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        path = tmp_path / "pointsman.yaml"
        path.write_text(block, encoding="utf-8")
        build(load(path, {"server.data_dir": str(tmp_path / "data")}, {}))


@pytest.mark.parametrize("page", PAGES)
def test_sentences_are_understood(page: str) -> None:
    table = text_of(page).split("\n## ")[1]
    sentences = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", table, re.MULTILINE)[1:]
    assert len(sentences) == 15
    for sentence in sentences:
        draft = draft_of(sentence, CATALOG, TODAY)
        assert draft.is_request, (sentence, draft.strange)
        plan = plan_of(draft, CATALOG, "zh", TODAY)
        assert isinstance(plan, ReportPlan), sentence
        form = (plan.bucket, plan.compare, plan.top, plan.rank, plan.chart, plan.template)
        assert any(part not in (None, ()) for part in form), sentence


@pytest.mark.parametrize("page", PAGES)
def test_every_key_is_told(page: str) -> None:
    for struct in (Sheet, Chart, Template):
        for field in msgspec.structs.fields(struct):
            assert f"`{field.encode_name}`" in text_of(page), field.encode_name
