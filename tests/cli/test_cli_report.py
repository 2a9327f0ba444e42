"""`pointsman report weekly`: what it writes where, in which form, and when it fails."""

from __future__ import annotations

import importlib.util
import json
import time
from pathlib import Path

import pytest

from cli.invoke import Shell
from offline.weekly.week_log import SECRET, policy, write


@pytest.fixture
def house(shell: Shell) -> Shell:
    """A config and a log of the last days, in the folder where the shell is."""
    write(shell.folder / "data", policy(shell.folder), 60, now=time.time() - 60, days=3)
    return shell


def test_markdown_goes_to_standard_output(house: Shell) -> None:
    done = house.run("report", "weekly", "--data-dir", "data")
    assert done.code == 0, done.err
    assert done.out.startswith("# Weekly report\n") and "## Suggested changes" in done.out
    assert SECRET not in done.out
    with_text = house.run("report", "weekly", "--data-dir", "data", "--text", "--language", "zh")
    assert with_text.code == 0 and with_text.out.startswith("# 每周报告\n")


def test_json_has_the_findings_and_no_words(house: Shell) -> None:
    done = house.run("report", "weekly", "--data-dir", "data", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["week"]["requests"] == 60 and SECRET not in done.out
    assert {"misroutes", "balance", "rules", "clusters", "suggestions", "not_judged"} <= set(found)
    assert all(each["replay"]["moved"] >= 0 for each in found["suggestions"] if each["replay"])
    with_text = house.run("report", "weekly", "--data-dir", "data", "--json", "--text")
    assert SECRET in with_text.out or not found["clusters"]


def test_html_by_the_files_ending(house: Shell) -> None:
    done = house.run("report", "weekly", "--data-dir", "data", "-o", "week.html", "--since", "30d")
    assert done.code == 0 and done.out == "the report is in week.html\n", done.err
    assert (house.folder / "week.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("typst", "justmytype_intl_cjk")),
    reason="needs the extra report",
)
def test_pdf_with_its_fonts_in_both_languages(house: Shell) -> None:
    for tongue in ("en", "zh"):
        done = house.run("report", "weekly", "--data-dir", "data", "-o", f"{tongue}.pdf", "--language", tongue)
        assert done.code == 0, done.err
        made = (house.folder / f"{tongue}.pdf").read_bytes()
        assert made.startswith(b"%PDF-") and b"/FontFile" in made


def test_another_config_is_replayed_beside(house: Shell) -> None:
    done = house.run("report", "weekly", "--data-dir", "data", "--against", "pointsman.yaml")
    assert done.code == 0 and "--against pointsman.yaml" in done.out, done.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--since", "soon"), 2, "is no span of time"),
        (("--since", "0d"), 2, "is no span of time"),
        (("--format", "pdf"), 2, "a PDF needs a file to go to"),
        (("--against", "none.yaml"), 1, "none.yaml"),
        (("-o", "no/such/folder/week.md"), 1, "cannot be written"),
    ],
)
def test_what_is_wrong_is_said(house: Shell, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = house.run("report", "weekly", "--data-dir", "data", *arguments)
    assert done.code == code and said in done.err, done.err


def test_without_a_log(shell: Shell, tmp_path: Path) -> None:
    policy(shell.folder)
    done = shell.run("report", "weekly", "--data-dir", str(tmp_path / "nothing"))
    assert done.code == 1 and "there is no log in" in done.err
