"""Who shows no sign of life, by a clock that the test turns."""

from __future__ import annotations

from pointsman.store.jobs.redis_watch import Sign, Watch


def sign(job_id: str = "a", beat: int = 0, **other: object) -> Sign:
    given = {"queue": "batch", "token": 1, "patience": 5.0, "leased": True, **other}
    return Sign(id=job_id, beat=beat, **given)  # type: ignore[arg-type]


def due(watch: Watch, now: float) -> list[str]:
    return [each.sign.id for each in watch.due("batch", now)]


def test_it_is_due_once_it_was_seen_unchanged_for_long_enough() -> None:
    watch = Watch()
    for now in (100.0, 103.0, 104.9):
        watch.see([sign()], now)
        assert due(watch, now) == []
    assert due(watch, 105.0) == ["a"]
    assert watch.due("interactive", 105.0) == []


def test_any_change_begins_it_anew() -> None:
    for other in (sign(beat=1), sign(token=2), sign(patience=6.0), sign(leased=False)):
        watch = Watch()
        watch.see([sign()], 100.0)
        watch.see([other], 104.0)
        assert due(watch, 108.9) == []
        assert due(watch, 110.0) == ["a"]


def test_what_is_gone_is_not_due() -> None:
    watch = Watch()
    watch.see([sign("a"), sign("b")], 100.0)
    watch.see([sign("b")], 101.0)
    watch.drop("b")
    assert due(watch, 200.0) == []
    watch.see([sign("a")], 200.0)
    assert due(watch, 201.0) == []


def test_looks_may_be_missed() -> None:
    """Token and beat never come back, so it was the same all the while."""
    watch = Watch()
    watch.see([sign()], 100.0)
    assert due(watch, 1000.0) == ["a"]


def test_when_the_server_hung_all_begin_anew() -> None:
    watch = Watch()
    watch.see([sign()], 100.0)
    watch.forget()
    watch.see([sign()], 104.9)
    assert due(watch, 109.8) == []
    assert due(watch, 109.9) == ["a"]


def test_leases_come_before_delays_and_each_by_its_end() -> None:
    watch = Watch()
    watch.see(
        [sign("late", patience=3.0), sign("delay", patience=1.0, leased=False), sign("early", patience=2.0)], 100.0
    )
    assert due(watch, 102.5) == ["early", "delay"]
    assert due(watch, 200.0) == ["early", "late", "delay"]


def test_a_renewal_is_known_before_the_next_look() -> None:
    watch = Watch()
    watch.note(sign(), 100.0)
    watch.touch("a", 1, 1, 50.0, 104.0)
    watch.touch("unknown", 1, 1, 0.0, 104.0)
    assert due(watch, 153.9) == []
    assert due(watch, 154.0) == ["a"]


def test_what_was_not_taken_is_still_due() -> None:
    watch = Watch()
    watch.note(sign(), 100.0)
    (found,) = watch.due("batch", 105.0)
    watch.drop("a")
    assert due(watch, 105.0) == []
    watch.put_back(found.sign, found.since)
    assert due(watch, 105.0) == ["a"]
    watch.note(sign(beat=1), 105.0)
    watch.put_back(found.sign, found.since)
    assert due(watch, 105.0) == []


def test_it_knows_when_the_next_is_due() -> None:
    watch = Watch()
    assert watch.next(["batch"]) is None
    watch.see([sign("a"), sign("b", queue="webhook", patience=1.0)], 100.0)
    assert watch.next(["batch"]) == 105.0
    assert watch.next(["batch", "webhook"]) == 101.0
    assert watch.next(["interactive"]) is None
