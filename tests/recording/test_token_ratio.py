"""An engine that counts prompts otherwise than we do is noticed, once."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from pipeline.policies import features
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.pipeline.token_drift import TokenDrift
from pointsman.recording.token_ratio import LEAST, TokenRatio, ratio_of

ASKED = Request("r", "chat", "auto", (Turn("user", "x"),))
POLICY = PolicyDocument("1", (), {}, (), (), (), (), None, 0)


def record(counted: int | None, estimate: int = 100, *, target: str | None = "m@x", **about: Any) -> Record:
    cache = about.pop("cache", None)
    decision = Decision("model", "x", features=features(input_tokens=estimate, **about))
    return Record(ASKED, 0.0, "ok", decision, target=target, input_tokens=counted, cache=cache)


@pytest.mark.parametrize(
    ("told", "ratio"),
    [
        (record(150), 1.5),
        (record(None), None),
        (record(0), None),
        (record(150, 10), None),
        (record(150, images=1), None),
        (record(150, exact=True), None),
        (record(150, target=None), None),
        (record(150, cache="hit"), None),
        (Record(ASKED, 0.0, "ok", target="m@x", input_tokens=5), None),
    ],
)
def test_what_a_record_tells(told: Record, ratio: float | None) -> None:
    assert ratio_of(told) == ratio


def test_only_what_lasts_is_a_difference() -> None:
    ratio = TokenRatio()
    assert not any(ratio.take(1.6) for _ in range(LEAST - 1))
    assert (ratio.median, ratio.off) == (None, False)
    assert ratio.take(1.6)
    assert (ratio.median, ratio.off) == (1.6, True)
    assert not ratio.take(1.6)
    changes = [ratio.take(1.1) for _ in range(100)]
    assert changes.count(True) == 1 and not ratio.off


def test_the_median_is_not_moved_by_some() -> None:
    ratio = TokenRatio()
    for number in range(100):
        assert not ratio.take(9.0 if number % 3 == 0 else 1.2)


def test_it_is_said_once_and_shown_as_long_as_it_is_so(caplog: pytest.LogCaptureFixture) -> None:
    drift = TokenDrift()
    with caplog.at_level(logging.INFO, logger="pointsman"):
        for _ in range(3 * LEAST):
            drift.put(record(160), POLICY, Snapshot.of(()))
            drift.put(record(105, target="n@x"), POLICY, Snapshot.of(()))
        assert len(caplog.records) == 1
        problem = next(iter(drift.problems))
        assert isinstance(problem, Said)
        assert "m@x counts 1.60 times" in problem and "1.60 倍" in problem.zh
        assert drift.medians == {"m@x": 1.6, "n@x": 1.05}
        for _ in range(200):
            drift.put(record(100), POLICY, Snapshot.of(()))
        assert len(caplog.records) == 2 and not list(drift.problems)
    drift.keep(["n@x"])
    assert list(drift.medians) == ["n@x"]
