"""Two processes on one port: both serve, and what they count, read and remember is one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from pointsman.actions.report.runner import REPORT
from pointsman.app.build import _not_here
from pointsman.config.schema import Config, Server
from pointsman.domain.said import in_zh
from running import Process, process
from workers.conftest import RULES, write
from workers.lines import Line, figure, one_to_each, until, workers

Start = Callable[..., Process]
REPORTS: dict[str, Any] = {
    "server": {"timezone": "UTC"},
    "rules": {"packs": ["builtin:report-export"], "files": ["rules.yaml"]},
    "fallback": {"max_retries": 0},
    "sources": {"demo": {"demo": True}},
}


def test_both_serve_and_one_greeting_is_said(started: Start) -> None:
    gateway = started()
    first, second = one_to_each(gateway)
    replies = [line.say("hello") for line in (first, second)]
    assert [reply.text for reply in replies] == ["one", "one"]
    assert replies[0].headers["x-pointsman-policy"] == replies[1].headers["x-pointsman-policy"]
    assert sum("Pointsman" in line and " on http://" in line for line in gateway.lines) == 1
    assert sum("explain" in line for line in gateway.lines) == 1
    assert sum(f"the console: {gateway.base}/ui" in line for line in gateway.lines) == 1


def test_connections_are_spread_evenly(started: Start) -> None:
    gateway = started()
    lines = [Line(gateway) for _ in range(12)]
    assert len({line.pid for line in lines}) == 2
    for line in lines:
        line.close()


def test_one_worker_is_one_process(tmp_path: Path) -> None:
    write(tmp_path, RULES)
    with process(
        ["-c", str(tmp_path / "pointsman.yaml"), "--port", "0", "--data-dir", str(tmp_path / "data")]
    ) as alone:
        assert psutil.Process(alone.pid).children(recursive=True) == []
    program = "import sys, pointsman.cli.serve; print([name for name in sys.modules if '.workers' in name])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_each_shows_what_all_have_counted(started: Start, tmp_path: Path) -> None:
    gateway = started()
    lines = one_to_each(gateway)
    for count, line in enumerate(lines, 3):
        for _ in range(count):
            line.say("hello")
    for line in lines:
        assert figure(line, "pointsman_requests_total", stage="l0", outcome="ok") == 7
        assert figure(line, "pointsman_rule_hits_total", rule="hello") == 7
        assert figure(line, "pointsman_decision_seconds_count") == 7
    gateway.stop()
    listed = subprocess.run(
        [sys.executable, "-m", "pointsman", "log", "--data-dir", str(tmp_path / "data"), "--json"],
        capture_output=True,
        text=True,
    )
    assert len({json.loads(line)["id"] for line in listed.stdout.splitlines()}) == 7, listed.stderr


@pytest.mark.parametrize("how", ["request", "signal"])
def test_a_reload_is_taken_up_by_all_before_it_is_answered(started: Start, tmp_path: Path, how: str) -> None:
    gateway = started()
    lines = one_to_each(gateway)
    before = lines[0].say("hello").headers["x-pointsman-policy"]
    write(tmp_path, RULES.replace("one", "two"), entries={"auto": {}, "fresh": {}})
    if how == "request":
        reply = lines[0].post("/admin/reload")
        assert reply.status == 200, reply.body
        done = reply.json
        assert done["before"] == before != done["policy"]
    else:
        gateway.signal(1)
        after = gateway.wait_for(r"reloaded: policy \w+ → (\w+)").group(1)
        done = {"policy": after}
    for line in lines:
        reply = line.say("hello")
        assert reply.text == "two" and reply.headers["x-pointsman-policy"] == done["policy"]
        assert line.get("/v1/models/fresh").status == 200
        assert line.get("/ready").json["policy"] == done["policy"]
        assert figure(line, "pointsman_reloads_total", outcome="ok") == 1
    assert len(workers(gateway)) == 2
    assert sum("reloaded: policy" in line for line in gateway.lines) == 1


def test_a_reload_says_what_counts_from_the_next_start_on(started: Start, tmp_path: Path) -> None:
    gateway = started()
    (tmp_path / "pointsman.yaml").write_text("rules: {packs: []}\nlog: {keep: 1d}\n")
    [line] = one_to_each(gateway)[:1]
    line.http.request("POST", "/admin/reload", headers={"accept-language": "zh"})
    notes = json.loads(line.http.getresponse().read())["notes"]
    assert "log.keep 已修改，下次启动时生效" in notes


def test_a_refused_reload_leaves_all_as_they_were(started: Start, tmp_path: Path) -> None:
    gateway = started()
    lines = one_to_each(gateway)
    before = lines[0].say("hello").headers["x-pointsman-policy"]
    write(tmp_path, RULES, fallbak={})
    reply = lines[1].post("/admin/reload")
    assert reply.status == 400 and reply.json["error"]["code"] == "bad_config"
    assert "fallbak" in reply.json["error"]["message"] and "fallback" in reply.json["error"]["message"]
    psutil.Process(lines[0].pid).kill()
    until(lambda: lines[0].pid not in workers(gateway) and len(workers(gateway)) == 2)
    for line in one_to_each(gateway):  # also one that was not there when it was refused
        state = line.get("/ready").json
        assert state["policy"] == before
        assert any("fallbak" in problem for problem in state["problems"])
        assert line.say("hello").headers["x-pointsman-policy"] == before
        assert figure(line, "pointsman_reloads_total", outcome="refused") == 1
    write(tmp_path, RULES)
    assert one_to_each(gateway)[0].post("/admin/reload").status == 200
    for line in one_to_each(gateway):
        assert not any("reload" in problem for problem in line.get("/ready").json["problems"])


def test_a_question_asked_by_one_is_answered_at_another_and_then_closed(started: Start) -> None:
    gateway = started(**REPORTS)
    first, second = one_to_each(gateway)
    for number, (asking, answering) in enumerate([(first, second), (second, first)] * 40):
        session = f"s{number}"
        assert "1. 华东" in asking.say("导出华西区销售汇总", session=session).text
        assert "3. 上月" in answering.say("华东", session=session).text
        assert asking.say("hello", session=session).text == "one"
        assert answering.say("上月", session=session).status >= 500, "nothing is asked any more, and no model answers"
    first.say("导出华西区销售汇总", session="s")
    second.say("华东", session="s")
    assert "/files/" in first.say("上月", session="s").text


def test_a_question_outlives_the_worker_that_asked_it(started: Start) -> None:
    gateway = started(**REPORTS)
    first, second = one_to_each(gateway)
    first.say("导出上月华西区销售汇总", session="s")
    for line in (first, second):
        psutil.Process(line.pid).kill()
        until(lambda line=line: line.pid not in workers(gateway) and len(workers(gateway)) == 2)
    assert "/files/" in Line(gateway).say("华东", session="s").text


def test_at_most_so_many_reports_at_a_time_over_all_workers(started: Start) -> None:
    gateway = started(**REPORTS, files={"concurrency": 1})
    first, second = one_to_each(gateway)
    made: list[str] = []
    asking = threading.Thread(target=lambda: made.append(say_or_nothing(first)))
    asking.start()
    child = until(lambda: next(filter(makes_a_report, psutil.Process(first.pid).children()), None))
    child.suspend()  # for as long as the test likes
    assert child.net_connections("inet") == [], "the socket that workers share is none of its business"
    waiting = threading.Thread(target=lambda: made.append(say_or_nothing(second)))
    waiting.start()
    try:
        for _ in range(20):
            assert psutil.Process(second.pid).children() == []
            figure(Line(gateway), "pointsman_requests_total")
        psutil.Process(first.pid).kill()  # what it held is free
        waiting.join(60)
        assert len(made) == 2 and "" in made and any("/files/" in text for text in made)
    finally:
        child.resume()  # it sees that its worker is gone
        asking.join(60)


def makes_a_report(child: psutil.Process) -> bool:
    """Before its exec it still is its worker in all but number, which waits for it: suspended then, both stand."""
    return REPORT.function in child.cmdline()


def say_or_nothing(line: Line) -> str:
    try:
        return line.say("把上周五销售报表导出为CSV").text
    except (ConnectionError, OSError, ValueError):
        return ""


def test_windows_has_one_worker() -> None:
    [problem] = _not_here(Config(server=Server(workers=2)), "nt")
    assert problem.path == "server.workers" and "Windows" in problem.message and "Windows" in in_zh(problem.message)
    assert list(_not_here(Config(), "nt")) == list(_not_here(Config(server=Server(workers=2)), "posix")) == []


def test_the_number_of_workers_is_checked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pointsman", "serve", "--workers", "65", "--data-dir", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and re.search(r"command line: --workers: .*64", done.stderr), done.stderr
