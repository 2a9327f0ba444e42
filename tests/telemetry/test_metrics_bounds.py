"""What clients and engines make up does not grow the metrics, whatever it is."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
from msgspec.structs import replace
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics_families
from prometheus_client.parser import text_string_to_metric_families

from execution.engine import Engine, config
from pipeline.policies import ask, features, up
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Snapshot
from pointsman.telemetry.catalogue import FAMILIES, PREFIX
from pointsman.telemetry.counts import LONGEST, MOST, OTHER, Counts
from pointsman.telemetry.metrics import Metrics
from running import running
from telemetry.shown import text

DOCUMENT = PolicyDocument("0", (), {}, (EntryRule("auto"),), (), (), (), None, 2)
NOBODY = Snapshot.of([])
HOSTILE = ['"', "\\", "\n", 'x"} 1\npointsman_up 1', "{}", "中文 — é", "\x00\x7f", "a" * 5000, " ", "", "\ud800", "#"]


def series(shown: bytes) -> int:
    return sum(not line.startswith("#") for line in shown.decode().splitlines())


def busy() -> Metrics:
    """One that has seen something of every kind."""
    metrics = Metrics()
    for stage in ("l0", "l1", "model"):
        decision = Decision(stage, "x", "rule", "answer", features=features(task_type="faq"))  # type: ignore[arg-type]
        served = Record(
            ask("hi"), 1e9, "ok", decision, attempts=(Attempt("m@a", 1, 2, 200),), target="m@a",
            timings=Timings(1, 2, 30, 4), input_tokens=5, output_tokens=6, cached_tokens=1, masked={"phone": 1},
            cache="miss",
        )  # fmt: skip
        metrics.put(served, DOCUMENT, NOBODY)
    metrics.called("sum", "ok")
    metrics.reloaded("ok")
    return metrics


def test_ten_thousand_callers_models_and_paths_grow_nothing() -> None:
    metrics = busy()
    before = series(text(metrics))
    for number in range(10_000):
        decision = Decision("model", "x", features=features(task_type=f"task-{number}"))
        request = replace(
            ask("x", f"model-{number}"), caller=f"caller-{number}", user=f"user-{number}", session=f"{number}",
            source=f"/path/{number}", task=f"task-{number}", id=f"r{number}", traceparent=f"{number}",
        )  # fmt: skip
        error = f"an engine's own code {number}"
        metrics.put(Record(request, 1e9, "failed", decision, status=502, error=error), DOCUMENT, NOBODY)
    after = text(metrics).decode()
    assert series(after.encode()) - before < 60
    assert "caller-" not in after and "model-" not in after and "an engine" not in after
    assert 'pointsman_requests_total{endpoint="chat",entry="(model)",outcome="failed",stage="model"} 10000.0' in after
    assert 'pointsman_errors_total{entry="(model)",kind="engine"} 10000.0' in after


def test_names_from_outside_stop_at_a_limit_and_are_counted_together_from_there() -> None:
    metrics = Metrics()
    for number in range(MOST + 500):
        metrics.called(f"tool-{number}", "ok")
    metrics.called("tool-3", "ok")
    counts = metrics.counts(NOBODY, 0)
    tools = counts.tallies["tool_calls"]
    assert len(tools) == MOST + 1
    assert tools[OTHER, OTHER].value == 500
    assert tools["tool-3", "ok"].value == 2
    assert counts.tallies["series_dropped"]["tool_calls",].value == 500


def test_the_limit_holds_for_the_sum_of_many_processes() -> None:
    total = Counts.begun()
    for process in range(4):
        metrics = Metrics()
        for number in range(MOST):
            metrics.called(f"tool-{process}-{number}", "ok")
        total.merge(metrics.counts(NOBODY, 0))
    tools = total.tallies["tool_calls"]
    assert len(tools) == MOST + 1 and sum(tally.value for tally in tools.values()) == 4 * MOST


def test_ten_thousand_rules_are_counted_and_those_that_are_too_many_are_counted_together() -> None:
    metrics = Metrics()
    for number in range(10_000):
        metrics.put(Record(ask("x"), 1e9, "ok", Decision("l0", "x", f"rule-{number}")), DOCUMENT, NOBODY)
    hits = metrics.counts(NOBODY, 0).tallies["rule_hits"]
    assert len(hits) == MOST + 1 and sum(tally.value for tally in hits.values()) == 10_000


def test_hostile_names_are_shown_as_names() -> None:
    metrics = busy()
    for name in HOSTILE:
        metrics.called(name, "ok")
    counts = metrics.counts(NOBODY, 0)
    names = {labels[0] for labels in counts.tallies["tool_calls"]}
    assert all(len(name) <= LONGEST for name in names)
    shown = text(metrics).decode()
    read = {
        sample.labels["tool"]
        for family in text_string_to_metric_families(shown)
        for sample in family.samples
        if sample.name == "pointsman_tool_calls_total"
    }
    assert len(read) == len(names)
    assert not any(line.startswith("pointsman_up ") for line in shown.splitlines())


def test_every_family_is_open_metrics_and_none_is_without_words_in_both_languages() -> None:
    shown = text(busy(), Snapshot.of([up("m@a")]), openmetrics=True).decode()
    assert shown.endswith("# EOF\n")
    found = {family.name: family for family in openmetrics_families(shown)}
    assert set(found) == {PREFIX + name for name in FAMILIES}
    for name, family in FAMILIES.items():
        assert found[PREFIX + name].type == family.kind
        assert family.about and family.about.zh and str(family.about) != family.about.zh
        assert name == name.lower() and "millisecond" not in name and not name.endswith("_ms")


async def test_over_the_wire_as_who_asks_can_read_it(tmp_path: Path) -> None:
    async with (
        Engine() as engine,
        running(config(engine), tmp_path) as served,
        httpx.AsyncClient(base_url=served.base) as client,
    ):
        await asyncio.gather(
            *(
                client.post(
                    "/v1/chat/completions",
                    json={"model": name, "messages": [{"role": "user", "content": "x"}], "user": name},
                )
                for name in HOSTILE[:8]
            )
        )
        plain = await client.get("/metrics")
        other = await client.get(
            "/metrics", headers={"accept": "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.1"}
        )
    assert plain.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert other.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert list(text_string_to_metric_families(plain.text)) and list(openmetrics_families(other.text))
    assert "pointsman_node_memory_bytes" in plain.text and "pointsman_process_memory_bytes" in plain.text
