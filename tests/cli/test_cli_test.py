"""`pointsman test`: which cases hold, what they cover, and who took what another should have."""

from __future__ import annotations

import pytest

from cli import case_runs_rules
from cli.invoke import MODELS, Shell
from pointsman.cli import case_runs

CONFIG = MODELS + "rules: {packs: [], files: [r.yaml, s.yaml]}\n"
R = """\
- id: export
  priority: 60
  when: {all: [{any: [导出, 下载]}, 报表]}
  answer: a
  examples: [导出报表, 帮我导出一份报表]
  counter_examples: [不要导出报表]
  boundary: [{text: 报表, takes: false}]
- {id: flat, pattern: [天气, 预报], action: weather}
"""
S = """\
- id: greet
  when: {whole: [你好]}
  answer: b
  examples: [你好]
  counter_examples: [你好吗]
  boundary: [{text: 你好！, takes: true}]
- id: reports
  when: {any: [报表]}
  answer: c
  examples: [导出报表, 报表, 下载报表]
  counter_examples: [你好]
  boundary: [{text: 表, takes: false}]
"""


@pytest.fixture
def ready(shell: Shell) -> Shell:
    shell.write("pointsman.yaml", CONFIG)
    shell.write("r.yaml", R)
    shell.write("s.yaml", S)
    return shell


def test_all_hold(ready: Shell) -> None:
    done = ready.run("test")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["pack", "rules", "complete", "cases", "failed", "terms", "touched", "groups", "touched"]
    assert lines[1].split() == ["r", "2", "1", "4", "0", "2/5", "2/3"]
    assert lines[2].split() == ["s", "2", "2", "8", "0", "2/2", "2/2"]
    assert lines[-1] == "12 of 12 cases hold"


def test_another_pack_takes_a_text_which_is_no_failure(ready: Shell) -> None:
    done = ready.run("test")
    assert "no failure" in done.out
    assert [line.split() for line in done.out.splitlines() if line.startswith("reports")] == [
        ["reports", "export", "2/3"]
    ]


def test_as_json(ready: Shell) -> None:
    found = ready.run("test", "--json").json
    assert (found["ok"], found["problems"], found["cases"]) == (True, [], 12)
    assert found["packs"][0] == {
        "pack": "r", "rules": 2, "complete": 1, "cases": 4, "failed": 0,
        "terms": 5, "touched": 2, "groups": 3, "groups_touched": 2,
    }  # fmt: skip
    assert found["confusion"] == []
    assert found["across_packs"] == [{"expected": "reports", "took": "export", "count": 2}]


def test_a_case_that_fails_is_told_with_its_place(ready: Shell) -> None:
    ready.write("s.yaml", S.replace("examples: [你好]", "examples: [你好, 报表]", 1))
    done = ready.run("test")
    assert done.code == 1
    assert "s.yaml:4: rules.greet.examples: '报表' is taken by rule reports and should be by this one" in done.err
    assert [line.split() for line in done.out.splitlines() if line.startswith("greet")] == [["greet", "reports", "1/3"]]
    assert "12 of 13 cases hold" in done.out
    found = ready.run("test", "--json")
    assert (found.code, found.json["ok"]) == (1, False)
    [problem] = found.json["problems"]
    assert problem["where"].endswith("s.yaml:4")
    assert found.json["confusion"] == [{"expected": "greet", "took": "reports", "count": 1}]


def test_a_text_that_nobody_takes(ready: Shell) -> None:
    ready.write("s.yaml", S.replace("examples: [你好]", "examples: [你好, 再见]", 1))
    done = ready.run("test")
    assert [line.split() for line in done.out.splitlines() if line.startswith("greet")] == [["greet", "(none)", "1/3"]]
    done = ready.run("test", "--language", "zh")
    assert "（没有）" in done.out
    assert "13 个用例，12 个通过" in done.out
    assert "共 1 处问题" in done.err


def test_a_text_that_should_not_be_taken(ready: Shell) -> None:
    ready.write("s.yaml", S.replace("counter_examples: [你好吗]", "counter_examples: [你好吗, 你好。]"))
    done = ready.run("test")
    assert done.code == 1
    assert "'你好。' is taken by this rule and should not be" in done.err


def test_one_pack(ready: Shell) -> None:
    found = ready.run("test", "--json", "--pack", "s").json
    assert [pack["pack"] for pack in found["packs"]] == ["s"]
    assert found["across_packs"] == [{"expected": "reports", "took": "export", "count": 2}]
    done = ready.run("test", "--pack", "rr")
    assert done.code == 1
    assert "no pack 'rr' is loaded" in done.err
    assert "(valid: r, s)" in done.err
    assert ready.run("test", "--pack", "rr", "--json").json["ok"] is False


def test_mistakes_in_config_and_rules_are_told(ready: Shell) -> None:
    ready.write("pointsman.yaml", CONFIG + "servr: {}\n")
    ready.write("r.yaml", "- {id: a}\n")
    done = ready.run("test")
    assert done.code == 1
    assert "servr" in done.err
    assert "r.yaml:1" in done.err
    assert len(ready.run("test", "--json").json["problems"]) > 1


def test_rules_that_are_off_have_no_say(ready: Shell) -> None:
    ready.write("r.yaml", R.replace("  answer: a\n", "  answer: a\n  mode: off\n").replace("mode: off", "mode: 'off'"))
    found = ready.run("test", "--json").json
    assert found["across_packs"] == []
    assert found["packs"][0]["rules"] == 1


def test_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_runs, "_FEW", 1)
    monkeypatch.setattr(case_runs, "_CHUNK", 3)
    rules = case_runs_rules.many(20)
    alone = case_runs.run_all(rules, rules, case_runs_rules.ENTRIES, (), (), 1)
    shared = case_runs.run_all(rules, rules, case_runs_rules.ENTRIES, (), (), 2)
    assert [run.rule for run in shared] == [each.id for each in rules]
    assert shared == alone
    assert sum(len(run.failed) for run in alone) == 20
    assert not case_runs._PREPARED
