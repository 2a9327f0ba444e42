"""When a confidence is out of the ordinary, and when all of them have sunk."""

from __future__ import annotations

from pointsman.pipeline.drift import Window


def test_a_mean_needs_a_whole_window() -> None:
    window = Window(4)
    for number, sure in enumerate((0.9, 0.8, 0.7, 0.6)):
        assert window.mean is None, number
        assert not window.put(sure, 0.1)
    assert window.mean == 0.75
    window.put(1.0, 0.1)
    assert window.mean == 0.775


def test_sinking_is_said_once_until_it_has_come_up_again() -> None:
    window = Window(20)
    assert not any(window.put(0.9, 0.1) for _ in range(200))
    first = [window.put(0.7, 0.1) for _ in range(100)]
    assert sum(first) == 1 and first.index(True) < 20
    assert not any(window.put(0.9, 0.1) for _ in range(100))
    assert sum(window.put(0.7, 0.1) for _ in range(100)) == 1


def test_one_low_value_is_no_drift() -> None:
    window = Window(20)
    told = [window.put(0.2 if number % 20 == 0 else 0.9, 0.1) for number in range(400)]
    assert not any(told)
