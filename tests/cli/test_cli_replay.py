"""`pointsman replay`: what it prints, and when it fails."""

from __future__ import annotations

import json
import time

import pytest
import yaml

from cli.invoke import Shell
from offline.replay import scored_log
from offline.replay.scored_log import CONFIG, RULES, policy, write

NEW_RULE = """
- id: capital
  when: {any: [capital]}
  negation: ignore
  answer: Look it up.
  examples: [the capital]
  counter_examples: [the city]
  boundary: [{text: capitals, takes: false}]
"""
GREEDY = """
- id: greedy
  when: {any: [my holiday]}
  negation: ignore
  priority: 90
  answer: Ask your boss.
  examples: [my holiday]
  counter_examples: [a holiday]
  boundary: [{text: my holidays, takes: false}]
"""


@pytest.fixture
def house(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A config and a log of the last minutes, in the folder where the shell is."""
    monkeypatch.setattr(scored_log, "NOW", time.time() - 300)
    write(shell.folder / "data", policy(shell.folder), 60)
    return shell


def against(shell: Shell, rules: str = RULES, **changes: object) -> str:
    shell.write("new/rules.yaml", rules)
    shell.write("new/pointsman.yaml", yaml.safe_dump({**CONFIG, **changes}, sort_keys=False))
    return "new/pointsman.yaml"


def test_nothing_moves_under_the_same_config(house: Shell) -> None:
    done = house.run("replay", "--against", against(house), "--data-dir", "data", "--max-moved", "0", "--verify")
    assert done.code == 0, done.err
    assert done.out.startswith("60 requests, 60 of them decided again: 0 move (0.00%)\n")
    assert "60 were decided by their own policy too and came out as logged, bit for bit" in done.out
    assert "all are kept" in done.out


def test_a_new_rule_moves_some_and_limits_say_so(house: Shell) -> None:
    file = against(house, RULES + NEW_RULE)
    done = house.run("replay", "--against", file, "--data-dir", "data", "--max-moved", "50%", "--max-gpu", "1%")
    assert done.code == 0, done.out
    assert "rule capital" in done.out and "rule capital added" in done.out
    assert "What is the capital" not in done.out and "what is the capital" not in done.out
    over = house.run("replay", "--against", file, "--data-dir", "data", "--max-moved", "1", "--max-unreadable", "0")
    assert over.code == 1
    assert "--max-moved: " in over.out and "--max-unreadable" not in over.out
    shown = house.run("replay", "--against", file, "--data-dir", "data", "--text", "--samples", "1")
    assert "what is the capital of France" in shown.out


def test_a_rule_that_may_lose_nothing(house: Shell) -> None:
    file = against(house, RULES + GREEDY)
    done = house.run("replay", "--against", file, "--data-dir", "data", "--max-stolen", "holiday")
    assert done.code == 1
    assert "--max-stolen holiday: " in done.out
    assert house.run("replay", "--against", file, "--data-dir", "data", "--max-stolen", "holiday=100%").code == 0
    wrong = house.run("replay", "--against", file, "--data-dir", "data", "--max-stolen", "holyday")
    assert (wrong.code, wrong.out) == (2, "")
    assert "holiday" in wrong.err


def test_json_and_markdown(house: Shell) -> None:
    file = against(house, RULES + NEW_RULE)
    told = house.run("replay", "--against", file, "--data-dir", "data", "--json", "--max-moved", "0").json
    assert told["moved"] == sum(move["requests"] for move in told["moves"]) > 0
    assert told["differences"] == [{"kind": "rule", "name": "capital", "how": "added"}]
    assert told["moves"][0]["cause"]["text"] == "rule capital added"
    assert [each["option"] for each in told["passed"]] == ["--max-moved"]
    assert told["forecast"]["gpu_seconds"]["after"] < told["forecast"]["gpu_seconds"]["before"]
    page = house.run("replay", "--against", file, "--data-dir", "data", "--markdown").out
    assert "### What moves\n" in page and "| requests | share | from | to | what | because of |" in page
    assert page.count("\n| --: | --: | --- | --- | --- | --- |\n") == 1


def test_chinese_says_the_same(house: Shell) -> None:
    file = against(house, RULES + NEW_RULE)
    en, zh = (
        house.run("replay", "--against", file, "--data-dir", "data", "--max-moved", "0", "--language", tongue).out
        for tongue in ("en", "zh")
    )
    assert len(en.splitlines()) == len(zh.splitlines())
    assert "规则 capital 新增" in zh and "超出的限值" in zh and "去向不同" in zh


def test_only_other_rules_or_another_classifier(house: Shell) -> None:
    rules = house.write("more.yaml", RULES + NEW_RULE)
    done = house.run("replay", "--against-rules", str(rules), "--data-dir", "data", "--json")
    assert done.code == 0, done.err
    assert done.json["differences"] != [] and done.json["moved"] > 0
    wrong = house.run("replay", "--against-classifier", "none.bin", "--data-dir", "data")
    assert wrong.code == 2 and "none.bin" in wrong.err


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("--since", "soon"), "30m, 12h, 7d"),
            (("--max-moved", "few"), "--max-moved"),
            (("--max-gpu", "3"), "0.5%"),
            (("--samples", "-1"), "--samples"),
        ],
    )
    def test_mistakes(self, house: Shell, arguments: tuple[str, ...], told: str) -> None:
        done = house.run("replay", "--against", against(house), "--data-dir", "data", *arguments)
        assert (done.code, done.out) == (2, "")
        assert told in done.err

    def test_against_nothing(self, house: Shell) -> None:
        done = house.run("replay", "--data-dir", "data")
        assert done.code == 2 and "--against FILE" in done.err

    def test_a_config_that_does_not_load_says_what_config_says(self, house: Shell) -> None:
        house.write("bad.yaml", "entries: {auto: {polixy: x}}\n")
        done = house.run("replay", "--against", "bad.yaml", "--data-dir", "data")
        assert done.code == 2 and "bad.yaml:1" in done.err and "polixy" in done.err

    def test_no_log_yet(self, house: Shell) -> None:
        done = house.run("replay", "--against", against(house), "--data-dir", "empty")
        assert done.code == 2 and "there is no log" in done.err

    def test_a_file_that_is_no_log(self, house: Shell) -> None:
        house.write("other/log.sqlite", b"not a database" * 100)
        done = house.run("replay", "--against", against(house), "--data-dir", "other")
        assert done.code == 2 and "Traceback" not in done.err and "log" in done.err


class TestPeriods:
    def test_longer_than_the_log(self, house: Shell) -> None:
        done = house.run("replay", "--against", against(house), "--data-dir", "data", "--since", "9d")
        assert "the log begins later than that: it holds 0.0 days of the last 9d" in done.out

    def test_an_empty_period_keeps_no_limit(self, house: Shell) -> None:
        file = against(house)
        done = house.run("replay", "--against", file, "--data-dir", "data", "--since", "1s")
        assert (done.code, done.out) == (0, "the log of this period is empty\n")
        assert (
            house.run("replay", "--against", file, "--data-dir", "data", "--since", "1s", "--max-moved", "9%").code == 1
        )

    def test_a_clock_that_ran_backwards(self, house: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        then = time.time() - 86_400
        monkeypatch.setattr(time, "time", lambda: then)
        done = house.run("replay", "--against", against(house), "--data-dir", "data")
        assert done.code == 0
        assert "60 are stamped later than now" in done.out


def test_without_prompts_it_says_so(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scored_log, "NOW", time.time() - 300)
    write(shell.folder / "data", policy(shell.folder), 40, prompts="off")
    done = shell.run("replay", "--against", against(shell, RULES + NEW_RULE), "--data-dir", "data", "--json")
    assert done.json["unread"] == {"off": 40} and done.json["unreadable_share"] == 1.0
    told = shell.run("replay", "--against", against(shell, RULES + NEW_RULE), "--data-dir", "data")
    assert "40: the prompt was not kept (log.prompts: off)" in told.out
    assert json.dumps(done.json["forecast"]["mean_seconds"]["after"]) == "0.0"


def test_other_weights_are_told_in_both_languages(house: Shell) -> None:
    house.write("pointsman.yaml", yaml.safe_dump(CONFIG, sort_keys=False))
    house.write("rules.yaml", RULES)
    house.write("weights.yaml", "good: {cost: 1}\n")
    done = house.run("replay", "--against-weights", "weights.yaml", "--data-dir", "data", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["moved"] > 0 and {part["kind"] for part in told["differences"]} == {"weights"}
    assert told["report"][0]["lines"][0]["en"].startswith("60 requests")
    assert told["report"][0]["lines"][0]["zh"].startswith("60 个请求")
    house.write("weights.yaml", "[1]")
    wrong = house.run("replay", "--against-weights", "weights.yaml", "--data-dir", "data")
    assert wrong.code == 2 and "mapping" in wrong.err
