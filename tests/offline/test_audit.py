"""Audits of special logs: empty, without prompts, with trials, with questions asked back; and of a long one."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from offline import synthetic
from offline.small_log import NOW, RULES, Log, policy
from pointsman.actions.report.demo_reports import demo_reports
from pointsman.offline.audit.outcome import Audit
from pointsman.offline.audit.run import audit
from pointsman.offline.review.report import review
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter


def run(folder: Path, since: float | None = None, **options: Any) -> Audit:
    reader = LogReader(folder)
    try:
        return audit(reader, since, now=NOW + 1e6, **options)
    finally:
        reader.close()


def test_an_empty_log(tmp_path: Path) -> None:
    LogWriter(tmp_path, "sealed", 1e9).close()
    found = run(tmp_path)
    assert (found.requests, found.rules, found.costs, found.near, found.known) == (0, (), {}, (), {})
    assert review(found).advice == ()


def test_a_period_without_requests(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "vpn broken")
    found = run(log.write(tmp_path / "log"), NOW + 10)
    assert (found.requests, found.known) == (0, {})


def test_without_prompts_what_cannot_be_told_is_not_told(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    for number in range(3):
        log.ask(f"a{number}", number * 10, "holiday", session="s")
        log.ask(f"b{number}", number * 10 + 5, "something for a model", session="s")
    log.said("a1", adopted=False)
    found = run(log.write(tmp_path / "log", prompts="off"))
    assert (found.requests, found.unread, found.sessions, found.sampled) == (6, 6, 0, 0)
    [holiday] = found.rules
    assert (holiday.hits, holiday.saved, holiday.untold) == (3, None, 3)
    assert [(moved.kind, moved.seconds) for moved in holiday.moved] == [("unknown", None)]
    assert (holiday.suspected.asked_again, holiday.suspected.feedback, holiday.suspected.of) == (0, 1, 1)
    assert found.costs["middle@middle"].samples == 3


def test_without_the_key_it_is_the_same(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "holiday")
    folder = log.write(tmp_path / "log")
    (folder / "log.key").unlink()
    assert run(folder).unread == 1


def test_no_model_request_in_the_log_leaves_seconds_unknown(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "holiday")
    [holiday] = run(log.write(tmp_path / "log")).rules
    assert [(moved.kind, moved.name, moved.seconds) for moved in holiday.moved] == [("target", "middle@middle", None)]
    assert holiday.saved is None


def test_a_target_without_requests_costs_what_all_do(tmp_path: Path) -> None:
    current = policy(tmp_path / "policy")
    log = Log(current)
    log.ask("a", 0, "holiday")
    log.ask("b", 1000, "prove it", seconds=4.0)  # steered to small; holiday would have gone to middle
    found = run(log.write(tmp_path / "log"))
    holiday = found.of("holiday")
    assert holiday is not None and holiday.saved == pytest.approx(4.0)


def test_what_another_target_took_first_is_not_this_ones(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "something for a model", seconds=3.0, waited=40.0)
    assert run(log.write(tmp_path / "log")).costs["middle@middle"].seconds(10) == pytest.approx(3.0)


def test_what_a_rule_in_shadow_would_take_is_no_near_miss(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "the vpn printer")
    log.ask("b", 0, "the vpn screen")
    found = run(log.write(tmp_path / "log"))
    assert [(miss.rule, miss.requests, miss.ids) for miss in found.near] == [("vpn_broken", 1, ("b",))]


def test_several_reasons_count_once_on_trial_too(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    for number in range(20):
        log.ask(f"a{number}", number * 1000.0, "what is for lunch", user=f"u{number}")
        log.ask(f"b{number}", number * 1000.0 + 9, "no, I meant supper", user=f"u{number}")
        log.said(f"a{number}", adopted=False)
    [trial] = run(log.write(tmp_path / "log")).trials
    people = (*trial.taken.people, *trial.left.people)
    assert len(people) == 20 and all(person[:3] == (1, 1, 0) for person in people)


def test_feedback_of_another_caller_says_nothing(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "holiday", caller="one")
    log.said("a", adopted=False)
    log.feedback = [(msgspec.structs.replace(feedback, caller="two"), at) for feedback, at in log.feedback]
    [holiday] = run(log.write(tmp_path / "log")).rules
    assert holiday.suspected.feedback == 0


def test_people_who_share_a_key_are_told_apart(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "holiday", caller="web", user="ann")
    log.ask("b", 5, "holiday", caller="web", user="bob")
    log.ask("c", 9, "when is my holiday", caller="web", user="ann", session="another")
    log.ask("d", 12, "a holiday in spain", caller="web", user="bob", earlier=("plan a trip",))
    found = run(log.write(tmp_path / "log"), traced="holiday")
    assert found.trace is not None and found.trace["asked_again"] == ["a"]


def test_a_question_asked_back_waits_for_an_answer(tmp_path: Path) -> None:
    """Asked for which period, a person writes the whole sentence again: that is an answer, no complaint."""
    export = "\n- {id: export, pattern: [导出, 报表], action: export_report}\n"
    document = policy(tmp_path / "policy", RULES + export).document
    log = Log(Policy(msgspec.structs.replace(document, reports=demo_reports())))
    asking = log.ask("a", 0, "导出销售报表", session="s")
    assert asking.decision is not None and asking.decision.clarification
    log.ask("b", 9, "导出上周的销售报表", session="s")
    log.ask("c", 19, "导出上周的销售报表", session="s")
    found = run(log.write(tmp_path / "log"), traced=asking.decision.rule)
    assert found.trace is not None and found.trace["asked_again"] == ["b"]


def test_a_trial_compares_people(tmp_path: Path) -> None:
    """Whom the rule counts for asks once; the others' model answers do not content them."""
    log = Log(policy(tmp_path / "policy"))
    taken: set[str] = set()
    for number in range(60):
        user = f"u{number}"
        for turn in range(3):
            at = number * 5000.0 + turn * 1000
            first = log.ask(f"a{number}.{turn}", at, f"what is for lunch {turn}", user=user, seconds=2.0)
            if first.decision is not None and first.decision.rule == "canteen":
                taken.add(user)
            elif turn < 2:
                log.ask(f"b{number}.{turn}", at + 20, f"no, I meant the {turn} th", user=user)
    assert 15 < len(taken) < 45
    found = run(log.write(tmp_path / "log"))
    [trial] = found.trials
    assert (trial.rule, trial.share) == ("canteen", 50)
    assert len(trial.taken.people) == len(taken) and trial.taken.requests == 3 * len(taken)
    assert trial.left.requests == 3 * (60 - len(taken))
    assert sum(person[1] for person in trial.left.people) == 2 * (60 - len(taken))
    assert sum(person[1] for person in trial.taken.people) == 0
    judged = review(found)
    [comparison] = judged.trials
    assert comparison.verdict == "better"
    assert comparison.seconds == pytest.approx(-2.0)
    assert [(each.rule, each.what) for each in judged.advice if each.rule == "canteen"] == [("canteen", "raise")]
    assert [each for each in found.shadows if each.rule == "canteen"] == []


def test_a_trial_counts_what_another_rule_took_instead(tmp_path: Path) -> None:
    more = """
- id: meals
  when: {any: [lunch, supper]}
  priority: 10
  negation: ignore
  answer: See the menu.
  examples: [supper]
  counter_examples: [meal]
  boundary: [{text: suppers, takes: false}]
- id: unborn
  when: {any: [supper]}
  mode: shadow
  share: 10
  priority: 60
  negation: ignore
  answer: x
  examples: [supper]
  counter_examples: [meal]
  boundary: [{text: suppers, takes: false}]
"""
    log = Log(policy(tmp_path / "policy", RULES + more))
    outside = 0
    for number in range(40):
        first = log.ask(f"a{number}", number * 1000.0, "lunch and supper", user=f"u{number}")
        assert first.decision is not None
        outside += first.decision.rule == "meals"
    found = run(log.write(tmp_path / "log"))
    [trial] = found.trials
    assert (trial.rule, trial.taken.requests, trial.left.requests) == ("canteen", 40 - outside, outside)
    assert 5 < outside < 35
    [shadow] = found.shadows  # in shadow altogether: no trial, whatever its share
    assert (shadow.rule, shadow.requests) == ("unborn", 40)
    assert shadow.from_whom == {"canteen": 40 - outside, "meals": outside}


def test_rules_of_several_policies(tmp_path: Path) -> None:
    first, second = policy(tmp_path / "one"), policy(tmp_path / "two", RULES.split("- id: holiday")[0])
    log = Log(first)
    log.ask("a", 0, "holiday")
    log.policy = second
    log.ask("b", 1000, "holiday")
    log.ask("c", 2000, "vpn broken")
    found = run(log.write(tmp_path / "log"))
    assert not found.known["holiday"].in_force and found.known["vpn_broken"].in_force
    assert (found.known["holiday"].last, found.known["vpn_broken"].last) == (NOW, NOW + 2000)
    holiday = found.of("holiday")
    assert holiday is not None and holiday.hits == 1
    assert {each.rule: each.rank for each in review(found).rules}["holiday"] is None


def test_a_policy_that_is_gone_from_the_log(tmp_path: Path) -> None:
    log = Log(policy(tmp_path / "policy"))
    log.ask("a", 0, "holiday")
    folder = log.write(tmp_path / "log")
    database = apsw.Connection(str(folder / NAME))
    database.execute("delete from policies")
    database.close()
    found = run(folder)
    assert (found.rules[0].untold, found.known, found.near) == (1, {}, ())


def long_log(folder: Path, count: int, distinct: int) -> None:
    current = synthetic.policy(folder, 60)
    synthetic.write(folder, current.document, synthetic.records(current, count, distinct, NOW, NOW + 86_400))


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    peaks = []
    for name, count in (("short", 3000), ("long", 12_000)):
        long_log(tmp_path / name, count, 500)
        tracemalloc.start()
        found = run(tmp_path / name, sampled=100)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.requests == count
    assert peaks[1] < 1.5 * peaks[0] + 2e6


@pytest.mark.slow
def test_a_hundred_thousand_requests_take_a_tenth_of_a_minute(tmp_path: Path) -> None:
    """1,000,000 take 40 s and 111 MB on the two cores of the development machine (docs/rule-life.md)."""
    long_log(tmp_path, 100_000, 30_000)
    began = time.process_time()
    found = run(tmp_path)
    assert found.requests == 100_000
    assert time.process_time() - began < 12
