"""Eval sets: the one that ships, and what is said of lines that are wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pointsman.bench.quality.eval_set import EvalSet, builtin_sets, read_set
from pointsman.domain.errors import Problem, Problems
from pointsman.features.language import language_of

GOOD = {"prompt": "2+2?", "checker": {"kind": "number", "value": 4}}


def read(folder: Path, *lines: Any) -> EvalSet:
    path = folder / "set.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return read_set(str(path))


def wrong(folder: Path, *lines: Any) -> list[Problem]:
    with pytest.raises(Problems) as error:
        read(folder, *lines)
    return error.value.problems


def test_the_one_that_ships_is_bilingual_and_of_several_kinds() -> None:
    tasks = read_set("builtin:basic").tasks
    assert builtin_sets() == ["builtin:basic"] and len(tasks) == 60
    kinds = Counter(task.task for task in tasks)
    assert len(kinds) == 9 and min(kinds.values()) >= 4
    languages = Counter(language_of(task.messages[-1]["content"]) for task in tasks)
    assert languages["zh"] >= 25 and languages["en"] >= 25
    for task in tasks:
        assert task.check is not None
        assert task.check("") == 0.0 and task.check("I do not know.") == 0.0, task.id
        assert task.check(task.messages[-1]["content"]) == 0.0, f"{task.id}: the prompt itself is no answer"


def test_a_line_may_say_as_little_as_a_prompt_and_what_is_right(tmp_path: Path) -> None:
    [task] = read(tmp_path, GOOD).tasks
    assert (task.id, task.weight, task.task, task.messages) == ("1", 1.0, None, ({"role": "user", "content": "2+2?"},))
    several = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]
    tasks = read(tmp_path, "", {"messages": several, "answer": "hello"}, {"prompt": "x", "graded": {"m": 1}})
    assert tasks.judged and [task.id for task in tasks.tasks] == ["2", "3"]


def test_the_mark_is_of_what_the_grade_depends_on(tmp_path: Path) -> None:
    first, same, other = read(
        tmp_path, {**GOOD, "id": "a"}, {**GOOD, "id": "b", "weight": 2}, {**GOOD, "id": "c", "max_tokens": 9}
    ).tasks
    assert first.mark == same.mark != other.mark


@pytest.mark.parametrize(
    ("line", "field", "english", "chinese"),
    [
        ("{", "line", "it is no JSON", "不是 JSON"),
        ("[]", "line", "must be a mapping", "必须是映射"),
        ({**GOOD, "promt": "x"}, "promt", 'did you mean "prompt"', "是不是“prompt”"),
        ({"prompt": "x"}, "checker", "nothing says what is right", "没有说明怎样才算对"),
        ({**GOOD, "answer": "4"}, "answer", "there is a checker already", "已经有 checker"),
        ({**GOOD, "task": "maths"}, "task", 'did you mean "math"', "是不是“math”"),
        ({**GOOD, "messages": []}, "prompt", "and not both", "有且只有一个"),
        ({**GOOD, "prompt": " "}, "prompt", "it must be text", "必须是文本"),
        ({"messages": [{"role": "user"}], "answer": "x"}, "messages", "{role, content}", "{role, content}"),
        ({"messages": [{"role": "assistant", "content": "x"}], "answer": "x"}, "messages", "the user's", "user 的"),
        ({**GOOD, "weight": 0}, "weight", "above 0", "大于 0"),
        ({**GOOD, "max_tokens": 0}, "max_tokens", "from 1 to", "1 到"),
        ({**GOOD, "id": 3}, "id", "at most 200 characters", "200 个字符"),
        ({"prompt": "x", "graded": {"m": 5}}, "graded.m", "from 0 to 1", "0 到 1"),
        ({"prompt": "x", "checker": {"kind": "regex", "pattern": "(?!x)"}}, "checker", "RE2 refuses", "RE2 不接受"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: Any, field: str, english: str, chinese: str) -> None:
    [problem] = wrong(tmp_path, GOOD, line)
    assert problem.path == field and problem.where == f"{tmp_path / 'set.jsonl'}:2"
    assert english in problem.text("en") and chinese in problem.text("zh")


def test_all_wrong_lines_are_named_at_once_and_ids_are_unique(tmp_path: Path) -> None:
    problems = wrong(tmp_path, {**GOOD, "id": "a"}, "{", {**GOOD, "id": "a"})
    assert [problem.where.rpartition(":")[2] for problem in problems if problem.where] == ["2", "3"]
    assert "stands in line 1 already" in problems[1].text("en") and "第 1 行" in problems[1].text("zh")


def test_nothing_and_nowhere(tmp_path: Path) -> None:
    assert "it is empty" in wrong(tmp_path, "")[0].text("en")
    with pytest.raises(Problems, match="cannot be read"):
        read_set(str(tmp_path / "none.jsonl"))
    with pytest.raises(Problems, match="builtin:basic"):
        read_set("builtin:basics")
