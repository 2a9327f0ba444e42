"""`sheets`, `charts` and `templates` in a config: what is wrong is said with its place, and a template is tried out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.app.build import build, check_sources
from pointsman.app.proving import proven
from pointsman.config.load import load
from pointsman.domain.errors import Problems
from pointsman.domain.report import Filter, SheetSpec, Titles

KEY = '{name: bot, hash: "sha256:' + "0" * 64 + '", role: director, group: ops}'
REPORT = """
sources: {d: {demo: true}}
reports:
  r:
    source: d
    table: sales
    time: sold_on
    measures: {amount: {}, mean: {aggregate: average, column: amount}}
    dimensions: {region: {values: [{value: 华东}]}, store: {}}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "pointsman.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def wrong(folder: Path, text: str, tongue: str = "en") -> list[str]:
    """What is wrong, without the file's name."""
    with pytest.raises(Problems) as caught:
        build(load(written(folder, text), None, {}))
    return [problem.text(tongue).split("pointsman.yaml")[1] for problem in caught.value.problems]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sheet", "place", "words"),
    [
        ("sheets: [{group_by: [regon]}]", "sheets[0].group_by[0]", ['"region"', "region, store, day, week"]),
        ("sheets: [{group_by: [region, region]}]", "sheets[0].group_by[1]", ["twice"]),
        ("sheets: [{measures: [amuont]}]", "sheets[0].measures[0]", ['"amount"', "amount, mean"]),
        ("sheets: [{rank: x}]", "sheets[0].rank", ["amount, mean"]),
        ("sheets: [{filters: {region: [华西]}}]", "sheets[0].filters.region[0]", ["华东"]),
        ("sheets: [{filters: {shop: [a]}}]", "sheets[0].filters.shop", ["region, store"]),
        ("sheets: [{filters: {store: []}}]", "sheets[0].filters.store", ["no value"]),
        ("sheets: [{group_by: [month, week]}]", "sheets[0].group_by", ["[month, region]"]),
        ("sheets: [{group_by: [region], chart: stacked}]", "sheets[0].group_by", ["two of group_by"]),
        ("sheets: [{group_by: [month, store], compare: [year]}]", "sheets[0].compare", ["not compared"]),
        ("sheets: [{measures: [mean], chart: pie}]", "sheets[0].chart", ["sum or count"]),
        ("sheets: [{chart: pei}]", "sheets[0].chart", ['"pie"']),
        ("sheets: [{compare: [last]}]", "sheets[0].compare[0]", ["previous, year"]),
        ("sheets: [{top: 0}]", "sheets[0].top", [">= 1"]),
        ("sheets: [{title: {fr: x}}]", "sheets[0].title.fr", ["zh, en"]),
        ("charts: [{group_by: [month]}]", "charts[0].kind", ["missing"]),
        ("charts: [{kind: bar, measure: x}]", "charts[0].measure", ["amount, mean"]),
        ("charts: [{kind: stacked, group_by: [month, store], measure: mean}]", "charts[0].kind", ["sum or count"]),
        ("template: boarb", "template", ["a .typ file"]),
        ("template: ../x.typ", "template", ["outside the folder"]),
    ],
)
def test_of_sheets_and_charts(tmp_path: Path, sheet: str, place: str, words: list[str]) -> None:
    [line] = wrong(tmp_path, f"{REPORT}    {sheet}\n")
    assert f": reports.r.{place}: " in line
    assert all(word in line for word in words), line
    [chinese] = wrong(tmp_path, f"{REPORT}    {sheet}\n", "zh")
    assert f"：reports.r.{place}：" in chinese and chinese != line


@pytest.mark.parametrize(
    ("template", "place", "words"),
    [
        ("{file: ../x.typ}", "file", ["outside the folder of the config"]),
        ("{file: /etc/passwd}", "file", ["outside the folder of the config"]),
        ("{file: away/x.typ}", "file", ["outside the folder of the config"]),  # by a link
        ("{file: none.typ}", "file", ["there is no file"]),
        ("{file: a.svg}", "file", [".typ"]),
        ("{logo: a.typ}", "logo", [".png, .jpg, .jpeg, .svg"]),
        ("{logo: big.png}", "logo", ["larger than 5 MB"]),
        ("{fonts: [a.svg]}", "fonts[0]", [".ttf, .otf"]),
        ("{accent: green}", "accent", ["#0a7d4f"]),
        ('{ink: "#eeeeee"}', "ink", ["too light", "#1b2a41"]),
        ("{header: {fr: x}}", "header.fr", ["zh, en"]),
        ("{roles: [directer]}", "roles[0]", ['"director"']),
        ("{keys: [nobody]}", "keys[0]", ["bot"]),
        ("{groups: [nobody]}", "groups[0]", ["ops"]),
        ("{default: true}", "default", ["templates.a.default has that too"]),
        ("{words: [A]}", "words", ["templates.a.words has that too"]),
        ("{users: [alice]}", "users", ["'alice': templates.a.users"]),
    ],
)
def test_of_templates(tmp_path: Path, template: str, place: str, words: list[str]) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    (tmp_path / "x.typ").write_text("")
    (folder / "away").symlink_to(tmp_path)
    (folder / "a.svg").write_text("<svg/>")
    (folder / "a.typ").write_text("")
    (folder / "big.png").write_bytes(bytes(6 << 20))
    text = f"auth: {{keys: [{KEY}]}}\ntemplates:\n  a: {{default: true, users: [alice]}}\n  b: {template}\n"
    [line] = wrong(folder, text)
    assert line.startswith(f":4: templates.b.{place}: ") and all(word in line for word in words), line
    [chinese] = wrong(folder, text, "zh")
    assert chinese.startswith(f":4：templates.b.{place}：") and chinese != line


def test_all_of_it_as_it_should_be(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    text = (
        "templates:\n  house: {logo: a.svg, accent: '#0A7D4F', header: Acme, default: true}\n"
        f"{REPORT}    template: house\n"
        "    sheets: [{title: {zh: 东, en: East}, group_by: [month], measures: [mean, amount], filters: {region: [华东]}, "
        "compare: [year], top: 5, rank: mean, chart: line}]\n"
        "    charts: [{kind: pie, group_by: [region], measure: amount}]\n"
    )
    [report] = build(load(written(tmp_path, text), None, {})).policy.document.reports
    east = (Filter("region", ("华东",), ("华东",)),)
    assert report.sheets == (
        SheetSpec(Titles("东", "East"), ("@month",), ("mean", "amount"), east, "line", ("year",), 5, "mean"),
    )
    assert report.charts == (SheetSpec(group_by=("region",), measures=("amount",), chart="pie"),)
    assert report.template == "house" and report.templates[0].logo == str(tmp_path / "a.svg")
    assert report.templates[0].header == Titles("Acme", "Acme")


def test_a_dimension_may_be_called_as_a_unit_of_time(tmp_path: Path) -> None:
    text = (
        REPORT.replace("store: {}", "month: {column: store}")
        + "    sheets: [{group_by: [month]}, {group_by: [week]}]\n"
    )
    [report] = build(load(written(tmp_path, text), None, {})).policy.document.reports
    assert [sheet.group_by for sheet in report.sheets] == [("month",), ("@week",)]


def test_the_demo_s_reports_have_the_templates_too(tmp_path: Path) -> None:
    text = f"server: {{data_dir: {tmp_path}/data}}\nsources: {{d: {{demo: true}}}}\n"
    text += "templates: {house: {default: true}}\n"
    for report in build(load(written(tmp_path, text), None, {})).policy.document.reports:
        assert [template.name for template in report.templates] == ["house"]


def tried(folder: Path, template: str, file: str) -> tuple[list[str], tuple[str, ...]]:
    """What `check` finds by trying the template: problems and notes."""
    (folder / "own.typ").write_text(file, encoding="utf-8")
    text = f"server: {{data_dir: {folder}/data}}\nsources: {{d: {{demo: true}}}}\ntemplates:\n  t: {template}\n"
    built = build(load(written(folder, text), None, {}))
    try:
        return [], check_sources(built)
    except Problems as found:
        return [str(problem).split("pointsman.yaml")[1] for problem in found.problems], ()


def test_a_template_is_tried_out(tmp_path: Path) -> None:
    read = '#let data = json("data.json")\n'
    assert tried(tmp_path, "{file: own.typ}", f"{read}#data.title") == ([], ())
    problems, _ = tried(tmp_path, "{file: own.typ}", f"{read}\n#foo(1)\n")
    assert problems == [":4: templates.t.file: own.typ:3: unknown variable: foo"]
    problems, _ = tried(tmp_path, "{file: own.typ}", f"{read}#data.titel")
    assert problems == [':4: templates.t.file: own.typ:2: dictionary does not contain key "titel"']
    problems, _ = tried(tmp_path, "{file: own.typ}", '#import "@preview/cetz:0.3.0"')
    assert problems == [":4: templates.t.file: own.typ:1: packages are not fetched from the network"]
    problems, _ = tried(tmp_path, "{file: own.typ}", '#read("../../../../etc/passwd")')
    assert len(problems) == 1 and ":4: templates.t.file: own.typ:1: " in problems[0]
    (tmp_path / "part.typ").write_text("#let wrong(a) = {\n  a.bogus\n}\n")
    problems, _ = tried(tmp_path, "{file: own.typ}", '#import "part.typ": wrong\n#wrong(1)')
    assert problems == [":4: templates.t.file: part.typ:2: cannot access fields on type integer"]


def test_a_gateway_does_not_start_with_a_broken_template(tmp_path: Path) -> None:
    (tmp_path / "own.typ").write_text("#foo", encoding="utf-8")
    text = (
        f"server: {{data_dir: {tmp_path}/data}}\nsources: {{d: {{demo: true}}}}\ntemplates: {{t: {{file: own.typ}}}}\n"
    )
    built = build(load(written(tmp_path, text), None, {}))
    with pytest.raises(Problems) as caught:
        proven(built)
    assert "own.typ:1: unknown variable: foo" in str(caught.value.problems[0])
    (tmp_path / "own.typ").write_text("as it should be", encoding="utf-8")
    assert proven(built).notes == built.notes


def test_a_logo_and_a_font_are_tried_out(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_text("no picture")
    problems, _ = tried(tmp_path, "{logo: logo.png}", "")
    assert len(problems) == 1 and problems[0].startswith(":4: templates.t.logo: failed to decode image")
    problems, notes = tried(tmp_path, "{font: Brand Sans}", "")
    assert problems == [] and len(notes) == 1
    assert (
        notes[0].startswith("templates.t.font: PDFs do not have the font 'Brand Sans'") and "Noto Sans SC" in notes[0]
    )
    assert tried(tmp_path, "{font: Noto Sans SC}", "") == ([], ())
