"""Quotas of a key: by time, by tokens, at a time; in one process and in several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.admission.ledger import Ledger
from pointsman.admission.quota import MINUTE, NO_QUOTA, Account, Bucket, Exceeded, Level, Quota, Used


def test_a_minutes_worth_may_come_at_once_and_then_evenly() -> None:
    account = Account(Quota(requests=3), 0.0)
    assert [account.begin(0.0) for _ in range(3)] == [None] * 3
    assert account.begin(0.0) == Exceeded("requests", 3, pytest.approx(20.0))
    assert account.begin(19.0) is not None
    assert account.begin(20.0) is None
    assert account.begin(20.0) is not None
    assert account.requests(30.0) == Level(3, 0, pytest.approx(50.0))
    assert account.tokens(30.0) is None


def test_at_a_time() -> None:
    account = Account(Quota(concurrency=2), 0.0)
    assert account.begin(0.0) is None and account.begin(0.0) is None
    assert account.begin(0.0) == Exceeded("concurrency", 2, None)
    account.end(0, 0, 1.0)
    assert account.begin(1.0) is None
    account.elsewhere = 1
    account.end(0, 0, 1.0)
    assert account.begin(1.0) is not None


def test_a_part_of_another_request_counts_with_its_tokens_alone() -> None:
    account = Account(Quota(requests=1, tokens=100, concurrency=1), 0.0)
    assert account.begin(0.0) is None
    assert account.begin(0.0, part=True) is None
    assert account.spend(100, 0.0) is None
    account.end(100, 40, 0.0, part=True)
    assert account.inside == 1
    assert account.tokens(0.0) == Level(100, 60, pytest.approx(24.0))


def test_tokens_that_were_not_used_come_back() -> None:
    account = Account(Quota(tokens=1000), 0.0)
    assert account.spend(900, 0.0) is None
    assert account.spend(200, 0.0) == Exceeded("tokens", 1000, pytest.approx(6.0))
    account.end(900, 100, 0.0, part=True)
    assert account.spend(200, 0.0) is None


def test_more_than_a_minutes_worth_goes_when_all_is_there_and_is_paid_for_after() -> None:
    account = Account(Quota(tokens=100), 0.0)
    assert account.spend(300, 0.0) is None
    assert account.spend(1, 100.0) is not None, "the debt is two minutes"
    assert account.spend(1, 2 * MINUTE + 1) is None


def test_nothing_is_counted_for_what_is_turned_away() -> None:
    account = Account(Quota(requests=1, tokens=10), 0.0)
    assert account.begin(0.0) is None and account.spend(10, 0.0) is None
    for _ in range(5):
        assert account.begin(30.0) is not None
        assert account.spend(10, 30.0) is not None
    assert account.begin(MINUTE) is None and account.spend(10, MINUTE) is None


@given(st.integers(1, 100), st.lists(st.tuples(st.floats(0, 30), st.integers(1, 40)), max_size=80))
def test_never_more_than_a_full_bucket_and_what_flowed_in(most: int, story: list[tuple[float, int]]) -> None:
    bucket, now, taken = Bucket(most, 0.0), 0.0, 0.0
    for passed, amount in story:
        now += passed
        if amount <= most and bucket.wait(amount, now) == 0:
            bucket.take(amount, now)
            taken += amount
        assert taken <= most + now * most / MINUTE + 1e-6


def ledgers(count: int, quota: Quota) -> dict[str, Ledger]:
    made = {f"p{number}": Ledger() for number in range(count)}
    for ledger in made.values():
        ledger.install(lambda name: quota)
    return made


def hear_all(processes: dict[str, Ledger], now: float) -> None:
    told = {name: ledger.told(now) for name, ledger in processes.items()}
    for name, ledger in processes.items():
        ledger.hear({other: accounts for other, accounts in told.items() if other != name}, now)


def asked(ledger: Ledger, now: float) -> bool:
    account = ledger.account("ann", now)
    assert account is not None
    return account.begin(now) is None


def test_a_key_without_limits_has_no_account() -> None:
    ledger = Ledger()
    assert ledger.account("ann", 0.0) is None
    ledger.install(lambda name: Quota(requests=1) if name == "ann" else NO_QUOTA)
    assert ledger.account("ben", 0.0) is None
    assert asked(ledger, 0.0) and not asked(ledger, 0.0)


def test_what_others_let_in_counts_once_it_is_heard() -> None:
    here, there = ledgers(2, Quota(requests=10, concurrency=8)).items()
    processes = dict((here, there))
    assert sum(asked(there[1], 0.0) for _ in range(4)) == 4
    hear_all(processes, 0.1)
    assert sum(asked(here[1], 0.1) for _ in range(10)) == 4, "four more at a time"
    hear_all(processes, 0.2)
    assert not asked(there[1], 0.2) and not asked(here[1], 0.2)


def test_one_that_is_silent_has_nothing_under_way_any_more() -> None:
    here, there = ledgers(2, Quota(concurrency=2)).values()
    assert asked(there, 0.0) and asked(there, 0.0)
    here.hear({"there": there.told(0.0)}, 0.0)
    assert not asked(here, 0.0)
    here.hear({}, 5.0)
    assert asked(here, 5.0)


def test_a_process_that_starts_learns_what_is_owed() -> None:
    old, new = ledgers(2, Quota(requests=10)).values()
    assert sum(asked(old, 0.0) for _ in range(20)) == 10
    new.hear({"old": old.told(12.0)}, 12.0)
    assert sum(asked(new, 12.0) for _ in range(20)) == 2, "what flowed back in 12 s"


def test_a_quota_that_changes_begins_full_with_who_is_inside() -> None:
    (ledger,) = ledgers(1, Quota(requests=1, concurrency=3)).values()
    assert asked(ledger, 0.0) and not asked(ledger, 0.0)
    ledger.install(lambda name: Quota(requests=5, concurrency=3))
    assert sum(asked(ledger, 0.0) for _ in range(9)) == 2
    assert ledger.inside == 3


@given(
    st.integers(2, 4),
    st.integers(1, 50),
    st.lists(st.tuples(st.floats(0, 20), st.integers(0, 3), st.booleans()), max_size=150),
)
def test_the_excess_is_what_others_let_in_unheard(count: int, most: int, story: list[tuple[float, int, bool]]) -> None:
    """Over any story: never more than the quota, and as much again for each other process; and what was too much is
    paid: once all have heard, nobody has more than what one process alone would have."""
    processes = ledgers(count, Quota(requests=most))
    alone = Bucket(most, 0.0)
    hear_all(processes, 0.0)
    now, let_in = 0.0, 0
    for passed, who, heard in story:
        now += passed
        if heard:
            hear_all(processes, now)
        if asked([*processes.values()][who % count], now):
            let_in += 1
            alone.take(1, now)
        assert let_in <= count * most + now * most / MINUTE + 1e-6
    hear_all(processes, now)
    left = max(alone.left(now), 0)
    for ledger in processes.values():
        account = ledger.account("ann", now)
        assert account is not None
        told = account.requests(now)
        assert told is not None and told.left <= left + count + 1e-6


def test_used_is_small_on_the_wire() -> None:
    assert Used(1, 2, 3, 4.0, 5.0) == Used(requests=1, tokens=2, inside=3, requests_owed=4.0, tokens_owed=5.0)
