"""Signs hold where an oracle that looks at the whole history anew for every minute says so, and do not flap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.admission.scale.minute import LONG, Minute, quantile
from pointsman.admission.scale.signals import CAUSES, Cause, Lines, Signals
from pointsman.admission.scale.words import sentence
from pointsman.domain.said import told
from thorough import tries

BOUNDS = (0.5, 1.0, 2.0, 4.0, 8.0)
SMALL = Lines(least=4, window=3, usual=6, dwell=2, calm=3, evictions=3, evictions_over=0)


def p99(minutes: Sequence[Minute], times: bool) -> tuple[float, int]:
    single = [
        place
        for minute in minutes
        for place, count in (minute.times if times else minute.waits).items()
        for _ in range(count)
    ]
    return quantile({place: single.count(place) for place in set(single)}, BOUNDS, 0.99), len(single)


def says(history: list[Minute], at: int, cause: Cause, lines: Lines, usual: float | None) -> tuple[bool, bool]:
    """(for, against), from the minutes themselves."""
    window = history[max(at + 1 - lines.window, 0) : at + 1]
    if cause == "memory":
        memory = history[at].memory
        return memory is not None and memory > lines.memory, memory is not None and memory < lines.memory_over
    if cause == "models":
        count = sum(minute.evictions for minute in window)
        return count >= lines.evictions, count <= lines.evictions_over
    value, count = p99(window, cause == "p99_rising")
    if cause == "queue_wait":
        return count >= lines.least and value >= lines.wait, count < lines.least or value < lines.wait_over
    if usual is None or count < lines.least:
        return False, True
    return value >= max(lines.rise * usual, lines.slow), value < max(lines.rise_over * usual, lines.slow)


def usual_at(history: list[Minute], at: int, lines: Lines) -> float | None:
    end = max(at + 1 - lines.window, 0)
    value, count = p99(history[max(end - lines.usual, 0) : end], True)
    return value if count >= 2 * lines.least else None


def oracle(history: list[Minute], cause: Cause, lines: Lines) -> list[tuple[int, int | None]]:
    """(first minute, minute after the last or None) of each time that it held."""
    found: list[tuple[int, int | None]] = []
    begin = 0
    while begin < len(history):
        usual = usual_at(history, begin, lines)
        said = [says(history, at, cause, lines, usual) for at in range(len(history))]
        run = said[begin : begin + lines.dwell]
        if len(run) < lines.dwell or not all(speaks for speaks, _ in run):
            begin += 1
            continue
        for at in range(begin + lines.dwell - 1, len(history)):
            calm = said[max(at + 1 - lines.calm, begin) : at + 1]
            if len(calm) == lines.calm and all(against for _, against in calm):
                found.append((begin, at + 1))
                begin = at + 1
                break
        else:
            found.append((begin, None))
            break
    return found


buckets = st.dictionaries(st.integers(0, len(BOUNDS)), st.integers(1, 5), max_size=2)
kinds = st.builds(
    Minute,
    start=st.just(0),
    waits=buckets,
    times=buckets,
    memory=st.sampled_from([None, 0.5, 0.87, 0.95]),
    evictions=st.integers(0, 2),
)
stretches = st.lists(st.tuples(kinds, st.integers(1, 6)), min_size=1, max_size=10)


@settings(max_examples=tries(45, 150), deadline=None)
@given(stretches)
def test_as_the_oracle_says(parts: list[tuple[Minute, int]]) -> None:
    kept = [minute for minute, times in parts for _ in range(times)]
    history = [
        Minute(place * LONG, minute.waits, minute.times, minute.memory, minute.evictions)
        for place, minute in enumerate(kept)
    ]
    signals = Signals(BOUNDS, SMALL)
    for minute in history:
        signals.add(minute)
    for cause in CAUSES:
        found = [
            (sign.since // LONG, None if sign.until is None else sign.until // LONG)
            for sign in (*signals.over, *signals.holding)
            if sign.cause == cause
        ]
        assert found == oracle(history, cause, SMALL), cause


def busy(start: int, place: int, count: int = 20) -> Minute:
    return Minute(start * LONG, {place: count}, {place: count})


def test_up_and_down_between_the_lines_is_one_sign() -> None:
    """Waits fall below the upper line time and again, but not for long below the lower one."""
    signals = Signals(BOUNDS)
    for at in range(600):
        signals.add(busy(at, 4 if at % 40 < 25 else 2))
    assert [sign.cause for sign in signals.holding] == ["queue_wait"]
    assert not signals.over


def test_few_requests_say_nothing() -> None:
    signals = Signals(BOUNDS)
    for at in range(600):
        signals.add(busy(at, 5, 1))
    assert not signals.holding


def test_a_peak_that_is_short_says_nothing() -> None:
    """A window remembers it longer than it was, and yet not for so long."""
    signals = Signals(BOUNDS, Lines(window=5))
    for at in range(300):
        signals.add(busy(at, 5 if at == 150 else 0))
    assert not signals.holding and not signals.over


def test_a_night_without_requests_ends_it() -> None:
    signals = Signals(BOUNDS)
    for at in range(60):
        signals.add(busy(at, 5))
    assert signals.holding
    signals.add(busy(600, 0))
    assert not signals.holding
    assert [sign.cause for sign in signals.over] == ["queue_wait"]


def test_sentences_have_the_figures_in_both_languages() -> None:
    signals = Signals(BOUNDS)
    for at in range(600):
        slow = at >= 480
        signals.add(
            Minute(at * LONG, {4: 20} if slow else {0: 20}, {4: 20} if slow else {1: 20}, 0.96 if slow else 0.5, slow)
        )
    assert [sign.cause for sign in signals.holding] == list(CAUSES)
    for sign in signals.holding:
        for tongue in ("en", "zh"):
            text = told(sentence(sign, 600 * LONG, UTC), tongue)
            assert "GPU" in text and "1970-01-01 0" in text, text
    waits, rising, memory, models = (str(sentence(sign, 600 * LONG, UTC)) for sign in signals.holding)
    assert waits.startswith("You need a second GPU because for 2 h 0 min (since 1970-01-01 08:00, and it goes on)")
    assert "2,400 requests waited over" in waits
    assert "where 1.0 s was usual" in rising
    assert "up to 96% in use" in memory
    assert "models did not fit together" in models
