"""How much may move, as owners write it, and when that is passed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pointsman.domain.errors import PointsmanError
from pointsman.offline.replay.limits import Limit, Limits, limit_of, passed, share_of, stolen_of
from pointsman.offline.replay.outcome import Effect, Forecast, Replay, RuleEffect


def effect(before: float, after: float) -> Effect:
    return Effect(before, after, after, after)


def found(**changes: Any) -> Replay:
    """100 of 110 were compared, 5 of them move; times grow by 4 % and 12 %, GPU seconds by 10 %, quality falls by 0.03."""
    forecast = Forecast(
        requests=100, left_out=0, mean=effect(1.0, 1.04), median=effect(1.0, 1.0), p95=effect(5.0, 5.6),
        gpu=effect(100.0, 110.0), quality=effect(0.6, 0.57), answered=90, guessed_speed=0, guessed_quality=0,
        untimed=0, targets=(),
    )  # fmt: skip
    whole = Replay(
        since=None, until=0.0, began=0.0, ended=1.0, requests=110, undecided=0, unread={"off": 10}, unread_ids={},
        compared=100, moved=5, reordered=0, reworded=0, noted=0, rescored=0, spared=0, checked=5, approximated=0, future=0,
        assumed={}, policies={}, parts=(), moves=(), rules=(RuleEffect("guard", 20, 18, 2, 0, {"m": 2}, {}),),
        forecast=forecast, seconds=0.1,
    )  # fmt: skip
    return msgspec.structs.replace(whole, **changes)


@pytest.mark.parametrize(
    ("limits", "options"),
    [
        (Limits(), []),
        (Limits(moved=Limit(0.05, True)), []),
        (Limits(moved=Limit(0.049, True)), ["--max-moved"]),
        (Limits(moved=Limit(4, False)), ["--max-moved"]),
        (Limits(unreadable=Limit(0.1, True)), []),
        (Limits(unreadable=Limit(0.05, True)), ["--max-unreadable"]),
        (Limits(slower=0.13), []),
        (Limits(slower=0.05), ["--max-slower"]),
        (Limits(worse=0.04), []),
        (Limits(worse=0.02), ["--max-worse"]),
        (Limits(gpu=0.11), []),
        (Limits(gpu=0.05, worse=0.02), ["--max-worse", "--max-gpu"]),
        (Limits(stolen={"guard": Limit(0.0, False)}), ["--max-stolen guard"]),
        (Limits(stolen={"guard": Limit(0.1, True), "other": Limit(0.0, False)}), []),
    ],
)
def test_each_limit(limits: Limits, options: list[str]) -> None:
    assert [each.option for each in passed(found(), limits)] == options


def test_where_nothing_could_be_compared_no_limit_is_kept() -> None:
    empty = found(requests=0, compared=0, moved=0, unread={}, rules=())
    assert passed(empty, Limits()) == []
    assert len(passed(empty, Limits(moved=Limit(1.0, True)))) == 1


def test_gpu_seconds_where_there_were_none() -> None:
    forecast = msgspec.structs.replace(found().forecast, gpu=effect(0.0, 1.0))
    [only] = passed(found(forecast=forecast), Limits(gpu=5.0))
    assert "∞" in only.why and "∞" in only.why.zh


def test_how_they_are_written() -> None:
    assert limit_of("--max-moved", "2%") == Limit(0.02, True)
    assert limit_of("--max-moved", "50") == Limit(50.0, False)
    assert share_of("--max-gpu", "0.5%") == 0.005
    assert stolen_of("no_salary") == ("no_salary", Limit(0.0, False))
    assert stolen_of("a=b=2%") == ("a=b", Limit(0.02, True))
    for text in ("2 %x", "", "-1%", "%", "1e3", "٣%"):
        with pytest.raises(PointsmanError, match="--max-moved"):
            limit_of("--max-moved", text)
    with pytest.raises(PointsmanError, match="2%"):
        share_of("--max-gpu", "0.5")
