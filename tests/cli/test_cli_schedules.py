"""`pointsman schedules`, and what `check` and `jobs` say of schedules."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from cli.invoke import Shell
from running import process

CONFIG = """\
server: {timezone: Asia/Shanghai, data_dir: data, port: 0}
rules: {packs: [builtin:report-export]}
sources: {demo: {demo: true}}
models: {light: {backends: [{engine: openai, model: m, base_url: "http://127.0.0.1:9/v1"}]}}
jobs: {poll: 0.1}
delivery:
  finance: {mail: {host: 127.0.0.1, port: 9, tls: "off", from: r@example.com, to: [f@example.com]}}
schedules:
  weekly: {cron: "0 8 * * 1", ask: 把上周销售报表导出为PDF, deliver: [finance]}
  monthly: {cron: "30 7 1 * *", ask: "export last month's sales by region as Excel", enabled: false}
"""


@pytest.fixture
def house(shell: Shell) -> Shell:
    shell.write("pointsman.yaml", CONFIG)
    return shell


def test_ls(house: Shell) -> None:
    done = house.run("schedules", "ls")
    head, weekly, monthly = done.out.splitlines()
    assert done.code == 0 and head.split()[:3] == ["name", "cron", "next"]
    assert "08:00 Asia/Shanghai" in weekly and "把上周销售报表导出为PDF" in weekly and weekly.endswith("finance")
    assert "switched off" in monthly
    assert "下一次" in house.run("schedules", "ls", "--language", "zh").out
    first, second = (json.loads(line) for line in house.run("schedules", "ls", "--json").out.splitlines())
    assert (first["name"], first["timezone"], len(first["next"])) == ("weekly", "Asia/Shanghai", 1)
    assert second["next"] == [] and second["enabled"] is False


def test_ls_of_none(house: Shell) -> None:
    house.write("pointsman.yaml", CONFIG.partition("schedules:")[0])
    assert "docs/schedules.md" in house.run("schedules", "ls").out
    assert "docs/schedules.zh-CN.md" in house.run("schedules", "ls", "--language", "zh").out


def test_show(house: Shell) -> None:
    done = house.run("schedules", "show", "weekly")
    assert done.code == 0 and done.out.count("08:00 Asia/Shanghai") == 5
    assert "report_export → report" in done.out and "Sales report" in done.out
    assert "销售报表" in house.run("schedules", "show", "weekly", "--language", "zh").out
    seen = json.loads(house.run("schedules", "show", "weekly", "--json").out)
    assert len(seen["next"]) == 5 and seen["decision"]["parameters"]["plan"]["report"] == "sales" and seen["jobs"] == []


def test_one_that_is_not_there(house: Shell) -> None:
    done = house.run("schedules", "show", "wekly")
    assert done.code == 1 and 'did you mean "weekly"' in done.err and "weekly, monthly" in done.err


def test_check_says_what_comes_of_each(house: Shell) -> None:
    out = house.run("check").out
    assert "schedule weekly: " in out and "understood as Sales report" in out and "→ finance" in out
    assert "计划任务 monthly：已停用" in house.run("check", "--language", "zh").out
    assert [one["name"] for one in json.loads(house.run("check", "--json").out)["schedules"]] == ["weekly", "monthly"]
    house.write("pointsman.yaml", CONFIG.replace("把上周销售报表导出为PDF", "讲个故事"))
    done = house.run("check", "--language", "zh")
    assert done.code == 1 and "schedules.weekly.ask" in done.err and "会交给模型" in done.err


@pytest.fixture
def serving(house: Shell) -> Iterator[Shell]:
    with process(["-c", "pointsman.yaml", "--port", "0"]):
        yield house


def test_run(serving: Shell) -> None:
    """Beside a gateway, as at a time of its past."""
    done = serving.run("schedules", "run", "weekly", "--at", "2026-11-30T08:00")
    assert done.code == 0, done.err
    assert "2026-11-23 – 2026-11-29" in done.out and "handed over for delivery: delivery_" in done.out
    again = serving.run("schedules", "run", "weekly", "--at", "2026-11-30T08:00:00+08:00", "--json")
    job = json.loads(again.out)
    assert job["id"] in done.out and job["schedule"] == {"name": "weekly", "time": "2026-11-30T00:00:00Z"}
    listed = serving.run("jobs", "ls", "--kind", "request").out
    assert "schedule" in listed.splitlines()[0] and "weekly" in listed.splitlines()[1]
    shown = serving.run("jobs", "show", job["id"]).out
    assert "weekly (2026-11-30T00:00:00Z)" in shown and "handed over for delivery" in shown
    [delivery] = [
        json.loads(line) for line in serving.run("jobs", "ls", "--kind", "delivery", "--json").out.splitlines()
    ]
    assert "→ finance" in serving.run("jobs", "show", delivery["id"]).out
    assert job["id"] in serving.run("schedules", "show", "weekly").out
    bad = serving.run("schedules", "run", "weekly", "--at", "monday")
    assert bad.code == 2 and "2026-11-30T08:00" in bad.err
    unfollowed = serving.run("schedules", "run", "monthly", "--no-wait", "--language", "zh")
    assert unfollowed.code == 0 and "任务 job_" in unfollowed.out
