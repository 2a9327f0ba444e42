"""Our protobuf is what OpenTelemetry's own classes read."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("opentelemetry.proto.common.v1.common_pb2")

from opentelemetry.proto.common.v1.common_pb2 import KeyValueList
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric

from pipeline.policies import ask, features, up
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Snapshot
from pointsman.telemetry.catalogue import FAMILIES, PREFIX
from pointsman.telemetry.metrics import Metrics
from pointsman.telemetry.otlp import wire
from pointsman.telemetry.otlp.points import metrics_of
from telemetry.collector import about, value_of

DOCUMENT = PolicyDocument("0", (), {}, (), (), (), (), None, 2)

_values = (
    st.text()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.lists(st.text(), max_size=3).map(tuple)
)


@given(st.dictionaries(st.text(max_size=20), st.none() | _values, max_size=6))
def test_attributes(pairs: dict[str, Any]) -> None:
    read = KeyValueList.FromString(wire.attributes(1, pairs))
    assert {each.key: value_of(each.value) for each in read.values} == {
        key: list(value) if isinstance(value, tuple) else value for key, value in pairs.items() if value is not None
    }


@given(st.integers(0, 2**64 - 1))
def test_numbers_of_any_length(value: int) -> None:
    encoded = wire.varint(value)
    assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(encoded)) == value
    assert all(byte & 0x80 for byte in encoded[:-1]) and not encoded[-1] & 0x80


def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    assert about(KeyValueListAsItem(wire.attributes(1, {"a": "x\ud800"}))) == {"a": "x?"}


class KeyValueListAsItem:
    def __init__(self, data: bytes) -> None:
        self.attributes = KeyValueList.FromString(data).values


def test_every_family_becomes_a_metric_with_the_same_figures() -> None:
    metrics = Metrics()
    decision = Decision("l0", "x", "vpn", "answer", features=features())
    for milliseconds in (5.0, 15.0, 1e9):
        record = Record(ask("x", "auto"), 1e9, "ok", decision, timings=Timings(1, None, milliseconds))
        metrics.put(record, DOCUMENT, Snapshot.of([]))
    counts = metrics.counts(Snapshot.of([up("m@a")]), 3)
    read = {metric.name: metric for metric in map(Metric.FromString, metrics_of(counts, 2_000_000_000))}
    assert set(read) <= {PREFIX + name for name in FAMILIES}
    durations = read["pointsman_request_duration_seconds"]
    assert durations.unit == "s" and durations.histogram.aggregation_temporality == 2
    [point] = durations.histogram.data_points
    bounds = FAMILIES["request_duration_seconds"].bounds
    assert tuple(point.explicit_bounds) == bounds and len(point.bucket_counts) == len(bounds) + 1
    assert (point.count, sum(point.bucket_counts)) == (3, 3) and point.bucket_counts[-1] == 1
    assert math.isclose(point.sum, 1_000_000.02) and about(point) == {"entry": "(model)", "stage": "l0"}
    hits = read["pointsman_rule_hits"].sum
    assert hits.is_monotonic and hits.aggregation_temporality == 2
    assert hits.data_points[0].as_double == 3 and hits.data_points[0].start_time_unix_nano > 0
    assert read["pointsman_log_records_dropped"].gauge.data_points[0].as_double == 3
    assert about(read["pointsman_target_up"].gauge.data_points[0]) == {"target": "m@a"}
