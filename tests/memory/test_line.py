"""The line through measurements, beside the normal equations in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.memory import Unreadable
from pointsman.memory.line import Point, fit_line, hold

MB = 1 << 20
points = st.builds(Point, st.integers(0, 9000), st.integers(0, 12), st.integers(1, 1 << 36))


@given(st.lists(points, min_size=2, max_size=12))
def test_least_squares(listed: list[Point]) -> None:
    loads = [point.load for point in listed]
    if len(set(loads)) < 2:
        with pytest.raises(Unreadable, match="two different loads"):
            fit_line(listed)
        return
    count, sx, sy = len(listed), sum(loads), sum(point.used for point in listed)
    sxx, sxy = sum(x * x for x in loads), sum(x * point.used for x, point in zip(loads, listed, strict=True))
    slope = Fraction(count * sxy - sx * sy, count * sxx - sx * sx)
    intercept = (sy - slope * sx) / count
    line = fit_line(listed)
    scale = max(point.used for point in listed)
    assert line.slope == pytest.approx(float(slope), rel=1e-6, abs=scale * 1e-9)
    assert line.intercept == pytest.approx(float(intercept), rel=1e-6, abs=scale * 1e-6)
    assert abs(sum(line.residuals)) <= scale * 1e-6 * count
    assert (line.error is None) == (count < 3)


def test_points_on_a_line() -> None:
    listed = [Point(each, many, 100 * MB + 57_344 * each * many) for each in (128, 512) for many in (1, 2, 4)]
    line = fit_line(listed)
    assert line.slope == pytest.approx(57_344) and line.intercept == pytest.approx(100 * MB)
    assert line.rms < 1 and not line.flat and line.at(1000) == pytest.approx(100 * MB + 57_344_000)


def test_a_flat_line_adds_nothing() -> None:
    listed = [Point(each, 1, 500 * MB + off) for each, off in ((100, 3000), (200, 0), (400, 2000), (800, 900))]
    line = fit_line(listed)
    assert line.flat
    held = hold("rule", 0, line, 800)
    assert held.holds and held.extra == 0 and held.whole == 501


def test_declared_figures_against_the_line() -> None:
    listed = [Point(each, 1, 500 * MB + each * MB // 10) for each in (0, 100, 200, 1000)]
    line = fit_line(listed)
    assert [hold("x", declared, line, 1000).holds for declared in (99, 100, 2400)] == [False, True, True]
    assert hold("x", 100, line, 1000).whole == 600
