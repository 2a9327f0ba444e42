"""Every number of an audit, computed again in another way over a log made by hand."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from offline import brute
from offline.small_log import NOW, Log, policy
from pointsman.offline.audit.outcome import Audit
from pointsman.offline.audit.run import audit
from pointsman.store.log_reader import LogReader


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 people, some of whom are not content."""
    log = Log(policy(tmp_path_factory.mktemp("policy")))
    for number in range(40):
        who = {"caller": f"key{number % 3}", "session": f"s{number}"}
        at = number * 1000.0
        log.ask(f"a{number:02}", at, f"vpn broken in room {number}", decided=0.1 + number / 100, **who)
        if number % 8 == 0:
            log.ask(f"b{number:02}", at + 30, f"the vpn is still slow in room {number}", seconds=2.0 + number, **who)
        if number % 10 == 1:
            log.ask(f"b{number:02}", at + 40, "no, I meant the door", seconds=1.5, **who)
        if number % 5 == 2:
            log.ask(f"t{number:02}", at + 500, f"please explain the tides {number}", seconds=3.0, waited=4.0, **who)
        if number % 9 == 4:
            log.said(f"a{number:02}", adopted=False)
        log.ask(f"c{number:02}", at + 700, f"write a poem about the sea {number} " * (1 + number), seconds=1 + number / 8,
                written=number * 3, **who)  # fmt: skip
        log.ask(f"d{number:02}", at + 720, f"prove it {number}", seconds=0.5, written=40, **who)
    for number in range(6):
        log.ask(f"e{number}", 50_000 + number * 700, "holiday", caller="lone")
    log.ask("f0", 60_000, "the salary", caller="lone")
    log.ask("g0", 61_000, "a printer and my password", caller="lone", seconds=7.0)
    log.ask("g1", 62_000, "a printer is broken", caller="lone")
    log.ask("h0", 63_000, "failing", caller="lone", seconds=99.0, outcome="failed")
    log.ask("h1", 64_000, "kept", caller="lone", seconds=99.0, cache="hit")
    log.said("e0", rating=1)
    log.said("e1", rating=3)
    log.said("e2", retried=True)
    log.said("e4", rating=2)
    return log.write(tmp_path_factory.mktemp("log"))


@pytest.fixture(scope="module")
def found(folder: Path) -> Audit:
    return run(folder)


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[brute.Row]:
    return brute.rows(folder)


def run(folder: Path, since: float | None = None, traced: str | None = None) -> Audit:
    reader = LogReader(folder)
    try:
        return audit(reader, since, now=NOW + 100_000, traced=traced)
    finally:
        reader.close()


COMPLAINTS = {"e0", "e2", "e4", *(f"a{number:02}" for number in range(40) if number % 9 == 4)}


def test_hits_shares_outcomes_and_times(found: Audit, rows: list[brute.Row]) -> None:
    taken = {row.rule for row in rows if row.rule}
    assert {each.rule for each in found.rules} == taken
    assert {"vpn_broken", "anything_broken", "holiday", "no_salary", "think"} <= taken
    assert (found.requests, found.reached, found.unread) == (len(rows), len(rows), 0)
    for each in found.rules:
        mine = [row for row in rows if row.rule == each.rule]
        decided = [row.row["decided_ms"] for row in mine]
        assert each.hits == len(mine)
        assert each.share == pytest.approx(len(mine) / len(rows))
        assert each.outcomes == {name: sum(row.row["outcome"] == name for row in mine) for name in each.outcomes}
        assert sum(each.outcomes.values()) == each.hits
        assert each.median_ms == brute.percentile(decided, 0.5)
        assert each.p95_ms == brute.percentile(decided, 0.95)


def test_where_requests_would_have_gone(found: Audit, rows: list[brute.Row]) -> None:
    for each in found.rules:
        counted = {(moved.kind, moved.name): moved.requests for moved in each.moved}
        assert counted == dict(brute.moved(rows, each.rule)), each.rule
    vpn = found.of("vpn_broken")
    assert vpn is not None
    assert [(moved.kind, moved.name) for moved in vpn.moved] == [("rule", "anything_broken")]
    assert vpn.saved == 0.0


def test_what_that_would_have_cost(found: Audit, rows: list[brute.Row]) -> None:
    """By the fitted lines, request by request; the fit itself is tested in test_cost."""
    cost = found.costs["middle@middle"]
    holidays = [row for row in rows if row.rule == "holiday"]
    expected = sum(cost.seconds(row.row["features"]["input_tokens"]) for row in holidays)
    holiday = found.of("holiday")
    assert holiday is not None and holiday.saved == pytest.approx(expected) and expected > 1
    think = found.of("think")
    assert think is not None
    spent = sum(row.seconds or 0 for row in rows if row.rule == "think")
    alone = sum(cost.seconds(row.row["features"]["input_tokens"]) for row in rows if row.rule == "think")
    assert spent == pytest.approx(40 * 0.5)
    assert think.saved == pytest.approx(alone - spent)


def test_samples_are_what_engines_did(found: Audit, rows: list[brute.Row]) -> None:
    """Neither failures nor kept replies; without what another target took first."""
    served = [row for row in rows if row.row["target"] == "middle@middle" and row.row["outcome"] == "ok"]
    served = [row for row in served if row.row["cache"] != "hit"]
    assert found.costs["middle@middle"].samples == len(served)
    assert max(row.seconds or 0 for row in served) < 50
    waited = next(row for row in rows if row.question == "please explain the tides 2")
    assert waited.seconds == pytest.approx(3.0)
    written = median(row.row["output_tokens"] for row in rows if row.row["target"] == "small@small")
    assert found.costs["small@small"].typical == written


def test_suspected_misjudgements(found: Audit, rows: list[brute.Row]) -> None:
    for rule in ("vpn_broken", "holiday"):
        each = found.of(rule)
        assert each is not None
        expected = brute.suspected(rows, rule, COMPLAINTS)
        assert each.suspected.asked_again == len(expected["asked_again"])
        assert each.suspected.said_so == len(expected["said_so"])
        assert each.suspected.feedback == len(expected["feedback"])
        assert each.suspected.any == len(set().union(*expected.values()))
        assert each.suspected.of == each.hits
    vpn, holiday = found.of("vpn_broken"), found.of("holiday")
    assert vpn is not None and (vpn.suspected.asked_again, vpn.suspected.said_so, vpn.suspected.feedback) == (5, 4, 4)
    assert vpn.suspected.any == 12  # a31 is in two of them
    assert holiday is not None and (holiday.suspected.asked_again, holiday.suspected.feedback) == (0, 3)


def test_shadow_and_marks(found: Audit) -> None:
    [shadow] = found.shadows
    assert (shadow.rule, shadow.requests) == ("quiet", 1)
    assert shadow.from_whom == {"middle@middle": 1}
    assert shadow.seconds == pytest.approx(7.0)
    assert found.marks == {"secretive": 1}


def test_the_ids_behind_every_number(folder: Path, found: Audit, rows: list[brute.Row]) -> None:
    for rule in ("vpn_broken", "holiday", "think"):
        each, trace = found.of(rule), run(folder, traced=rule).trace
        assert each is not None and trace is not None
        assert sorted(trace["hits"]) == sorted(row.id for row in rows if row.rule == rule)
        expected = brute.suspected(rows, rule, COMPLAINTS)
        for reason in ("asked_again", "said_so", "feedback"):
            assert set(trace.get(reason, ())) == expected[reason]
        assert len(trace.get("suspected", ())) == len(set(trace.get("suspected", ()))) == each.suspected.any
        for moved in each.moved:
            assert len(trace[f"without it: {moved.kind} {moved.name}"]) == moved.requests
        for outcome, count in each.outcomes.items():
            assert len(trace[f"outcome {outcome}"]) == count
    trace = run(folder, traced="quiet").trace
    assert trace is not None and trace["shadow"] == ["g0"]


def test_only_the_period(folder: Path) -> None:
    found = run(folder, since=NOW + 49_000)
    rows = brute.rows(folder, NOW + 49_000)
    assert found.requests == len(rows) == 11
    holiday = found.of("holiday")
    assert holiday is not None and holiday.hits == 6 and holiday.suspected.feedback == 3
    assert found.of("vpn_broken") is None


def test_what_rules_are_known(found: Audit) -> None:
    names = "vpn_broken anything_broken holiday never no_salary think quiet seen canteen"
    assert " ".join(found.known) == names
    assert {known.kind for known in found.known.values()} == {"answer", "refuse", "route", "mark"}
    assert all(known.in_force and known.first == NOW for known in found.known.values())
