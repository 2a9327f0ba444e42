"""One tree a request, told by its record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from pipeline.policies import ask, features
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.intent import Heard, Hearing
from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Target
from pointsman.telemetry.otlp.names import NAMES
from pointsman.telemetry.otlp.spans import encoded, tree_of
from pointsman.telemetry.trace_context import Context, context_of, header_of, read, span_id
from telemetry.collector import about

TARGETS = (Target("m@a", "light", "m", "a", "llamacpp"), Target("big@b", "heavy", "big", "b", "vllm"))
DOCUMENT = PolicyDocument("0", TARGETS, {"light": ("m@a",)}, (EntryRule("auto"),), (), (), (), None, 2)
NAMES_NOW = NAMES["1.37"]
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
MODEL = Decision(
    "model", "x", features=features(), targets=(TargetChoice("m@a", "first"), TargetChoice("big@b", "next"))
)


def spans(record: Record, ended: float = 1_000_000_002.0) -> dict[str, Any]:
    """By name; of attempts the last."""
    context = context_of(record.request.id, record.request.traceparent, 1.0)
    tree = tree_of(record, DOCUMENT, ended, NAMES_NOW)
    made = [Span.FromString(encoded(span, record.request.id, context)) for span in tree]
    return {span.name if span.kind != 3 else f"{span.name} {number}": span for number, span in enumerate(made)}


def relayed(**changes: Any) -> Record:
    attempts = (
        Attempt("m@a", 12.0, 30.0, 503, "http", "busy: the prompt was 'secret words'"),
        Attempt("big@b", 60.0, 40.0, 200),
    )
    record = Record(
        ask("secret words"), 1_000_000_000.0, "ok", MODEL, attempts=attempts, target="big@b",
        timings=Timings(2.0, 100.0, 500.0, 10.0), input_tokens=11, output_tokens=22,
    )  # fmt: skip
    return replace(record, **changes)


def test_a_relayed_request_has_every_part_of_its_way_and_none_of_its_words() -> None:
    record = relayed(request=replace(ask("secret words"), traceparent=PARENT))
    found = spans(record)
    assert list(found) == [
        "chat auto", "pointsman.door", "pointsman.rules", "pointsman.routing", "pointsman.queue", "chat m 5", "chat big 6",
    ]  # fmt: skip
    root = found["chat auto"]
    assert root.kind == Span.SPAN_KIND_SERVER and root.trace_id.hex() == PARENT[3:35]
    assert root.parent_span_id.hex() == PARENT[36:52]
    assert {span.parent_span_id for span in found.values() if span is not root} == {root.span_id}
    assert len({span.span_id for span in found.values()}) == len(found)
    assert root.end_time_unix_nano == 1_000_000_002_000_000_000
    began = root.end_time_unix_nano - 500_000_000
    assert (root.start_time_unix_nano, found["pointsman.door"].end_time_unix_nano) == (10**18, began)
    first, last = found["chat m 5"], found["chat big 6"]
    assert (first.start_time_unix_nano - began, first.end_time_unix_nano - began) == (12_000_000, 42_000_000)
    assert (last.start_time_unix_nano - began, last.end_time_unix_nano - began) == (60_000_000, 500_000_000)
    assert about(first)["error.type"] == "http" and first.status.code == 2 and last.status.code == 0
    assert about(last)["gen_ai.provider.name"] == "vllm" and about(last)["gen_ai.usage.output_tokens"] == 22
    assert [event.name for event in last.events] == ["gen_ai.first_token"]
    queue = found["pointsman.queue"]
    assert queue.end_time_unix_nano - queue.start_time_unix_nano == 10_000_000
    assert about(found["pointsman.routing"])["pointsman.targets"] == ["m@a", "big@b"]
    assert b"secret" not in b"".join(span.SerializeToString() for span in found.values())


def test_names_by_the_version_that_is_asked_for() -> None:
    old = tree_of(relayed(), DOCUMENT, 1e9, NAMES["1.36"])
    assert old[-1].about["gen_ai.system"] == "vllm" and "gen_ai.provider.name" not in old[-1].about


def test_a_rules_answer_and_one_that_an_arbiter_settled() -> None:
    decision = Decision("l0", "x", "vpn", "answer", features=features())
    rule = spans(Record(ask("x"), 1e9, "ok", decision, timings=Timings(1.0, None, 2.0)))
    assert list(rule) == ["chat auto", "pointsman.door", "pointsman.rules", "pointsman.action"]
    heard = Heard(arbiter="embedded", model="m", took_ms=20.0, confidence=0.9, intent="unlock")
    settled = replace(decision, stage="l1", rule=None, intent="unlock", confidence=0.9, hearing=Hearing(first=heard))
    found = spans(Record(ask("x"), 1e9, "ok", settled, timings=Timings(22.0, None, 30.0, None, 1.0)), 1e9 + 1)
    assert list(found) == ["chat auto", "pointsman.door", "pointsman.rules", "pointsman.arbiter", "pointsman.action"]
    arbiter = found["pointsman.arbiter"]
    assert arbiter.end_time_unix_nano - arbiter.start_time_unix_nano == pytest.approx(20_000_000, abs=1000)
    assert about(arbiter)["pointsman.confidence"] == 0.9


def test_what_failed_says_whose_fault_it_was_and_made_up_names_are_not_told() -> None:
    failed = Record(ask("x", "no-such-model"), 1e9, "failed", None, status=404, error="model_not_found")
    [root, _] = spans(failed).values()
    assert root.name == "chat (unknown)" and about(root)["error.type"] == "request" and root.status.code == 2


@given(
    times=st.lists(st.none() | st.floats(0, 1e9), min_size=5, max_size=5),
    tries=st.lists(st.tuples(st.sampled_from(["m@a", "gone@x"]), st.floats(0, 1e9), st.floats(0, 1e9)), max_size=3),
    ended=st.floats(1e9, 2e9),
)
def test_whatever_a_record_holds_no_span_ends_before_it_begins(times: Any, tries: Any, ended: float) -> None:
    record = relayed(timings=Timings(*times), attempts=tuple(Attempt(*each) for each in tries))
    for span in spans(record, ended).values():
        assert span.start_time_unix_nano <= span.end_time_unix_nano <= ended * 1e9 + 1000


@pytest.mark.parametrize(
    "header",
    [
        None, "", "x", PARENT.upper(), PARENT[:-3], PARENT + "-x", "ff" + PARENT[2:], PARENT.replace("-01", "-0g"),
        "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01",
        "é" * 55, PARENT * 1000,
    ],
)  # fmt: skip
def test_a_header_that_is_none_begins_a_trace_of_its_own(header: str | None) -> None:
    own = context_of("req_1", header, 1.0)
    assert read(header) is None
    assert own.parent is None and own.trace_id == context_of("req_1", None, 1.0).trace_id


def test_a_later_version_may_say_more() -> None:
    assert read("01" + PARENT[2:] + "-more") == read(PARENT)


def test_a_share_is_told_and_the_clients_wish_goes_before_it() -> None:
    told = sum(context_of(f"req_{number}", None, 0.25).sampled for number in range(4000))
    assert 850 < told < 1150
    assert context_of("r", PARENT, 0.0).sampled and not context_of("r", PARENT[:-1] + "0", 1.0).sampled
    assert not any(context_of(f"r{n}", None, 0.0).sampled for n in range(200))
    assert all(context_of(f"r{n}", None, 1.0).sampled for n in range(200))


def test_what_engines_are_sent_can_be_read_back() -> None:
    context = context_of("req_1", PARENT, 0.0)
    sent = read(header_of(context, span_id("req_1", "attempt.0")))
    assert sent == Context(context.trace_id, span_id("req_1", "attempt.0"), True)
