"""The exposition is what Prometheus reads, and counts what happened."""

from __future__ import annotations

from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from pipeline.policies import ask, up
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, Mark
from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Snapshot
from pointsman.telemetry.metrics import Metrics
from telemetry.shown import text

DOCUMENT = PolicyDocument("0", (), {}, (EntryRule("auto"),), (), (), (), None, 2)


def record(stage: Any = "l0", outcome: Any = "ok", **changes: Any) -> Record:
    rule = changes.pop("rule", "vpn" if stage == "l0" else None)
    return Record(ask("hi"), 1e9, outcome, Decision(stage, "because", rule), **changes)


def figures(metrics: Metrics, snapshot: Snapshot | None = None, dropped: int = 0) -> dict[tuple[str, ...], float]:
    shown = text(metrics, snapshot or Snapshot.of([]), dropped).decode()
    return {
        (sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(shown)
        for sample in family.samples
    }


def count(*records: Record) -> dict[tuple[str, ...], float]:
    metrics = Metrics()
    for one in records:
        metrics.put(one, DOCUMENT, Snapshot.of([]))
    return figures(metrics)


def test_nothing_happened() -> None:
    assert not any(name[0].startswith("pointsman_requests_total") for name in count())


def test_requests_by_endpoint_stage_and_outcome() -> None:
    found = count(record(), record(), record("model"), record("model", "failed"), Record(ask("x"), 1e9, "failed"))
    assert found["pointsman_requests_total", "endpoint=chat", "entry=auto", "outcome=ok", "stage=l0"] == 2
    assert found["pointsman_requests_total", "endpoint=chat", "entry=auto", "outcome=ok", "stage=model"] == 1
    assert found["pointsman_requests_total", "endpoint=chat", "entry=auto", "outcome=failed", "stage=model"] == 1
    assert found["pointsman_requests_total", "endpoint=chat", "entry=auto", "outcome=failed", "stage=none"] == 1


def test_rules() -> None:
    found = count(record(), record(), record("model", rule="steer"), record("model"))
    assert found["pointsman_rule_hits_total", "rule=vpn"] == 2
    assert found["pointsman_rule_hits_total", "rule=steer"] == 1


def test_what_rules_noted_on_the_way() -> None:
    marks = (Mark("mails", "pii.email", "medium"), Mark("drops", "sql.destructive", "high"))
    noted = Decision("model", "because", marks=marks, shadow=("trial",))
    cut = Decision("model", "because", marks=marks[1:], shadow=("trial", "other"), rules_cut=0)
    found = count(record(), Record(ask("x"), 1e9, "ok", noted), Record(ask("y"), 1e9, "failed", cut))
    assert found["pointsman_marks_total", "label=pii.email", "risk=medium"] == 1
    assert found["pointsman_marks_total", "label=sql.destructive", "risk=high"] == 2
    assert found["pointsman_shadow_hits_total", "rule=trial"] == 2
    assert found["pointsman_shadow_hits_total", "rule=other"] == 1
    assert found["pointsman_rules_cut_total",] == 1, "before the first rule is cut too"
    assert sum(value for name, value in found.items() if name[0] == "pointsman_rule_hits_total") == 1


def test_times_are_seconds() -> None:
    found = count(record("model", target="m@b", timings=Timings(0.05, 250.0, 2500.0)))
    assert found["pointsman_decision_seconds_sum",] == 0.05 / 1000
    assert found["pointsman_time_to_first_token_seconds_sum", "entry=auto", "target=m@b"] == 0.25
    assert found["pointsman_request_duration_seconds_sum", "entry=auto", "stage=model"] == 2.5
    assert found["pointsman_request_duration_seconds_bucket", "entry=auto", "le=2.56", "stage=model"] == 1
    assert found["pointsman_request_duration_seconds_bucket", "entry=auto", "le=1.28", "stage=model"] == 0


def test_what_was_never_reached_is_not_measured() -> None:
    found = count(record(timings=Timings()))
    assert found["pointsman_decision_seconds_count",] == 0
    assert not any(name[0].startswith("pointsman_time_to_first_token_seconds_count") for name in found)


def test_tokens_and_attempts() -> None:
    attempts = (
        Attempt("m@a", 0, 1, None, "connect"),
        Attempt("m@a", 1, 1, 503, "http"),
        Attempt("m@b", 2, 1, 200),
        Attempt("m@b", 3, 1, None, None),
        Attempt("m@b", 4, 1, 400, None, "bad"),
    )
    found = count(record("model", target="m@b", attempts=attempts, input_tokens=10, output_tokens=3))
    assert found["pointsman_tokens_total", "target=m@b", "type=input"] == 10
    assert found["pointsman_tokens_total", "target=m@b", "type=output"] == 3
    assert found["pointsman_attempts_total", "outcome=connect", "target=m@a"] == 1
    assert found["pointsman_attempts_total", "outcome=http", "target=m@a"] == 1
    assert found["pointsman_attempts_total", "outcome=cancelled", "target=m@b"] == 1
    assert found["pointsman_attempts_total", "outcome=ok", "target=m@b"] == 2


def test_tokens_of_nobody_are_not_counted() -> None:
    found = count(record(input_tokens=10), record("model", target="m@b"))
    assert not any(name[0].startswith("pointsman_tokens_total") for name in found)


def test_targets_as_they_are_now() -> None:
    metrics = Metrics()
    found = figures(metrics, Snapshot.of([up("m@a"), up("m@b", health="down"), up("m@c", health="loading")]))
    values = {name[1]: value for name, value in found.items() if name[0] == "pointsman_target_up"}
    assert values == {"target=m@a": 1, "target=m@b": 0, "target=m@c": 0}
    later = figures(metrics, Snapshot.of([up("m@b")]))
    assert {name[1]: value for name, value in later.items() if name[0] == "pointsman_target_up"} == {"target=m@b": 1}


def test_records_that_could_not_be_kept() -> None:
    assert figures(Metrics(), dropped=3)["pointsman_log_records_dropped",] == 3


def test_names_that_need_escaping() -> None:
    name = 'a "quoted"\\ rule\nof 中文'
    assert count(record(rule=name))["pointsman_rule_hits_total", f"rule={name}"] == 1


def test_every_family_has_a_help_and_a_unit_in_its_name() -> None:
    metrics = Metrics()
    metrics.put(record("model", target="m@b", timings=Timings(1, 1, 1)), DOCUMENT, Snapshot.of([]))
    for family in text_string_to_metric_families(text(metrics, Snapshot.of([]), 0).decode()):
        assert family.documentation
        assert family.name.startswith("pointsman_")


def test_two_gateways_in_one_process_do_not_share() -> None:
    first, second = Metrics(), Metrics()
    first.put(record(), DOCUMENT, Snapshot.of([]))
    assert not any(name[0].startswith("pointsman_requests_total") for name in figures(second))
