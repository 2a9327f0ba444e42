"""`pointsman rules ls` and `rules review`: what is in force, what it is worth, in both languages, and the ids behind it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cli.invoke import Shell
from offline.small_log import CONFIG, NOW, RULES, Log, policy

BARE = "- {id: gone, when: {any: [oldtimer]}, answer: x, examples: [oldtimer], counter_examples: [x], boundary: [{text: oldtimers, takes: false}]}\n"  # fmt: skip  # noqa: E501
OWNED = (
    "- {id: owned, when: {any: [flute]}, answer: x, owner: Ann, since: 2026-01-02, priority: 70, examples: [flute], "
    "counter_examples: [x], boundary: [{text: flutes, takes: false}]}\n"
)


@pytest.fixture
def logged(shell: Shell, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A week and a half of requests; since then the rule `gone` was removed and `owned` came."""
    log = Log(policy(tmp_path_factory.mktemp("policy"), RULES + BARE))
    for number in range(60):
        at = number * 15_000.0
        log.ask(f"v{number:02}", at, f"holiday of team {number}", session=f"s{number}")
        if number % 3 == 0:
            log.ask(f"w{number:02}", at + 30, f"no, I meant the team {number}", session=f"s{number}", seconds=2.0)
        log.ask(f"m{number:02}", at + 60, "what is a printer for", session=f"s{number}", seconds=3.0)
        log.ask(f"x{number:02}", at + 9000, "is the vpn on", session=f"t{number}")
    log.ask("g", 895_000, "oldtimer", caller="x")
    log.write(shell.folder / "data")
    monkeypatch.setattr(time, "time", lambda: NOW + 900_000)
    shell.write("rules.yaml", RULES + OWNED)
    config = {**CONFIG, "server": {"data_dir": str(shell.folder / "data")}}
    shell.write("pointsman.yaml", _yaml(config))
    return shell


def _yaml(config: dict[str, object]) -> str:
    import yaml

    return str(yaml.safe_dump(config, allow_unicode=True, sort_keys=False))


class TestLs:
    def test_what_is_in_force(self, logged: Shell) -> None:
        done = logged.run("rules", "ls", "--rule", "owned")
        assert (done.code, done.err) == (0, "")
        head, row = done.out.splitlines()
        assert head.split() == ["rule", "pack", "priority", "mode", "action", "owner", "since", "cases"]
        assert row.split() == ["owned", "rules", "70", "enforce", "answer", "Ann", "2026-01-02", "3"]
        listed = logged.run("rules", "ls", "--json").json["rules"]
        assert listed[0]["priority"] >= listed[-1]["priority"]
        canteen = next(rule for rule in listed if rule["id"] == "canteen")
        assert (canteen["share"], canteen["cases"]) == (50, 3)
        assert "canteen" in logged.run("rules", "ls").out and "50%" in logged.run("rules", "ls").out

    def test_it_needs_no_log(self, logged: Shell) -> None:
        assert logged.run("rules", "ls", "--data-dir", "nowhere").code == 0
        done = logged.run("rules", "ls", "--stats", "--data-dir", "nowhere")
        assert (done.code, done.out) == (1, "")
        assert "there is no log" in done.err

    def test_stats(self, logged: Shell) -> None:
        data = logged.run("rules", "ls", "--stats", "--json").json
        assert data["requests"] == data["reached_rules"] == 201
        stats = {rule["id"]: rule["stats"] for rule in data["rules"]}
        assert (stats["holiday"]["hits"], stats["holiday"]["suspected"]["said_so"]) == (60, 20)
        assert stats["holiday"]["gpu_seconds_saved"] > 60
        assert (stats["gone"]["hits"], stats["owned"]["hits"]) == (1, 0)
        quiet = next(rule for rule in data["rules"] if rule["id"] == "quiet")
        assert quiet["shadow"]["requests"] == 60 and quiet["shadow"]["seconds"] == pytest.approx(180)
        [near] = [miss for miss in data["near"]["rules"] if miss["rule"] == "vpn_broken"]
        assert (near["group"], near["requests"], near["texts"]) == ("how", 60, ["is the vpn on"])

    def test_stats_for_people_in_both_languages(self, logged: Shell) -> None:
        en = logged.run("rules", "ls", "--stats", "--language", "en").out
        zh = logged.run("rules", "ls", "--stats", "--language", "zh").out
        assert "201 requests in the last 30d" in en and "最近 30d 共 201 个请求" in zh
        assert "GPU s saved" in en and "省下 GPU 秒" in zh
        for out in (en, zh):
            assert "20 (33.3%)" in out and "is the vpn on" in out
        assert "vpn_broken lacks how: 60 requests" in en and "vpn_broken 缺 how：60 个请求" in zh
        assert "(not in the config)" in en and "（不在配置里）" in zh

    def test_only_one_and_none(self, logged: Shell) -> None:
        assert [rule["id"] for rule in logged.run("rules", "ls", "--json", "--rule", "never").json["rules"]] == [
            "never"
        ]
        assert logged.run("rules", "ls", "--stats", "--rule", "gone").code == 0
        done = logged.run("rules", "ls", "--rule", "nothing")
        assert (done.code, done.out) == (1, "") and "'nothing'" in done.err

    def test_only_the_period(self, logged: Shell) -> None:
        data = logged.run("rules", "ls", "--stats", "--json", "--since", "2h").json
        assert data["requests"] == 2

    def test_a_broken_rule(self, logged: Shell) -> None:
        logged.write("rules.yaml", "- {id: x}")
        assert logged.run("rules", "ls").code == 1


class TestIds:
    def test_the_requests_behind_each_number(self, logged: Shell) -> None:
        ids = logged.run("rules", "ls", "--stats", "--rule", "holiday", "--ids", "--json").json["ids"]
        assert len(ids["hits"]) == 60 and ids["said_so"] == [f"v{number:02}" for number in range(0, 60, 3)]
        assert ids["without it: target middle@middle"] == ids["hits"]
        out = logged.run("rules", "review", "--rule", "vpn_broken", "--ids").out
        assert out.startswith("near: how (60)\n  x00\n")

    def test_of_nothing(self, logged: Shell) -> None:
        done = logged.run("rules", "review", "--rule", "nothing", "--ids")
        assert (done.code, done.out) == (1, "") and "'nothing'" in done.err


class TestReview:
    def test_as_json(self, logged: Shell) -> None:
        data = logged.run("rules", "review", "--json", "--price", "10").json
        rules = {rule["id"]: rule for rule in data["rules"]}
        holiday = rules["holiday"]
        assert holiday["value"] == pytest.approx(holiday["gpu_seconds_saved"] - 200)
        assert holiday["doubted"] and data["doubted"] == ["holiday"]
        low, high = holiday["suspected_interval"]
        assert 0.2 < low < 1 / 3 < high < 0.5
        assert [(moved["kind"], moved["name"], moved["requests"]) for moved in holiday["without_it"]] == [
            ("target", "middle@middle", 60)
        ]
        assert rules["no_salary"]["rank"] is None
        ranked = [rule["id"] for rule in data["rules"] if rule["rank"]]
        assert len(ranked) == 7 and data["bottom"] == ranked[-2:]  # 15 % of seven, rounded up
        assert ranked[-1] == "holiday"
        advice = {each["rule"]: each["what"] for each in data["advice"]}
        assert advice["holiday"] == "narrow" and advice["never"] == "drop" and advice["quiet"] == "raise"
        assert data["value"]["price"] == 10

    def test_for_people_in_both_languages(self, logged: Shell) -> None:
        en = logged.run("rules", "review", "--language", "en").out
        zh = logged.run("rules", "review", "--language", "zh").out
        assert "value = GPU seconds saved − 60 × (suspected misjudgements + 0.1 × abandoned)" in en
        assert "价值 = 省下的 GPU 秒 − 60 ×（疑似误判 + 0.1 × 放弃）" in zh
        assert "Without each rule, its requests would have gone:\n" in en and "没有这条规则，它的请求会去：\n" in zh
        assert "holiday: 60 → middle@middle (" in en and "60 → middle@middle（" in zh
        assert "narrow holiday: 20 of 60 are suspected misjudgements, 22." in en
        assert "收窄 holiday：60 个里有 20 个疑似误判，至少 22." in zh
        assert "holiday of team 0 → no, I meant the team 0  v00" in en
        assert "{" not in en + zh

    def test_one_rule(self, logged: Shell) -> None:
        data = logged.run("rules", "review", "--json", "--rule", "quiet").json
        assert data["rules"] == [] and [each["rule"] for each in data["shadow"]] == ["quiet"]
        assert logged.run("rules", "review", "--rule", "nothing").code == 1

    def test_without_prompts_it_says_what_cannot_be_told(
        self, shell: Shell, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = Log(policy(tmp_path_factory.mktemp("policy")))
        log.ask("a", 0, "holiday")
        log.write(shell.folder / "data", prompts="off")
        monkeypatch.setattr(time, "time", lambda: NOW + 100)
        en = shell.run("rules", "review", "--data-dir", "data", "--language", "en").out
        zh = shell.run("rules", "review", "--data-dir", "data", "--language", "zh").out
        assert "of 1 the prompt was not kept" in en and "其中 1 个没有保存提示词" in zh
        assert "GPU seconds are unknown" in en and "GPU 秒数未知" in zh
        assert "holiday: 1 unknown" in en and "holiday: 1 个未知" in zh


@pytest.mark.parametrize(
    "arguments",
    [
        ("rules",),
        ("rules", "fly"),
        ("rules", "ls", "--since", "yesterday"),
        ("rules", "review", "--since", "5"),
        ("rules", "ls", "--ids"),
        ("rules", "review", "--price", "-1"),
        ("rules", "review", "--price", "nan"),
        ("rules", "ls", "--nope"),
    ],
)
def test_usage(logged: Shell, arguments: tuple[str, ...]) -> None:
    done = logged.run(*arguments)
    assert (done.code, done.out) == (2, "") and done.err


def test_help_tells_verbs_and_flags(shell: Shell) -> None:
    done = shell.run("rules", "--help")
    for verb in ("ls", "review", "mine", "gaps"):
        assert f"    {verb} " in done.out
    for verb, flags in {"ls": ("--stats", "--since", "--ids", "--rule"), "review": ("--price", "--json")}.items():
        told = shell.run("rules", verb, "--help")
        assert told.code == 0 and all(flag in told.out for flag in flags)


def test_a_log_that_is_none(shell: Shell, tmp_path: Path) -> None:
    shell.write("data/log.sqlite", b"garbage")
    done = shell.run("rules", "review", "--data-dir", "data")
    assert (done.code, done.out) == (1, "") and "the log cannot be read" in done.err
