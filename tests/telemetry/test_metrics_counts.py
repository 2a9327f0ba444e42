"""Our counting says to the byte what prometheus_client's own would, and what several processes counted adds up."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import ask, features, up
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, Mark
from pointsman.domain.intent import Heard, Hearing
from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.quality import QualityShift
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Snapshot
from pointsman.telemetry.catalogue import FAST, SECONDS
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.metrics import Metrics
from telemetry.client_metrics import ClientMetrics
from telemetry.shown import text

DOCUMENT = PolicyDocument("0", (), {}, (EntryRule("auto"), EntryRule("coder")), (), (), (), None, 2)
NOBODY = Snapshot.of([])
FLEET = Snapshot.of(
    [up("m@a"), up("m@b", health="down"), up("m@c", health="loading")],
    [QualityShift("m", "math", -0.05), QualityShift("m", None, 0.02)],
)

# milliseconds: any; on a bound; and, where sums must not depend on the order, in sixteenths of what is a second's 1/64
_any = st.floats(0, 1e7, allow_nan=False) | st.sampled_from([bound * 1000 for bound in (*FAST, *SECONDS)])
_even = st.integers(0, 10**6).map(lambda number: number * 15.625)
_targets = st.sampled_from(["m@a", "m@b", 'a "quoted"\\ one\nof 中文'])
_marks = st.builds(Mark, _targets, st.sampled_from(["pii", 'a "label"']), st.sampled_from(["medium", "high"]))
_tokens = st.none() | st.sampled_from([0, *(1 + (1 << n) for n in range(12))])  # so that a mean gap is exact


def _heard(times: st.SearchStrategy[float]) -> st.SearchStrategy[Heard]:
    sure = st.integers(0, 16).map(lambda number: number / 16)
    failure: Any = st.none() | st.sampled_from(["timeout", "shed"])
    who = st.sampled_from(["embedded", "heavy"])
    return st.builds(Heard, arbiter=who, model=st.just("m"), confidence=sure, failure=failure, took_ms=times)


@st.composite
def records(draw: Any, times: st.SearchStrategy[float]) -> Record:
    decision = draw(
        st.none()
        | st.builds(
            Decision,
            st.sampled_from(["l0", "l1", "model"]),
            st.just("x"),
            st.none() | _targets,
            marks=st.lists(_marks, max_size=2).map(tuple),
            action=st.none() | st.sampled_from(["answer", "export"]),
            features=st.none() | st.builds(lambda task: features(task_type=task), st.none() | st.just("faq")),
            shadow=st.lists(_targets, max_size=2).map(tuple),
            rules_cut=st.none() | st.integers(0, 9),
            intent=st.none() | st.sampled_from(["open_ended", "unlock"]),
            clarification=st.none() | st.just("?"),
            hands_over=st.booleans(),
            hearing=st.none() | st.builds(Hearing, first=_heard(times)),
        )
    )
    attempt = st.builds(
        Attempt, _targets, times, times, st.none() | st.just(200), st.none() | st.sampled_from(["connect", "http"])
    )
    maybe = st.none() | times
    return Record(
        msgspec.structs.replace(
            ask("x", draw(st.sampled_from(["auto", "coder", "light", "no such"]))),
            endpoint=draw(st.sampled_from(["chat", "rerank"])),
        ),
        1e9,
        draw(st.sampled_from(["ok", "failed", "cancelled"])),
        decision,
        status=draw(st.sampled_from([200, 400, 429, 500, 503])),
        error=draw(st.none() | st.sampled_from(["shed", "connect", "an engine's own"])),
        attempts=tuple(draw(st.lists(attempt, max_size=3))),
        target=draw(st.none() | _targets),
        timings=Timings(draw(maybe), draw(maybe), draw(maybe), draw(maybe)),
        input_tokens=draw(_tokens),
        output_tokens=draw(_tokens),
        cached_tokens=draw(_tokens),
        masked=draw(st.none() | st.dictionaries(st.sampled_from(["phone", "secret"]), st.integers(1, 9))),
        cache=draw(st.none() | st.sampled_from(["hit", "miss", "bypass"])),
    )


class Clock:
    """One that stands still until it is told."""

    def __init__(self) -> None:
        self.now = 1.7e9 + 0.25

    def __enter__(self) -> Clock:
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr("time.time", lambda: self.now)
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.undo()


def lines(text: bytes) -> list[str]:
    """When a series began is not told to the moment: kinds of requests are counted together."""
    return sorted(line for line in text.decode().splitlines() if "_created" not in line)


def undated(counts: Counts) -> Counts:
    for families in (counts.tallies, counts.spreads):
        for series in families.values():
            for one in series.values():
                one.created = 0.0
    counts.created = 0.0
    return counts


@given(st.lists(records(_any), max_size=12), st.lists(st.sampled_from(["ok", "refused"]), max_size=3))
def test_the_text_is_that_of_the_client_library(put: list[Record], reloads: list[str]) -> None:
    ours, theirs = Metrics(), ClientMetrics(("auto", "coder"))
    assert lines(text(ours, NOBODY, 0)) == lines(theirs.text(NOBODY, 0, {}))
    for number, record in enumerate(put):
        ours.put(record, DOCUMENT, NOBODY)
        theirs.put(record)
        if number == 4:
            ours.counts(NOBODY, 0)
    for outcome in reloads:
        ours.reloaded(outcome)
        theirs.count("reloads", outcome)
    levels = {"gpu_utilisation_ratio": {("GPU-1", "NVIDIA H200"): 0.5}}
    assert lines(text(ours, FLEET, 3, levels=levels)) == lines(theirs.text(FLEET, 3, levels))
    assert lines(text(ours, NOBODY, 0)) == lines(theirs.text(NOBODY, 0, {"gpu_utilisation_ratio": {}}))


@given(st.lists(st.tuples(st.integers(0, 2), records(_even)), max_size=12), st.lists(st.integers(0, 9), min_size=3))
def test_what_several_counted_is_what_one_would_have(put: list[tuple[int, Record]], dropped: list[int]) -> None:
    workers, alone = [Metrics() for _ in range(3)], Metrics()
    for worker, record in put:
        workers[worker].put(record, DOCUMENT, NOBODY)
        alone.put(record, DOCUMENT, NOBODY)
        workers[worker].reloaded("ok")
        alone.reloaded("ok")
    sent = [msgspec.msgpack.encode(worker.counts(FLEET, lost)) for worker, lost in zip(workers, dropped, strict=False)]
    first, *others = (msgspec.msgpack.decode(data, type=Counts) for data in sent)
    expected = alone.counts(FLEET, sum(dropped[:3]))
    summed = text(workers[0], FLEET, dropped[0], others)
    for other in others:
        first.merge(other)
    assert undated(first) == undated(expected)
    assert lines(summed) == lines(text(alone, FLEET, sum(dropped[:3])))
    assert [
        msgspec.msgpack.encode(worker.counts(FLEET, n)) for worker, n in zip(workers, dropped, strict=False)
    ] == sent


def test_a_series_began_before_it_was_read_and_not_before_it_was() -> None:
    with Clock() as clock:
        metrics = Metrics()
        clock.now += 1
        first = clock.now
        metrics.put(Record(ask("x"), 1e9, "ok"), DOCUMENT, NOBODY)
        clock.now += 1
        metrics.put(Record(ask("x"), 1e9, "ok"), DOCUMENT, NOBODY)
        counts = metrics.counts(NOBODY, 0)
    assert [tally.created for tally in counts.tallies["requests"].values()] == [first]


def test_a_copy_does_not_count_on() -> None:
    metrics = Metrics()
    before = metrics.counts(NOBODY, 0)
    metrics.put(Record(ask("x"), 1e9, "ok", timings=Timings(1, None, 1)), DOCUMENT, NOBODY)
    metrics.counts(NOBODY, 0)
    assert not before.tallies["requests"]
    assert not before.spreads["request_duration_seconds"]
    assert sum(before.spreads["decision_seconds"][()].places) == 0


def test_a_target_is_up_where_one_process_finds_it_up() -> None:
    first = Metrics().counts(Snapshot.of([up("m@a", health="down"), up("m@b", health="down"), up("m@c")]), 0)
    first.merge(Metrics().counts(Snapshot.of([up("m@a"), up("m@b", health="down"), up("m@d")]), 0))
    assert first.levels["target_up"] == {("m@a",): 1, ("m@b",): 0, ("m@c",): 1, ("m@d",): 1}


@pytest.mark.parametrize(("value", "shown"), [("True", False), ("1", False), ("no", True), (None, True)])
def test_the_clients_own_switch_for_created_series(value: str | None, shown: bool) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "PROMETHEUS_DISABLE_CREATED_SERIES"}
    if value is not None:
        environment["PROMETHEUS_DISABLE_CREATED_SERIES"] = value
    script = (
        "from pointsman.telemetry.counts import Counts; from pointsman.telemetry.exposition import text_of; "
        "c = Counts.begun(); c.count('reloads', ('ok',)); print(text_of(c).decode())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert ("_created" in done.stdout) is shown


def test_connections_to_engines_are_shown_and_added_up() -> None:
    ours, other = Metrics(), Metrics().counts(NOBODY, 0, {"m@a": {"requests": 2, "opened": 1}})
    shown = text(ours, NOBODY, 0, [other], upstream={"m@a": {"requests": 3}}).decode()
    assert 'pointsman_upstream_total{event="requests",target="m@a"} 5.0' in shown
    assert 'pointsman_upstream_total{event="opened",target="m@a"} 1.0' in shown
