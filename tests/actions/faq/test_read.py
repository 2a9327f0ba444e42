"""Files of entries, in every form, and what is wrong with them, with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from xlsxwriter import Workbook

from actions.workshop import config_of
from pointsman.actions.faq.read import read_entries
from pointsman.app.actions import action_specs

GOOD = """
entries:
  - id: vpn
    questions: {zh: [怎么连接VPN, VPN连不上怎么办], en: How do I connect to the VPN}
    answer: {zh: 打开客户端登录。, en: Open the client and sign in.}
    keywords: [远程, remote]
    tags: [it]
  - question: 年假有几天
    variants: 年假怎么算 | how many days of leave
    answer: 每年十天。
"""


def test_yaml_and_json(tmp_path: Path) -> None:
    path = tmp_path / "faq.yaml"
    path.write_text(GOOD, encoding="utf-8")
    entries, problems = read_entries(path)
    assert problems == [] and [entry.id for entry in entries] == ["vpn", "2"]
    vpn, leave = entries
    assert vpn.questions == ("怎么连接VPN", "VPN连不上怎么办", "How do I connect to the VPN")
    assert (vpn.answer("en"), vpn.answer("zh")) == ("Open the client and sign in.", "打开客户端登录。")
    assert (vpn.title("en"), vpn.title("zh"), vpn.tags) == ("How do I connect to the VPN", "怎么连接VPN", ("it",))
    assert leave.answer("en") == "每年十天。" and leave.title("en") == "how many days of leave"
    other = tmp_path / "faq.json"
    other.write_text(json.dumps([{"question": "a\\/b\n", "answer": 1}]), encoding="utf-8")
    [entry], problems = read_entries(other)
    assert problems == [] and entry.answer("zh") == "1"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
def test_csv(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "faq.csv"
    path.write_text('ID,question,answer_zh,keywords\nvpn,"怎么连|如何连",客户端,"远程、网络"\n', encoding=encoding)
    [entry], problems = read_entries(path)
    assert problems == [] and entry.questions == ("怎么连", "如何连") and entry.keywords == ("远程", "网络")


def test_a_workbook_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "faq.yaml"
    with Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["question_zh", "question_en", "answer"])
        sheet.write_row(1, 0, ["怎么连", "how", "客户端"])
        sheet.write_row(2, 0, ["没有答案"])
    entries, [problem] = read_entries(path)
    assert [entry.titles for entry in entries] == [{"zh": "怎么连", "en": "how"}]
    assert str(problem).startswith(f"{path}:3: row 3.answer: is missing")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("entries:\n  - question: a\n", 2, "is missing"),
        ("- question: a\n  anwser: b\n", 2, 'did you mean "answer"'),
        ("- question: a\n  answer: b\n- question: A\n  answer: c\n", 3, "is a question of '1', too"),
        ("- {id: x, question: a, answer: b}\n- {id: x, question: c, answer: d}\n", 2, "is taken"),
        ("- question: [a, {b: c}]\n  answer: b\n", 1, "a text or a list of texts"),
        ("- question: {fr: a}\n  answer: b\n", 1, "is no language"),
        ("entires: []\n", 1, 'did you mean "entries"'),
        ("- question: a\n  answer: {zh: [1]}\n", 2, "must be a text"),
        ("a: [", 2, "cannot be read"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "faq.yaml"
    path.write_text(text, encoding="utf-8")
    _, problems = read_entries(path)
    assert words in str(problems[0]) and str(problems[0]).startswith(f"{path}:{line}: "), problems
    assert problems[0].said.zh != str(problems[0])


def test_a_file_that_is_not_there_is_a_problem_of_the_config(tmp_path: Path) -> None:
    config = config_of({"it": {"faq": {"file": "missing.yaml"}}})
    [problem] = action_specs(config, tmp_path, {}).problems
    assert problem.path == "actions.it.faq.file" and "no such file" in str(problem)
