"""Sessions that break off after a rule's reply, where the caller's sessions usually go on."""

from __future__ import annotations

from pointsman.offline.audit.sessions import Sessions


def fill(sessions: Sessions, caller: str, ended: int, of: int) -> None:
    """Sessions of two replies of models each, of which the first goes on."""
    for number in range(of):
        name = f"m{number}"
        sessions.add(caller, name, 0.0, None, "x")
        if number >= ended:
            for more in range(9):
                sessions.add(caller, name, 1.0 + more, None, "x")


def test_it_counts_where_sessions_usually_go_on() -> None:
    sessions = Sessions("rule")
    fill(sessions, "a", 0, 10)  # of 100 replies ten end a session
    for number in range(4):
        sessions.add("a", f"r{number}", 20.0, "rule", f"id{number}")
    sessions.add("a", "r0", 30.0, None, "y")  # goes on
    sessions.finish(10_000.0)
    assert sessions.abandoned("rule") == (3, ["id1", "id2", "id3"])
    assert sessions.abandoned("other") == (0, [])
    assert sessions.count == 14


def test_where_they_usually_end_it_says_nothing() -> None:
    sessions = Sessions(None)
    fill(sessions, "a", 30, 30)
    sessions.add("a", "r", 20.0, "rule", "id")
    sessions.finish(10_000.0)
    assert sessions.abandoned("rule") == (0, [])


def test_too_few_replies_say_nothing_nor_do_other_callers() -> None:
    sessions = Sessions(None)
    fill(sessions, "a", 0, 1)
    fill(sessions, "b", 0, 10)
    sessions.add("a", "r", 20.0, "rule", "id")
    sessions.finish(10_000.0)
    assert sessions.abandoned("rule") == (0, [])


def test_what_may_go_on_still_says_nothing() -> None:
    sessions = Sessions(None)
    fill(sessions, "a", 0, 10)
    sessions.add("a", "r", 20.0, "rule", "id")
    sessions.finish(60.0)
    assert sessions.abandoned("rule") == (0, [])


def test_half_an_hour_ends_one_and_memory_stays_bounded() -> None:
    sessions = Sessions(None)
    fill(sessions, "a", 0, 10)
    sessions.add("a", "r", 20.0, "rule", "id")
    sessions.add("a", "r", 20.0 + 1801, None, "id2")  # the same name, another session
    for number in range(2000):
        sessions.add("a", f"n{number}", 5000.0 + 60 * number, None, "x")
    assert len(sessions._open) < 60
    sessions.finish(1e9)
    assert sessions.count == 2012
